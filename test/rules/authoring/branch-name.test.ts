import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { branchNameOf, branchNameTrouble } from '#authoring/branch-name.ts'
import { Failure } from '#contract/failure.ts'
import { checkBranchName, normaliseBranchName } from '#content/refs/ref-names.ts'

describe('the name of a branch', () => {
  it.each([
    ['  New API ', 'new-api'],
    ['Überblick neu', 'uberblick-neu'],
    ['docs/Fix  it', 'docs/fix-it'],
    ['ready', 'ready'],
  ])('of %j is %j', (typed, name) => {
    expect(branchNameOf(typed)).toBe(name)
  })

  it('is one that the service leaves as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (typed) => {
        const name = branchNameOf(typed)
        expect(normaliseBranchName(name)).toBe(name)
      }),
    )
  })

  it.each(['new_api', 'docs/new-api', 'a', '2026'])('may be %j, as the service has it', (name) => {
    expect(branchNameTrouble(name, [])).toBeUndefined()
    expect(checkBranchName(name)).toBe(name)
  })

  it.each(['main', 'main/x', 'a.b', '日本', '-x', '/x', 'x/', 'a//b', 'x'.repeat(101)])(
    'may not be %j, as the service has it',
    (name) => {
      expect(branchNameTrouble(name, [])).toBeDefined()
      expect(() => checkBranchName(name)).toThrow(Failure)
    },
  )

  it('is taken, or would be the folder of another branch', () => {
    expect(branchNameTrouble('api', ['api'])).toContain('already')
    expect(branchNameTrouble('api', ['api/v2'])).toContain('api/v2')
    expect(branchNameTrouble('api/v2', ['api'])).toContain('api')
    expect(branchNameTrouble('apis', ['api'])).toBeUndefined()
  })
})
