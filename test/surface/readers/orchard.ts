/** What a page gets of a description of an API in which apples are planted at `server`. */
export function orchardOperation(servers: readonly string[]): string {
  const part = {
    kind: 'operation',
    method: 'POST',
    path: '/orchards/{orchard}/apples',
    servers: servers.map((url) => ({ url })),
    security: [{ token: [] }],
    schemes: { token: { type: 'http', scheme: 'bearer' } },
    parameters: [{ name: 'orchard', in: 'path', required: true, description: 'Where', schema: { type: 'string' } }],
    operation: {
      summary: 'Plant an apple',
      description: 'Plants **one**.',
      parameters: [
        { name: 'notify', in: 'query', schema: { type: 'boolean' } },
        { name: 'tag', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Apple' } } },
      },
      responses: {
        201: {
          description: 'Planted',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Apple' } } },
        },
        422: { description: 'It does not grow' },
      },
    },
  }
  const definitions = {
    '#/components/schemas/Apple': {
      type: 'object',
      required: ['name'],
      properties: {
        id: { type: 'string', readOnly: true },
        name: { type: 'string', description: 'How it is called', example: 'Gala' },
        colour: { type: 'string', enum: ['red', 'green'] },
        origin: { type: 'object', properties: { country: { type: 'string' } } },
        seed: { $ref: '#/components/schemas/Apple' },
      },
    },
  }
  const settings = {
    playground: 'interactive',
    pills: [],
    requiredOnly: false,
    generate: true,
    prefill: false,
    credentials: false,
    expanded: false,
    fullUrl: false,
  }
  return JSON.stringify({ part, definitions, settings })
}

/** The page of that operation. */
export const orchardPage = `---
title: Plant an apple
openapi: POST /orchards/{orchard}/apples
---
`

/** Under which name it asks for what it shows. */
export const orchardName = 'api:POST /orchards/{orchard}/apples'
