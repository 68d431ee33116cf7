import { describe, expect, it } from 'vitest'
import { openSample } from '#cli/tui/data/sample/sample.ts'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'

describe('the sample project', () => {
  it('has files of main, and a branch that changes some of them', async () => {
    const sample = await openSample()
    const [project] = (await sample.projects()).value
    const space = sample.project(project?.slug ?? '')
    const [branch] = (await space.branches()).value
    if (branch === undefined) throw new Error('no branch')
    expect(branch.changes).toEqual({ added: 1, modified: 2, deleted: 0 })
    const main = (await space.files('main').list()).value
    const files = (await space.files(branch).list()).value
    expect(files).toHaveLength(main.length + 1)
    expect(files.filter(({ status }) => status !== 'unchanged').map(({ path }) => path)).toEqual([
      'quickstart.mdx',
      'writing/first-page.mdx',
      'writing/math.mdx',
    ])
    for (const { path, oid } of files) expect((await space.files(branch).read(path)).value.oid).toBe(oid)
  })

  it('tells by words what its branch changed', async () => {
    const { client } = await openSample()
    const params = { slug: 'sample', id: 'sample-branch' }
    const { files } = await client.call(contract.branches.diff, { params, query: { path: 'writing/math.mdx' } })
    const lines = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines))
    expect(lines.filter(({ kind }) => kind !== 'context').map(({ kind }) => kind)).toEqual(['deleted', 'added'])
    const words = lines.find(({ kind }) => kind === 'added')?.words ?? []
    const changed = words.filter((word) => word.changed).map(({ text }) => text)
    expect(changed.join('')).toContain('because a dollar sign before a number is no formula')
    expect(changed.join('')).not.toContain('Prices')
    const { items } = await client.call(contract.branches.history, { params, query: { path: 'quickstart.mdx' } })
    expect(items).toHaveLength(2)
    const main = await client.call(contract.files.history, {
      params: { slug: 'sample' },
      query: { path: 'quickstart.mdx' },
    })
    expect(main.items.map(({ message }) => message)).toEqual(['Begin the documentation'])
    const commit = main.items[0]?.oid ?? ''
    const begun = await client.call(contract.files.diff, {
      params: { slug: 'sample' },
      query: { commit, path: 'quickstart.mdx' },
    })
    expect(begun.files.map(({ path, status }) => [path, status])).toEqual([['quickstart.mdx', 'added']])
  })

  it('cannot be changed', async () => {
    const sample = await openSample()
    const { client } = sample
    const files = sample.project('sample').files('main')
    const body = { name: 'mine' }
    for (const work of [
      client.call(contract.branches.create, { params: { slug: 'sample' }, body }),
      files.edit('index.mdx'),
      files.upload('a.png', new Uint8Array(1)),
    ])
      expect(await refusalOf(work)).toMatchObject({ code: 'forbidden', hint: expect.stringContaining('Sign in') })
  })
})
