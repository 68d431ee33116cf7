import { describe, expect, it } from 'vitest'
import type { Repository, Resolution } from '../../../src/content/repository.ts'
import { fork, type Edits } from '../workshop.ts'

const text = (count: number, change: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, index) => `${change[index] ?? `line ${index}`}\n`).join('')

async function contentsOf(repository: Repository, tree: string | null): Promise<Record<string, string>> {
  const files = [...(await repository.readTree(tree ?? ''))]
  const read = files.map(async ([path, file]) => [path, (await repository.readBlob(file.oid)).toString()] as const)
  return Object.fromEntries(await Promise.all(read))
}

const content = (value: string) => ({ content: Buffer.from(value) })

const table: readonly {
  readonly what: string
  readonly sides: readonly [base: Edits, main: Edits, branch: Edits]
  readonly resolutions: readonly Resolution[]
  readonly result: Readonly<Record<string, string>>
}[] = [
  {
    what: 'with main’s content',
    sides: [{ a: 'a\n', b: 'b\n' }, { a: 'main\n' }, { a: 'branch\n', b: 'B\n' }],
    resolutions: [{ path: 'a', use: 'main' }],
    result: { a: 'main\n', b: 'B\n' },
  },
  {
    what: 'with the branch’s content',
    sides: [{ 'd/a': 'a\n' }, { 'd/a': 'main\n', 'd/c': 'c\n' }, { 'd/a': 'branch\n' }],
    resolutions: [{ path: 'd/a', use: 'branch' }],
    result: { 'd/a': 'branch\n', 'd/c': 'c\n' },
  },
  {
    what: 'with content of its own',
    sides: [{ a: 'a\n' }, { a: 'main\n' }, { a: 'branch\n' }],
    resolutions: [{ path: 'a', ...content('both\n') }],
    result: { a: 'both\n' },
  },
  {
    what: 'by deleting the file',
    sides: [{ 'd/a': 'a\n', z: 'z\n' }, { 'd/a': 'main\n' }, { 'd/a': 'branch\n' }],
    resolutions: [{ path: 'd/a', content: null }],
    result: { z: 'z\n' },
  },
  {
    what: 'by the side that deleted the file',
    sides: [{ a: text(5), z: 'z\n' }, { a: null }, { a: text(5, { 1: 'branch' }) }],
    resolutions: [{ path: 'a', use: 'main' }],
    result: { z: 'z\n' },
  },
  {
    what: 'by the side that kept the file',
    sides: [{ a: 'a\n', z: 'z\n' }, { a: null }, { a: 'branch\n' }],
    resolutions: [{ path: 'a', use: 'branch' }],
    result: { a: 'branch\n', z: 'z\n' },
  },
  {
    what: 'for a file renamed apart, by one of the names',
    sides: [{ old: text(20) }, { old: null, 'new-main': text(20) }, { old: null, 'new-branch': text(20, { 3: 'x' }) }],
    resolutions: [
      { path: 'new-main', use: 'branch' },
      { path: 'new-branch', use: 'branch' },
    ],
    result: { 'new-branch': text(20, { 3: 'x' }) },
  },
  {
    what: 'for a renamed file, by the edit of the side that kept the name',
    sides: [{ old: text(20) }, { old: text(20, { 3: 'main' }) }, { old: null, new: text(20, { 3: 'branch' }) }],
    resolutions: [{ path: 'new', use: 'main' }],
    result: { new: text(20, { 3: 'main' }) },
  },
  {
    what: 'with the file in the place of a directory',
    sides: [{ z: 'z\n' }, { 'guide/a': 'a\n', 'guide/b': 'b\n' }, { guide: 'file\n' }],
    resolutions: [{ path: 'guide', use: 'branch' }],
    result: { guide: 'file\n', z: 'z\n' },
  },
  {
    what: 'with the directory in the place of a file',
    sides: [{ z: 'z\n' }, { 'guide/a': 'a\n', 'guide/b': 'b\n' }, { guide: 'file\n' }],
    resolutions: [{ path: 'guide', use: 'main' }],
    result: { 'guide/a': 'a\n', 'guide/b': 'b\n', z: 'z\n' },
  },
  {
    what: 'with several conflicts at once',
    sides: [
      { a: '1\n', b: '1\n' },
      { a: '2\n', b: '2\n', c: '2\n' },
      { a: '3\n', b: '3\n', c: '3\n' },
    ],
    resolutions: [
      { path: 'a', use: 'main' },
      { path: 'b', use: 'branch' },
      { path: 'c', ...content('23\n') },
    ],
    result: { a: '2\n', b: '3\n', c: '23\n' },
  },
]

describe('a conflict is settled', () => {
  it.each(table)('$what', async ({ sides, resolutions, result }) => {
    const { repository, main, branch } = await fork(...sides)
    const { tree, conflicts } = await repository.resolveMerge({ main, branch, resolutions })
    expect(conflicts).toEqual([])
    expect(await contentsOf(repository, tree)).toEqual(result)
    const author = { name: 'Ada', email: 'ada@example.com' }
    const commit = await repository.commitTree({
      tree: tree ?? '',
      parents: [main, branch],
      author,
      message: 'Publish',
    })
    await repository.updateRefs([{ ref: 'refs/heads/main', old: main, new: commit }])
    expect(await repository.fsck()).toEqual([])
    expect(await repository.readCommit(commit)).toMatchObject({ parents: [main, branch], tree, author })
  })
})

const forkInTwo = () => fork({ a: '1\n', b: '1\n' }, { a: '2\n', b: '2\n' }, { a: '3\n', b: '3\n' })

describe('conflicts come back', () => {
  it('as long as one has no decision', async () => {
    const { repository, main, branch } = await forkInTwo()
    const { tree, conflicts } = await repository.resolveMerge({
      main,
      branch,
      resolutions: [{ path: 'a', use: 'main' }],
    })
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
