import type { Files } from '#test/support/site/support/project.ts'

/** A small description that has what most have: tags, security, bodies, references in a circle, a choice, a webhook. */
export const pets = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1' },
  servers: [{ url: 'https://api.pets.example/v1' }],
  security: [{ key: [] }],
  tags: [{ name: 'pets', 'x-group': 'All about pets' }],
  paths: {
    '/pets': {
      get: {
        summary: 'List pets',
        description: 'Lists **all** pets.',
        tags: ['pets'],
        parameters: [
          {
            name: 'limit',
            in: 'query',
            description: 'How many',
            schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
          },
        ],
        responses: {
          '200': {
            description: 'The pets',
            content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' } } } },
          },
          '404': { description: 'There are none' },
        },
      },
      post: {
        summary: 'Add a pet',
        tags: ['pets'],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
        },
        responses: { '201': { description: 'Added' } },
      },
    },
    '/pets/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } }],
      get: {
        summary: 'Get a pet',
        responses: {
          '200': {
            description: 'One',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
        },
      },
    },
  },
  webhooks: {
    adopted: {
      post: {
        summary: 'A pet was adopted',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
        responses: { '200': { description: 'Thank you' } },
      },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key', description: 'From your account' } },
    schemas: {
      Pet: {
        type: 'object',
        required: ['name'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', minLength: 2, description: 'What it answers to' },
          kind: { enum: ['cat', 'dog'] },
          parent: { $ref: '#/components/schemas/Pet' },
          owner: { oneOf: [{ $ref: '#/components/schemas/Person' }, { $ref: '#/components/schemas/Shelter' }] },
        },
      },
      Person: { type: 'object', properties: { email: { type: 'string', format: 'email' } } },
      Shelter: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
}

/** A site with a navigation and a home. */
export function siteWith(
  navigation: unknown,
  files: Files = {},
  settings: Readonly<Record<string, unknown>> = {},
): Files {
  return {
    'docs.json': JSON.stringify({ name: 'Pets', colors: { primary: '#00aa77' }, navigation, ...settings }),
    'index.md': '# Home\n',
    ...files,
  }
}
