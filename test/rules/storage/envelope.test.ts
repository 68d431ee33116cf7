import { expect, test } from 'vitest'
import { sealText } from '#storage/checksum.ts'
import { currentSchema, decode, type Migration } from '#storage/documents/envelope.ts'
import { documentOf, fileOf } from '#storage/documents/document-files.ts'

const steps: readonly Migration[] = [
  (file) => ({ ...file, meters: {} }),
  (file, document) => ({ ...file, document: document === 'service' ? { people: [] } : file['document'] }),
]

test.each([
  [1, 'project/a', { old: true }],
  [2, 'project/a', { old: true }],
  [1, 'service', { people: [] }],
  [3, 'service', { old: true }],
])('a file of schema %i of %s goes through the steps that it lacks', (schema, document, expected) => {
  const meters = schema === 1 ? undefined : {}
  const text = sealText(JSON.stringify({ schema, document: { old: true }, meters }))
  expect(decode(text, document, 'x.json', steps)).toEqual({
    schema: currentSchema(steps),
    revision: 0,
    document: expected,
    meters: {},
  })
})

test('a file of a newer version is refused, naming both versions', () => {
  const text = sealText(JSON.stringify({ schema: 4, document: {}, meters: {} }))
  expect(() => decode(text, 'service', '_service.json', steps)).toThrow(/_service\.json has schema 4; .* up to 3/)
})

test.each([
  'project/leaves',
  'project/service',
  'project/a-b',
  'service',
  'sessions',
  'account/x1',
  'project/a/b',
  'project',
])('the name %s and its file belong together', (name) => expect(documentOf(fileOf(name))).toBe(name))

test.each([
  '.starts',
  '.lock',
  'x.git',
  'X.json',
  '_project.a.json',
  'a.b.json',
  '.json',
  '_.json',
  '-a.json',
  'a.json.tmp',
])('the file %s is no document’s', (file) => expect(documentOf(file)).toBeNull())
