import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MergeConflict, BareRepository } from '#content/repository.ts'
import { mergeCases } from '#test/support/content/contract/merge-cases.ts'
import { text } from '#test/support/content/contract/support.ts'
import { fork, Workshop, type Edits } from '#test/support/content/workshop.ts'
import { git } from '#test/support/content/support.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { cases } from '#test/support/properties.ts'

interface Case {
  readonly what: string
  readonly base: Edits
  readonly main: Edits
  readonly branch: Edits
  /** Without: it merges cleanly. */
  readonly conflicts?: readonly (Pick<MergeConflict, 'path' | 'type'> & { readonly oldPath?: string })[]
}

/** What adapters may see differently: renames and modes. */
const renamesAndModes: readonly Case[] = [
  {
    what: 'a rename against an edit',
    base: { old: text(20) },
    main: { old: text(20, { 3: 'edited' }) },
    branch: { old: null, new: text(20) },
  },
  {
    what: 'a rename with an edit against an edit of the same line',
    base: { old: text(20) },
    main: { old: text(20, { 3: 'main' }) },
    branch: { old: null, new: text(20, { 3: 'branch' }) },
    conflicts: [{ path: 'new', type: 'content' }],
  },
  {
    what: 'a file added to a directory that the other side renamed',
    base: { 'guide/a': text(20), 'guide/b': text(20, { 1: 'b' }) },
    main: { 'guide/c': 'c\n' },
    branch: { guide: null, 'learn/a': text(20), 'learn/b': text(20, { 1: 'b' }) },
  },
  {
    what: 'one file renamed apart',
    base: { old: text(20) },
    main: { old: null, 'new-main': text(20) },
    branch: { old: null, 'new-branch': text(20) },
    conflicts: [
      { path: 'new-branch', type: 'rename/rename', oldPath: 'old' },
      { path: 'new-main', type: 'rename/rename', oldPath: 'old' },
    ],
  },
  {
    what: 'two files renamed to one name',
    base: { a: text(20), b: text(20, { 1: 'b', 2: 'b', 3: 'b', 4: 'b', 5: 'b', 6: 'b', 7: 'b', 8: 'b', 9: 'b' }) },
    main: { a: null, c: text(20) },
    branch: { b: null, c: text(20, { 1: 'b', 2: 'b', 3: 'b', 4: 'b', 5: 'b', 6: 'b', 7: 'b', 8: 'b', 9: 'b' }) },
    conflicts: [{ path: 'c', type: 'add/add' }],
  },
  {
    what: 'a rename against a deletion',
    base: { old: text(20) },
    main: { old: null },
    branch: { old: null, new: text(20) },
    conflicts: [{ path: 'new', type: 'rename/delete', oldPath: 'old' }],
  },
  {
    what: 'one file added by both, executable on one side only',
    base: { a: 'a\n' },
    main: { b: 'same\n' },
    branch: { b: { executable: 'same\n' } },
    conflicts: [{ path: 'b', type: 'mode' }],
  },
  {
    what: 'a mode against an edit',
    base: { a: text(5) },
    main: { a: text(5, { 1: 'main' }) },
    branch: { a: { executable: text(5) } },
  },
]

/** The trees of a repository must be whole: `fsck` from the merged tree on. */
async function expectSound(repository: BareRepository, tree: string): Promise<void> {
  await git(repository.directory, 'fsck', '--strict', '--no-dangling', tree)
}

