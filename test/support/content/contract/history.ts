import { describe, expect, it } from 'vitest'
import type { DiffLine, FileDiff, Repository } from '#content/repository.ts'
import { author } from '#test/support/content/support.ts'
import { commit, fork, text, type Contents, type Edits, type Open } from './support.ts'

export const shown = (lines: readonly DiffLine[] | undefined): string[] =>
  (lines ?? []).map(({ kind, text: line }) => `${{ context: ' ', added: '+', deleted: '-' }[kind]}${line}`)

/** Changed words in brackets. */
export const words = (line: DiffLine | undefined): string =>
  (line?.words ?? []).map((word) => (word.changed ? `[${word.text}]` : word.text)).join('')

const lines = (...first: string[]) => `${first.join('\n')}\n${text(20)}`

/** Five commits, of which the fourth renames a file. */
async function history(open: Open): Promise<{ repository: Repository; commits: readonly string[] }> {
  const repository = await open()
  const states: Contents[] = [
    { 'old.mdx': lines('1'), other: '1' },
    { 'old.mdx': lines('1'), other: '2' },
    { 'old.mdx': lines('1', '2'), other: '2' },
    { 'new [é].mdx': lines('1', '2'), other: '2' },
    { 'new [é].mdx': lines('1', '2', '3'), other: '2' },
  ]
  const commits: string[] = []
  for (const state of states) commits.push(await commit(repository, state, commits.at(-1) ?? null))
  return { repository, commits }
}

