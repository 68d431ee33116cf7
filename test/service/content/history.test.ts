import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { markHunks } from '#content/history.ts'
import type { DiffLine, FileDiff } from '#content/repository.ts'
import { describeInDepth } from '#test/support/depth.ts'
import { shown, words } from '#test/support/content/contract/history.ts'
import { text } from '#test/support/content/contract/support.ts'
import { git, newRepository } from '#test/support/content/support.ts'
import { fork, type Edits } from '#test/support/content/workshop.ts'

async function diffOf(before: Edits, after: Edits): Promise<readonly FileDiff[]> {
  const { repository, base, branch } = await fork(before, {}, after)
  return repository.diff(base, branch)
}

describe('a diff', () => {
  it('names what was added, modified, deleted and renamed', async () => {
    const files = await diffOf(
      { a: 'a\n', b: 'b\n', old: text(20) },
      { a: 'A\n', b: null, c: 'c\n', old: null, 'new name é': text(20, { 3: 'edited' }) },
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
    expect(shown(files[3]?.hunks[0]?.lines)).toContain('+edited')
  })

  it('marks the words of a paragraph that was wrapped anew', async () => {
    const [file] = await diffOf(
      { a: 'one two three four\nfive six seven\n' },
      { a: 'one two three\nfour five SIX seven\n' },
    )
    const lines = file?.hunks[0]?.lines ?? []
    for (const line of lines) expect((line.words ?? []).map((word) => word.text).join('')).toBe(line.text)
    expect(words(lines[3])).toContain('[SIX]')
    expect(words(lines[3])).toContain('seven')
  })

  it('leaves lines whole that have little in common', async () => {
    const [file] = await diffOf({ a: 'alpha beta gamma\n' }, { a: 'something else entirely\n' })
    expect(file?.hunks[0]?.lines.map((line) => line.words)).toEqual([undefined, undefined])
  })

  it('reads lines that look like headers as lines', async () => {
    const tricky = 'diff --git a/x b/x\n@@ -1 +1 @@\n--- a\n+++ b\nBinary files a and b differ\n'
    const files = await diffOf({ a: tricky, b: '1\n' }, { a: tricky.toUpperCase(), b: '2\n' })
    expect(files.map(({ hunks }) => hunks.length)).toEqual([1, 1])
    expect(shown(files[0]?.hunks[0]?.lines)).toContain(' @@ -1 +1 @@')
    expect(shown(files[0]?.hunks[0]?.lines)).toEqual(expect.arrayContaining(['---- a', '+--- A']))
  })

  it('shows no lines of binary files, nor of a change of mode', async () => {
    const files = await diffOf(
      { 'a.png': Buffer.from([0, 1, 2]), run: 'x\n' },
      { 'a.png': Buffer.from([0, 1, 3]), run: { executable: 'x\n' } },
    )
    expect(files.map(({ path, binary, hunks, after }) => [path, binary, hunks, after?.mode])).toEqual([
      ['a.png', true, [], '100644'],
      ['run', false, [], '100755'],
    ])
  })

  it('names every file of a change that is too large to show, and the lines of one file alone', async () => {
    const large = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`f${index}`, `${index} ${'0123456789 '.repeat(90)}\n`.repeat(1000)]),
    )
    const { repository, base, branch } = await fork({ 'o*d': text(20) }, {}, { ...large, 'o*d': null, new: text(21) })
    const files = await repository.diff(base, branch)
    expect(files.map(({ path }) => path)).toEqual([...Object.keys(large), 'new'])
    expect(files[0]?.hunks[0]?.newLines).toBe(1000)
    expect(files[7]).toMatchObject({ truncated: true, binary: false, hunks: [] })
    const [last] = await repository.diff(base, branch, 'f7')
    expect(last).toMatchObject({ path: 'f7', truncated: false })
    expect(last?.hunks[0]?.newLines).toBe(1000)
    for (const name of ['new', 'o*d']) {
      const renamed = await repository.diff(base, branch, name)
      expect(renamed.map(({ path, oldPath, hunks }) => [path, oldPath, hunks.length])).toEqual([['new', 'o*d', 1]])
    }
    expect(await repository.diff(base, branch, 'f*')).toEqual([])
  })

  it('leaves out the lines of a file that has more than people read, and shows those of the others', async () => {
    const many = (odd: string) => Array.from({ length: 60_000 }, (_, index) => (index % 7 ? 'a' : odd)).join('\n')
    const files = await diffOf({ a: '1\n', many: many('b'), z: '1\n' }, { a: '2\n', many: many('c'), z: '2\n' })
    expect(files.map(({ path, truncated, hunks }) => [path, truncated, hunks.length])).toEqual([
      ['a', false, 1],
      ['many', true, 0],
      ['z', false, 1],
    ])
  })

  it('of thousands of places keeps nobody else waiting', async () => {
    const lines: DiffLine[] = [
      { kind: 'deleted', text: 'word one' },
      { kind: 'added', text: 'word two' },
    ]
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines }
    let turns = 0
    const counting = setInterval(() => (turns += 1))
    const marked = await markHunks(Array.from({ length: 5000 }, () => hunk)).finally(() => clearInterval(counting))
    expect(words(marked.at(-1)?.lines[1])).toBe('word [two]')
    expect(turns).toBeGreaterThan(1)
  })
})

describeInDepth('a log of very many commits', () => {
  it('takes the service little more for a later page than for the first', async () => {
    const repository = await newRepository()
    const main = 'refs/heads/main'
    const commits = Array.from(
      { length: 15_000 },
      (_, index) => `commit ${main}\ncommitter Ada <ada@example.com> ${1_700_000_000 + index} +0000\ndata 1\nm\n`,
    )
    const environment = { ...process.env, GIT_DIR: repository.directory }
    execFileSync('git', ['fast-import', '--quiet'], { input: commits.join(''), env: environment })
    const from = (await repository.resolveRef(main)) ?? ''
    const after = await git(repository.directory, 'rev-parse', `${main}~7500`)
    const used = async (request: object): Promise<number> => {
      const before = process.cpuUsage()
      expect(await repository.log({ from, limit: 50, ...request })).toHaveLength(50)
      const { user, system } = process.cpuUsage(before)
      return user + system
    }
    const figures = { first: Infinity, later: Infinity }
    for (let time = 0; time < 4; time++) {
      figures.first = Math.min(figures.first, await used({}))
      figures.later = Math.min(figures.later, await used({ after }))
    }
    // Threefold: the ids of all commits are read, in a few large pieces. One by one they take five times as long.
    expect(figures.later).toBeLessThan(3 * figures.first)
  })
})