describe('a merge comes out as with git merge', () => {
  it.each<Case>([...(isDeep ? mergeCases : []), ...renamesAndModes])(
    '$what',
    async ({ base, main, branch, conflicts = [] }) => {
      const forked = await fork(base, main, branch)
      const merged = await forked.repository.mergeTree(forked.main, forked.branch)
      expect(merged.tree).toBe(await forked.workshop.merge(forked.main, forked.branch))
      expect(
        merged.conflicts.map(({ path, type, oldPath }) => ({ path, type, ...(oldPath ? { oldPath } : {}) })),
      ).toEqual(conflicts)
      if (merged.tree !== null) await expectSound(forked.repository, merged.tree)
      // The other way round it is the same.
      const turned = await forked.repository.mergeTree(forked.branch, forked.main)
      expect(turned.tree).toBe(merged.tree)
      expect(turned.conflicts.map(({ path }) => path)).toEqual(merged.conflicts.map(({ path }) => path))
    },
  )

  inDepth('after a criss-cross', async () => {
    const workshop = await Workshop.open()
    await workshop.commit({ a: text(30), b: 'b\n' })
    await workshop.git('checkout', '-q', '-b', 'work')
    const branchFirst = await workshop.commit({ a: text(30, { 25: 'branch' }) })
    await workshop.git('checkout', '-q', 'main')
    const mainFirst = await workshop.commit({ a: text(30, { 2: 'main' }) })
    await workshop.git('merge', '-q', '--no-edit', branchFirst)
    const main = await workshop.commit({ b: 'main\n' })
    await workshop.git('checkout', '-q', 'work')
    await workshop.git('merge', '-q', '--no-edit', mainFirst)
    const branch = await workshop.commit({ c: 'c\n' })
    await workshop.send('main', 'work')
    const merged = await workshop.repository.mergeTree(main, branch)
    expect(merged.tree).not.toBeNull()
    expect(merged.tree).toBe(await workshop.merge(main, branch))
  })

  it('whatever both sides do to a handful of files', { timeout: 600_000 }, async () => {
    const line = fc.integer({ min: 0, max: 11 })
    const side = fc.dictionary(
      fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd'),
      fc.oneof(
        fc.constant(null),
        line.map((at) => text(12, { [at]: 'changed' })),
        line.map((at) => text(12, { [at]: 'other' })),
      ),
      { maxKeys: 3 },
    )
    const workshop = await Workshop.open()
    const existing = { a: text(12), b: text(12, { 0: 'b' }), 'd/a': text(12, { 5: 'd' }), 'd/b': 'short\n' }
    const start = await workshop.commit(existing)
    const commitOn = async (branch: string, edits: Record<string, string | null>) => {
      await workshop.git('checkout', '-q', '--force', '-B', branch, start)
      await workshop.git('clean', '-qfd')
      // A file in the place of a directory excludes files in it, and only what is there can be deleted.
      const { d, ...others } = edits
      const files = typeof d === 'string' ? { d, ...(others['a'] ? { a: others['a'] } : {}) } : others
      return workshop.commit(
        Object.fromEntries(Object.entries(files).filter(([path, content]) => content !== null || path in existing)),
      )
    }
    let round = 0
    await fc.assert(
      fc.asyncProperty(side, side, async (mainEdits, branchEdits) => {
        const main = await commitOn(`main-${++round}`, mainEdits)
        const branch = await commitOn(`work-${round}`, branchEdits)
        await workshop.send(`main-${round}`, `work-${round}`)
        const merged = await workshop.repository.mergeTree(main, branch)
        expect(merged.tree).toBe(await workshop.merge(main, branch))
        expect(merged.conflicts.length > 0).toBe(merged.tree === null)
      }),
      { numRuns: cases(3) },
    )
  })
})

describe('a merge', () => {
  it('names the blobs of each side, also where git’s index holds a mixture', async () => {
    const contents = { base: text(20), main: text(20, { 3: 'main' }), branch: text(20, { 3: 'branch' }) }
    const { repository, main, branch } = await fork(
      { old: contents.base, gone: contents.base + 'gone\n' },
      { old: null, 'new-main': contents.main, gone: null },
      { old: null, 'new-branch': contents.branch, gone: contents.base + 'kept\n' },
    )
    const { conflicts } = await repository.mergeTree(main, branch)
    const read = async (oid: string | undefined) =>
      oid === undefined ? null : (await repository.readBlob(oid)).toString()
    const texts = await Promise.all(
      conflicts.map(async (conflict) => [conflict.path, await read(conflict.main), await read(conflict.branch)]),
    )
    expect(texts).toEqual([
      ['gone', null, `${contents.base}kept\n`],
      ['new-branch', null, contents.branch],
      ['new-main', contents.main, null],
    ])
  })

  inDepth('of a commit that is not there is an error, not a conflict', async () => {
    const { repository, main } = await fork({ a: 'a\n' }, {}, {})
    await expect(repository.mergeTree(main, '1'.repeat(40))).rejects.toThrow(/merge-tree/)
  })

  it('takes no word of what a pushed .gitattributes says', async () => {
    const { repository, main, branch } = await fork(
      { '.gitattributes': '* merge=union\n', a: text(5) },
      { a: text(5, { 2: 'main' }) },
      { a: text(5, { 2: 'branch' }) },
    )
    expect((await repository.mergeTree(main, branch)).conflicts).toMatchObject([{ path: 'a', type: 'content' }])
  })

  it('leaves nothing beside the objects, and moves no ref', async () => {
    const { repository, main, branch } = await fork(
      { a: text(9) },
      { a: text(9, { 1: 'x' }) },
      { a: text(9, { 7: 'y' }) },
    )
    const refs = await repository.listRefs('refs/')
    await repository.mergeTree(main, branch)
    expect(await repository.listRefs('refs/')).toEqual(refs)
    expect((await readdir(join(repository.directory, 'objects'))).filter((name) => name.startsWith('tmp'))).toEqual([])
  })

  inDepth('of hundreds of files, which become a pack, is whole', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `d${index % 7}/p${index}`)
    const edits = (change: Readonly<Record<number, string>>) =>
      Object.fromEntries(names.map((name) => [name, name + text(12, change)]))
    const { repository, workshop, main, branch } = await fork(edits({}), edits({ 2: 'main' }), edits({ 10: 'branch' }))
    const { tree } = await repository.mergeTree(main, branch)
    expect(tree).toBe(await workshop.merge(main, branch))
    await expectSound(repository, tree ?? '')
  })
})
