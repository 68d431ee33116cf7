import { describe, expect, it } from 'vitest'
import type { Repository, Resolution } from '#content/repository.ts'
import { author } from '#test/support/content/support.ts'
import { mergeCases, resolutionCases, type ResolutionCase } from './merge-cases.ts'
import { commit, contentsOf, edited, fork, text, type Open } from './support.ts'

export function mergesContract(open: Open): void {
  const forkInTwo = () => fork(open, { a: '1\n', b: '1\n' }, { a: '2\n', b: '2\n' }, { a: '3\n', b: '3\n' })

  describe('a merge', () => {
    it.each(mergeCases)('of $what', async ({ base, main, branch, merged, conflicts = [] }) => {
      const forked = await fork(open, base, main, branch)
      const { repository } = forked
      const result = await repository.mergeTree(forked.main, forked.branch)
      expect(result.conflicts.map(({ path, type }) => ({ path, type }))).toEqual(conflicts)
      expect(result.tree === null).toBe(conflicts.length > 0)
      if (merged) {
        const expected = await commit(repository, edited(base, merged))
        expect(result.tree).toBe((await repository.readCommit(expected)).tree)
      }
      // The other way round it is the same.
      const turned = await repository.mergeTree(forked.branch, forked.main)
      expect(turned.tree).toBe(result.tree)
      expect(turned.conflicts.map(({ path }) => path)).toEqual(result.conflicts.map(({ path }) => path))
    })

    it('names the blobs of each side', async () => {
      const sides = { base: text(5), main: text(5, { 2: 'main' }), branch: text(5, { 2: 'branch' }) }
      const { repository, main, branch } = await fork(
        open,
        { both: sides.base, gone: sides.base },
        { both: sides.main, gone: null },
        { both: sides.branch, gone: sides.branch },
      )
      const { conflicts } = await repository.mergeTree(main, branch)
      const read = async (oid: string | undefined) =>
        oid === undefined ? null : (await repository.readBlob(oid)).toString()
      const texts = await Promise.all(
        conflicts.map(async (conflict) => [
          conflict.path,
          await read(conflict.base),
          await read(conflict.main),
          await read(conflict.branch),
        ]),
      )
      expect(texts).toEqual([
        ['both', sides.base, sides.main, sides.branch],
        ['gone', sides.base, null, sides.branch],
      ])
    })

    it('of histories without a common commit is a merge from nothing', async () => {
      const repository = await open()
      const main = await commit(repository, { a: 'main\n', same: 'same\n' })
      const branch = await commit(repository, { a: 'branch\n', b: 'b\n', same: 'same\n' })
      expect(await repository.mergeBase(main, branch)).toBeNull()
      const { conflicts } = await repository.mergeTree(main, branch)
      expect(conflicts).toMatchObject([{ path: 'a', type: 'add/add' }])
    })

    it('refuses files of both sides that some file systems take for one', async () => {
      const { repository, main, branch } = await fork(
        open,
        { a: 'a\n' },
        { 'Guide.mdx': '1\n' },
        { 'guide.mdx': '2\n' },
      )
      await expect(repository.mergeTree(main, branch)).rejects.toMatchObject({
        code: 'invalid_path',
        errors: [{ path: expect.stringMatching(/^guide\.mdx$/i) as string }],
      })
    })

    it('of a commit that is not there is an error, not a conflict', async () => {
      const { repository, main } = await fork(open, { a: 'a\n' }, {}, {})
      await expect(repository.mergeTree(main, '1'.repeat(40))).rejects.toThrow(/merge-tree|commit 1{40}/)
    })

    it('moves no ref', async () => {
      const { repository, main, branch } = await fork(open, { a: 'a\n' }, { b: 'b\n' }, { c: 'c\n' })
      await repository.updateRefs([{ ref: 'refs/heads/main', new: main }])
      await repository.mergeTree(main, branch)
      expect(await repository.listRefs('refs/')).toEqual(new Map([['refs/heads/main', main]]))
    })
  })

  describe('the merge base', () => {
    it('is the commit at which the branch began', async () => {
      const { repository, base, main, branch } = await fork(open, { a: 'a\n' }, { a: 'b\n' }, { a: 'c\n' })
      expect(await repository.mergeBase(main, branch)).toBe(base)
      expect(await repository.mergeBase(base, branch)).toBe(base)
    })

    it('is the last commit that was merged', async () => {
      const { repository, main, branch } = await fork(open, { a: 'a\n' }, { b: 'b\n' }, { c: 'c\n' })
      const { tree } = await repository.mergeTree(main, branch)
      const parents = [main, branch]
      const merge = await repository.commitTree({ tree: tree ?? '', parents, author, message: 'Publish' })
      const later = await commit(repository, { a: 'a\n', c: 'C\n' }, branch)
      expect(await repository.mergeBase(merge, later)).toBe(branch)
    })
  })

  describe('a conflict is settled', () => {
    it.each(resolutionCases)('$what', async ({ sides, resolutions, result }) => {
      const { repository, main, branch } = await fork(open, ...sides)
      await expectSettled({ repository, main, branch, resolutions, result })
    })
  })

  describe('conflicts come back', () => {
    it('as long as one has no decision', async () => {
      const { repository, main, branch } = await forkInTwo()
      const resolutions: Resolution[] = [{ path: 'a', use: 'main' }]
      const { tree, conflicts } = await repository.resolveMerge({ main, branch, resolutions })
      expect(tree).toBeNull()
      expect(conflicts).toMatchObject([{ path: 'b', type: 'content' }])
    })

    it('when a side has moved since the decision', async () => {
      const { repository, main, branch } = await forkInTwo()
      const seen = { main: '4'.repeat(40) }
      const resolutions: Resolution[] = [
        { path: 'a', use: 'branch', seen },
        { path: 'b', use: 'branch' },
      ]
      expect((await repository.resolveMerge({ main, branch, resolutions })).conflicts).toMatchObject([{ path: 'a' }])
      const [conflict] = (await repository.mergeTree(main, branch)).conflicts
      const current = { main: conflict?.main ?? null, branch: conflict?.branch ?? null }
      const again = resolutions.map((resolution) => ({ ...resolution, ...(resolution.seen ? { seen: current } : {}) }))
      expect((await repository.resolveMerge({ main, branch, resolutions: again })).conflicts).toEqual([])
    })
  })

  describe('a decision is refused', () => {
    it.each([
      ['about a path without conflict', [{ path: 'other', use: 'main' }]],
      [
        'that is given twice',
        [
          { path: 'a', use: 'main' },
          { path: 'a', use: 'branch' },
        ],
      ],
    ] satisfies [string, Resolution[]][])('%s', async (_, resolutions) => {
      const { repository, main, branch } = await forkInTwo()
      await expect(repository.resolveMerge({ main, branch, resolutions })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    })
  })
}

/** Settles all conflicts, makes the commit and looks at what is in it. */
export async function expectSettled(
  request: { readonly repository: Repository; readonly main: string; readonly branch: string } & Omit<
    ResolutionCase,
    'what' | 'sides'
  >,
): Promise<void> {
  const { repository, main, branch, resolutions, result } = request
  const { tree, conflicts } = await repository.resolveMerge({ main, branch, resolutions })
  expect(conflicts).toEqual([])
  expect(await contentsOf(repository, tree)).toEqual(result)
  const parents = [main, branch]
  const made = await repository.commitTree({ tree: tree ?? '', parents, author, message: 'Publish' })
  await repository.updateRefs([{ ref: 'refs/heads/main', new: made }])
  expect(await repository.fsck()).toEqual([])
  expect(await repository.readCommit(made)).toMatchObject({ parents, tree, author })
}
