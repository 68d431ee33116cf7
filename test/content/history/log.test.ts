import { describe, expect, it } from 'vitest'
import { Workshop } from '../workshop.ts'

const text = (...lines: string[]) => [...lines, ...Array.from({ length: 20 }, (_, index) => `line ${index}`)].join('\n')

async function history(): Promise<{ workshop: Workshop; commits: readonly string[] }> {
  const workshop = await Workshop.open()
  const commits = [
    await workshop.commit({ 'old.mdx': text('1'), other: '1' }),
    await workshop.commit({ other: '2' }),
    await workshop.commit({ 'old.mdx': text('1', '2') }),
    await workshop.commit({ 'old.mdx': null, 'new [é].mdx': text('1', '2') }),
    await workshop.commit({ 'new [é].mdx': text('1', '2', '3') }),
  ]
  await workshop.send('main')
  return { workshop, commits }
}

describe('the history', () => {
  it('of everything is every commit, newest first', async () => {
    const { workshop, commits } = await history()
    const from = commits.at(-1) ?? ''
    const entries = await workshop.repository.log({ from, limit: 10 })
    expect(entries.map(({ oid }) => oid)).toEqual(commits.toReversed())
    expect(entries[0]).toMatchObject({ author: { name: 'Ada' }, message: 'Change\n', parents: [commits[3]] })
  })

  it('of a file follows it to its earlier names', async () => {
    const { workshop, commits } = await history()
    const entries = await workshop.repository.log({ from: commits[4] ?? '', path: 'new [é].mdx', limit: 10 })
    expect(entries.map(({ oid, path }) => [commits.indexOf(oid), path])).toEqual([
      [4, 'new [é].mdx'],
      [3, 'new [é].mdx'],
      [2, 'old.mdx'],
      [0, 'old.mdx'],
    ])
  })

  it('comes in pages that neither miss nor repeat a commit', async () => {
    const { workshop, commits } = await history()
    for (const path of [undefined, 'new [é].mdx']) {
      const whole = await workshop.repository.log({ from: commits[4] ?? '', path, limit: 10 })
      const paged: string[] = []
      for (let after: string | undefined; paged.length < 20; after = paged.at(-1)) {
        const page = await workshop.repository.log({ from: commits[4] ?? '', path, limit: 2, after })
        if (page.length === 0) break
        paged.push(...page.map(({ oid }) => oid))
      }
      expect(paged).toEqual(whole.map(({ oid }) => oid))
    }
  })

  it('of a file that never was is empty', async () => {
    const { workshop, commits } = await history()
    expect(await workshop.repository.log({ from: commits[4] ?? '', path: 'no', limit: 10 })).toEqual([])
  })

  it('of a file takes a path for a path, not for a pattern', async () => {
    const { workshop, commits } = await history()
    expect(await workshop.repository.log({ from: commits[4] ?? '', path: '*', limit: 10 })).toEqual([])
    expect(await workshop.repository.log({ from: commits[4] ?? '', path: ':(top)other', limit: 10 })).toEqual([])
  })

  it('of a file shows the saves of a branch that was merged', async () => {
    const workshop = await Workshop.open()
    const first = await workshop.commit({ a: text('1'), b: '1' })
    await workshop.git('checkout', '-q', '-b', 'work')
    const second = await workshop.commit({ a: text('1', '2') })
    const third = await workshop.commit({ a: text('1', '2', '3') })
    await workshop.git('checkout', '-q', 'main')
    await workshop.commit({ b: '2' })
    await workshop.git('merge', '-q', '--no-edit', 'work')
    await workshop.send('main')
    const entries = await workshop.repository.log({ from: await workshop.head(), path: 'a', limit: 10 })
    expect(entries.map(({ oid }) => oid)).toEqual([third, second, first])
  })
})
