import { expect, test } from 'vitest'
import { operationName, partPaths, sourcesOfPart } from '#site/api/names.ts'

test.each([
  ['GET /pets', { name: 'GET /pets' }],
  ['get /pets', { name: 'GET /pets' }],
  ['openapi.json GET /pets', { source: 'openapi.json', name: 'GET /pets' }],
  ['/my api.yaml   GET  /pets', { source: 'my api.yaml', name: 'GET /pets' }],
  ['"API specs/v1.yaml" POST /pets', { source: 'API specs/v1.yaml', name: 'POST /pets' }],
  ["'my webhook api.yaml' GET /pets", { source: 'my webhook api.yaml', name: 'GET /pets' }],
  ['my api GET /pets', { source: 'my api', name: 'GET /pets' }],
  ['webhook order created', { name: 'WEBHOOK order created' }],
  ['my api.yaml webhook order.created', { source: 'my api.yaml', name: 'WEBHOOK order.created' }],
  ['"https://x.example/openapi.json" GET /pets', { source: 'https://x.example/openapi.json', name: 'GET /pets' }],
])('%s names an operation', (text, named) => {
  expect(operationName(text)).toEqual(named)
})

test.each(['guides/start', 'get', '', 'webhook', 'GET', `a${' '.repeat(1900)}b`])('%j names none', (text) => {
  expect(operationName(text)).toBeUndefined()
})

test.each([
  ['openapi-schema', 'my api.yaml Pet', 'api-schema:my api.yaml Pet'],
  ['openapi-schema', '"my api.yaml" Pet', 'api-schema:my api.yaml Pet'],
  ['asyncapi', "'chat rooms.yaml' room one", 'api-channel:chat rooms.yaml room one'],
  ['asyncapi', 'room', 'api-channel:room'],
] as const)('%s: %s is asked for', (field, text, path) => {
  expect(partPaths(field, text, 'page.md')).toEqual([path])
})

test.each([
  ['api-schema:Pet', []],
  ['api-schema:my api.yaml Pet', ['my api.yaml']],
  ['api-schema:admin Pet', ['admin']],
  ['api-schema:my api Pet Shop', ['my', 'my api', 'my api Pet']],
  ['api-channel:https://x.example/chat room one', ['https://x.example/chat']],
  ['api:my api GET /pets', ['my api']],
] as const)('%s may be of each of %j', (path, sources) => {
  expect(sourcesOfPart(path)).toEqual(sources)
})
