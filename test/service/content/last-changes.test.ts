import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { BareRepository } from '#content/repository.ts'
import { newRepository } from '#test/support/content/support.ts'

/** Makes commits, each with its time and the files that it writes; `from` names the parents by position. */
function history(
  { directory }: BareRepository,
  commits: readonly {
    readonly at: number
    readonly from?: readonly number[]
    readonly files: Readonly<Record<string, string>>
  }[],
): string {
  let stream = ''
  for (const [index, { at, from = index === 0 ? [] : [index], files }] of commits.entries()) {
    stream += `commit refs/heads/made\nmark :${index + 1}\ncommitter A <a@example.com> ${at} +0000\ndata 1\nx\n`
    const [first, ...others] = from
    if (first !== undefined) stream += `from :${first}\n${others.map((other) => `merge :${other}\n`).join('')}`
    for (const [path, text] of Object.entries(files))
      stream += `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`
    stream += '\n'
  }
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: directory, input: stream })
  return execFileSync('git', ['rev-parse', 'refs/heads/made'], { cwd: directory, encoding: 'utf8' }).trim()
}

describe('the last changes of files', () => {
  it('are when the newest commits wrote them, in a merge also what neither side had', async () => {
    const repository = await newRepository()
    const head = history(repository, [
      { at: 1000, files: { 'a.md': '1', 'b é.md': '1', 'c.md': '1', 'd.md': '1' } },
      { at: 2000, files: { 'a.md': '2' } },
      { at: 3000, from: [1], files: { 'b é.md': '2' } },
      { at: 4000, from: [2, 3], files: { 'b é.md': '2', 'c.md': 'merged' } },
      { at: 5000, files: { other: '1' } },
    ])
    const times = await repository.lastChanges(head, ['a.md', 'b é.md', 'c.md', 'd.md', 'gone.md'])
    expect(Object.fromEntries(times)).toEqual({ 'a.md': 2000, 'b é.md': 3000, 'c.md': 4000, 'd.md': 1000 })
  })

  it('are found behind many commits, and never in the future', async () => {
    const repository = await newRepository()
    const others = Array.from({ length: 150 }, (_, index) => ({ at: 2000 + index, files: { other: String(index) } }))
    const head = history(repository, [
      { at: 1000, files: { 'a.md': '1' } },
      ...others,
      { at: 99_999_999_999, files: { 'b.md': '1' } },
    ])
    const times = await repository.lastChanges(head, ['a.md', 'b.md'])
    expect(times.get('a.md')).toBe(1000)
    expect(times.get('b.md')).toBeLessThanOrEqual(Date.now() / 1000)
  })
})
