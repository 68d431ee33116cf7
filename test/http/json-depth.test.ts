import { expect, it } from 'vitest'
import { assertShallow } from '../../src/http/api/json-body.ts'

const check = (text: string) => () => assertShallow(Buffer.from(text), 3)

it('JSON may nest to the bound and no deeper, arrays and objects counted together', () => {
  expect(check('[{"a":[]}, [[]], [{}]]')).not.toThrow()
  expect(check('[{"a":[[]]}]')).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error)
  expect(check('[{"a":[[]]}]')).toThrow('at byte 8')
})

it('brackets in strings do not count, whatever is escaped in them', () => {
  expect(check(String.raw`["[[[[", "\"[[[[", "\\", "{{{{\\\""]`)).not.toThrow()
  expect(check(String.raw`["\\", [[[0]]]]`)).toThrow('more than 3')
})

it('what is not JSON is left to the parser', () => {
  expect(check(']]]]"[[[[')).not.toThrow()
})
