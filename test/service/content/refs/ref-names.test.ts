import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { branchRef, checkBranchName, normaliseBranchName } from '#content/refs/ref-names.ts'
import { git, newRepository, filesOf, author } from '#test/support/content/support.ts'
import { cases } from '#test/support/properties.ts'

describe('a branch name', () => {
  it.each([
    'a',
    'new-pages',
    'fix_2',
    'feature/api/v2',
    'mainly',
    'feature/main',
    'docs/refs',
    'a/-b',
    '0123456789abcdef',
    'a'.repeat(39),
    'g'.repeat(40),
    'console',
    'com10',
    'x'.repeat(100),
  ])('%s is allowed', (name) => {
    expect(checkBranchName(name)).toBe(name)
  })

  it.each<[string, RegExp]>([
    ['', /empty/],
    ['x'.repeat(101), /100 characters/],
    ['Feature', /characters/],
    ['a.b', /characters/],
    ['a\nb', /characters/],
    ['é', /characters/],
    ['a..b', /characters/],
    ['a@{1}', /characters/],
    ['/a', /slash/],
    ['a/', /slash/],
    ['a//b', /two slashes/],
    ['-a', /hyphen/],
    ['main', /main/],
    ['main/a', /main/],
    ['0123456789abcdef0123456789abcdef01234567', /commit/],
    ['a'.repeat(64), /commit/],
    ['refs', /reserved by Git/],
    ['heads/main', /reserved by Git/],
    ['tags/v1', /reserved by Git/],
    ['remotes/x', /reserved by Git/],
    ['origin', /reserved by Git/],
    ['con', /Windows/],
    ['a/nul', /Windows/],
    ['prn/a', /Windows/],
    ['aux', /Windows/],
    ['com1', /Windows/],
    ['lpt9', /Windows/],
  ])('%j is refused and says why', (name, why) => {
    expect(() => checkBranchName(name)).toThrow(
      expect.objectContaining({
        code: 'invalid_branch_name',
        message: expect.stringMatching(why) as string,
        hint: expect.stringMatching(/\.$/) as string,
      }) as Error,
    )
  })

  it('that a person typed gets hyphens for spaces', () => {
    expect(normaliseBranchName('  my new branch ')).toBe('my-new-branch')
    expect(normaliseBranchName('a  b')).toBe('a--b')
  })
})

it('whatever name is allowed, git makes a branch of it and of nothing else', async () => {
  const repository = await newRepository()
  const made = await repository.replaceTree({ files: filesOf({ a: 'a' }), parent: null, author, message: 'x' })
  const name = fc
    .string({ unit: fc.constantFrom('a', 'f', '0', '-', '_', '/', ' ', 'main', 'heads', 'con'), maxLength: 12 })
    .map(normaliseBranchName)
    .filter((candidate) => {
      try {
        return checkBranchName(candidate) === candidate
      } catch {
        return false
      }
    })
  await fc.assert(
    fc.asyncProperty(name, async (allowed) => {
      const ref = branchRef(allowed)
      await repository.updateRefs([{ ref, old: null, new: made.commit }])
      expect(await git(repository.directory, 'check-ref-format', '--branch', allowed)).toBe(allowed)
      expect(await git(repository.directory, 'rev-parse', '--symbolic-full-name', allowed)).toBe(ref)
      await repository.updateRefs([{ ref, old: made.commit, new: null }])
    }),
    { numRuns: cases(40) },
  )
})
