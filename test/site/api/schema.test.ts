import { expect, test } from 'vitest'
import type { Json } from '../../../src/lib/json-reader.ts'
import { schemaOf, typeText } from '../../../src/site/api/schema.ts'

const json = (text: string) => JSON.parse(text) as Json
const none = new Map<string, Json>()

test('properties of all that a schema is made of stand together, whatever their names are', () => {
  const { value } = schemaOf(
    json('{"allOf":[{"properties":{"__proto__":{"type":"string"}}},{"properties":{"constructor":{"type":"number"}}}]}'),
    none,
  )
  expect(Object.keys(value['properties'] as object)).toEqual(['constructor', '__proto__'])
  expect(Object.getPrototypeOf(value['properties'])).toBe(Object.prototype)
})

test('a schema that refers to itself ends in its name', () => {
  const node = json('{"type":"object","properties":{"next":{"$ref":"#/Node"}}}')
  const list = schemaOf(json('{"type":"array","items":{"$ref":"#/Node"}}'), new Map([['#/Node', node]]))
  expect(typeText(list, new Map([['#/Node', node]]))).toBe('(Node · object)[]')
  expect(schemaOf(json('{"$ref":"#/Loop"}'), new Map([['#/Loop', json('{"$ref":"#/Loop"}')]])).value).toEqual({})
})
