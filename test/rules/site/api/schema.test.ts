import { expect, test } from 'vitest'
import type { Json } from '#lib/json-reader.ts'
import { factsOf } from '#site/api/facts.ts'
import { schemaOf, typeText } from '#site/api/schema.ts'

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
  expect(typeText(list, new Map([['#/Node', node]]))).toBe('Node[]')
  expect(schemaOf(json('{"$ref":"#/Loop"}'), new Map([['#/Loop', json('{"$ref":"#/Loop"}')]])).value).toEqual({})
})

test('values that are written as a choice of constants are options with their names', () => {
  const schema = schemaOf(
    json('{"type":"integer","enum":[],"oneOf":[{"const":0,"title":"PLAIN"},{"const":1,"title":"LOUD"},{"const":2}]}'),
    none,
  )
  expect(factsOf(schema.value, none)).toMatchObject({ options: ['0', '1', '2'], optionNames: ['PLAIN', 'LOUD', ''] })
  expect(typeText(schema, none)).toBe('enum<integer>')
})

test('values that some of a choice have are options, too', () => {
  const schema = schemaOf(json('{"anyOf":[{"type":"string"},{"type":"string","enum":["small","large"]}]}'), none)
  expect(factsOf(schema.value, none).options).toEqual(['small', 'large'])
  const nested = schemaOf(json('{"oneOf":[{"anyOf":[{"type":"string"},{"enum":["small"]}]},{"type":"object"}]}'), none)
  expect(factsOf(nested.value, none).options).toEqual(['small'])
})

test('a choice of something and nothing is that, or null', () => {
  const schema = schemaOf(
    json('{"anyOf":[{"type":"integer","minimum":1},{"type":"null"}],"description":"How many"}'),
    none,
  )
  expect(typeText(schema, none)).toBe('integer | null')
  expect(factsOf(schema.value, none).range).toBe('1 ≤ x')
  expect(schema.value['description']).toBe('How many')
})