export function historyContract(open: Open): void {
  const diffOf = async (before: Contents, after: Edits): Promise<readonly FileDiff[]> => {
    const { repository, base, branch } = await fork(open, before, {}, after)
    return repository.diff(base, branch)
  }

  describe('a diff', () => {
    it('of equal trees is empty', async () => {
      expect(await diffOf({ a: 'a\n' }, {})).toEqual([])
    })

    it('names what was added, modified, deleted and renamed', async () => {
      const files = await diffOf(
        { a: 'a\n', b: 'b\n', old: text(20) },
        { a: 'A\n', b: null, c: 'c\n', old: null, 'new name é': text(20) },
      )
      expect(files.map(({ path, status, oldPath }) => [path, status, oldPath])).toEqual([
        ['a', 'modified', undefined],
        ['b', 'deleted', undefined],
        ['c', 'added', undefined],
        ['new name é', 'renamed', 'old'],
      ])
      expect(files.map(({ before, after }) => [before !== null, after !== null])).toEqual([
        [true, true],
        [true, false],
        [false, true],
        [true, true],
      ])
      expect(files.map(({ hunks }) => hunks.map(({ lines: all, ...ranges }) => [ranges, shown(all)]))).toEqual([
        [[{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1 }, ['-a', '+A']]],
        [[{ oldStart: 1, oldLines: 1, newStart: 0, newLines: 0 }, ['-b']]],
        [[{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1 }, ['+c']]],
        [],
      ])
    })

    it('has hunks with three lines around each change', async () => {
      const [file] = await diffOf({ a: text(40) }, { a: text(40, { 5: 'five', 30: 'thirty' }) })
      expect(file?.hunks.map(({ lines: all, ...ranges }) => [ranges, all.length])).toEqual([
        [{ oldStart: 3, oldLines: 7, newStart: 3, newLines: 7 }, 8],
        [{ oldStart: 28, oldLines: 7, newStart: 28, newLines: 7 }, 8],
      ])
      expect(shown(file?.hunks[0]?.lines)).toEqual([
        ' line 2',
        ' line 3',
        ' line 4',
        '-line 5',
        '+five',
        ' line 6',
        ' line 7',
        ' line 8',
      ])
    })

    it('marks the words that changed', async () => {
      const [file] = await diffOf(
        { a: 'The quick brown fox jumps over the dog.\nSame\n' },
        { a: 'The quick red fox leaps over the dog.\nSame\n' },
      )
      const [deleted, added] = file?.hunks[0]?.lines ?? []
      expect(words(deleted)).toBe('The quick [brown] fox [jumps] over the dog.')
      expect(words(added)).toBe('The quick [red] fox [leaps] over the dog.')
    })

    it('ends lines at line feeds only, and keeps carriage returns', async () => {
      const [file] = await diffOf({ a: 'x\u2028y\rz\r\n' }, { a: 'x\u2028y\rZ\r\n' })
      expect(shown(file?.hunks[0]?.lines)).toEqual(['-x\u2028y\rz\r', '+x\u2028y\rZ\r'])
    })

    it('says where a file ends without a line feed', async () => {
      const [file] = await diffOf({ a: 'a' }, { a: 'a\n' })
      expect(file?.hunks[0]?.lines.map(({ kind, unterminated }) => [kind, unterminated])).toEqual([
        ['deleted', true],
        ['added', undefined],
      ])
    })

    it('reads Latin-1', async () => {
      const [file] = await diffOf({ a: Buffer.from('caf\xe9\n', 'latin1') }, { a: Buffer.from('caf\xe8\n', 'latin1') })
      expect(shown(file?.hunks[0]?.lines)).toEqual(['-café', '+cafè'])
    })

    it('shows no lines of binary files', async () => {
      const files = await diffOf({ 'a.png': Buffer.from([0, 1, 2]) }, { 'a.png': Buffer.from([0, 1, 3]) })
      expect(files.map(({ path, binary, hunks }) => [path, binary, hunks])).toEqual([['a.png', true, []]])
    })

    it('of one file is found under either of its names', async () => {
      const { repository, base, branch } = await fork(open, { 'o*d': text(20) }, {}, { 'o*d': null, new: text(20) })
      for (const name of ['new', 'o*d']) {
        const renamed = await repository.diff(base, branch, name)
        expect(renamed.map(({ path, oldPath }) => [path, oldPath])).toEqual([['new', 'o*d']])
      }
      expect(await repository.diff(base, branch, 'o*')).toEqual([])
    })
  })

  describe('the history', () => {
    it('of everything is every commit, newest first', async () => {
      const { repository, commits } = await history(open)
      const entries = await repository.log({ from: commits.at(-1) ?? '', limit: 10 })
      expect(entries.map(({ oid }) => oid)).toEqual(commits.toReversed())
      expect(entries[0]).toMatchObject({ author, message: 'Deploy\n', parents: [commits[3]] })
    })

    it('of a file follows it to its earlier names', async () => {
      const { repository, commits } = await history(open)
      const entries = await repository.log({ from: commits[4] ?? '', path: 'new [é].mdx', limit: 10 })
      expect(entries.map(({ oid, path }) => [commits.indexOf(oid), path])).toEqual([
        [4, 'new [é].mdx'],
        [3, 'new [é].mdx'],
        [2, 'old.mdx'],
        [0, 'old.mdx'],
      ])
    })

    it('comes in pages that neither miss nor repeat a commit', async () => {
      const { repository, commits } = await history(open)
      for (const path of [undefined, 'new [é].mdx']) {
        const whole = await repository.log({ from: commits[4] ?? '', path, limit: 10 })
        const paged: string[] = []
        for (let after: string | undefined; paged.length < 20; after = paged.at(-1)) {
          const page = await repository.log({ from: commits[4] ?? '', path, limit: 2, after })
          if (page.length === 0) break
          paged.push(...page.map(({ oid }) => oid))
        }
        expect(paged).toEqual(whole.map(({ oid }) => oid))
      }
    })

    it('of a file that never was, and after a commit that is not in it, is empty', async () => {
      const { repository, commits } = await history(open)
      expect(await repository.log({ from: commits[4] ?? '', path: 'no', limit: 10 })).toEqual([])
      expect(await repository.log({ from: commits[4] ?? '', limit: 10, after: '1'.repeat(40) })).toEqual([])
    })

    it('of a file takes a path for a path, not for a pattern', async () => {
      const { repository, commits } = await history(open)
      expect(await repository.log({ from: commits[4] ?? '', path: '*', limit: 10 })).toEqual([])
      expect(await repository.log({ from: commits[4] ?? '', path: ':(top)other', limit: 10 })).toEqual([])
    })

    it('of a file shows the saves of a branch that was merged', async () => {
      const repository = await open()
      const first = await commit(repository, { a: lines('1'), b: '1' })
      const second = await commit(repository, { a: lines('1', '2'), b: '1' }, first)
      const third = await commit(repository, { a: lines('1', '2', '3'), b: '1' }, second)
      const main = await commit(repository, { a: lines('1'), b: '2' }, first)
      const { tree } = await repository.mergeTree(main, third)
      const parents = [main, third]
      const merge = await repository.commitTree({ tree: tree ?? '', parents, author, message: 'Publish' })
      const entries = await repository.log({ from: merge, path: 'a', limit: 10 })
      expect(entries.map(({ oid }) => oid)).toEqual([third, second, first])
      const all = await repository.log({ from: merge, limit: 10 })
      expect(all.map(({ oid }) => oid).sort()).toEqual([merge, main, third, second, first].sort())
      expect([all[0]?.oid, all.at(-1)?.oid]).toEqual([merge, first])
    })
  })
}
