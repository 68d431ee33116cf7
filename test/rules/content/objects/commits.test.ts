import { describe, expect, it } from 'vitest'
import { checkAuthor } from '#content/objects/staging.ts'

const sound = { name: 'Ada Lovelace', email: 'ada@example.com' }

describe('checkAuthor', () => {
  it('accepts names of all scripts', () => {
    expect(checkAuthor({ name: '李 Åse O’Neil', email: 'x@例え.jp' }).name).toBe('李 Åse O’Neil')
  })

  it.each([
    { ...sound, name: 'Ada\ncommitter Eve <eve@x> 1 +0000' },
    { ...sound, name: 'Ada\rB' },
    { ...sound, name: 'Ada\0' },
    { ...sound, name: 'Ada <eve@x>' },
    { ...sound, name: '  ' },
    { ...sound, name: 'x'.repeat(257) },
    { ...sound, name: '\ud800' },
    { ...sound, email: 'ada@x>\nparent 0' },
    { ...sound, email: 'ada@x> 1' },
    { ...sound, email: 'a b@x' },
    { ...sound, email: '' },
  ])('refuses $name $email', (author) => {
    expect(() => checkAuthor(author)).toThrow(expect.objectContaining({ code: 'invalid_author' }))
  })
})
