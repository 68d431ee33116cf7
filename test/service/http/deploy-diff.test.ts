import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import type { CommitComparison } from '#contract/comparisons.ts'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { unlimited } from '#test/support/service-process.ts'

let service: TestService
let desk: Desk
let first: Deploy
let second: Deploy

beforeAll(async () => {
  service = await startTestService(unlimited, { builder: new FakeBuilder() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
  first = await desk.deploy({ 'a.md': 'one\n', 'b.md': 'same\n' })
  second = await desk.deploy({ 'a.md': 'two\n', 'b.md': 'same\n' })
})

const diff = (id: string, query: { against?: string; path?: string } = {}): Promise<CommitComparison> =>
  desk.client.call(contract.deploys.diff, { params: { slug: desk.slug, id }, query })
const filesOf = ({ files }: CommitComparison): string[] => files.map(({ status, path }) => `${status} ${path}`)
const failed = async (): Promise<string> => String((await refusalOf(desk.deploy({ 'broken.md': 'x' }))).extra['deploy'])

describe('what a deploy changed', () => {
  it('is what differs from the one that was live before, in lines and words', async () => {
    const comparison = await diff(second.id)
    expect(comparison).toMatchObject({ base: first.commit, head: second.commit })
    expect(comparison.files).toMatchObject([
      {
        path: 'a.md',
        status: 'modified',
        hunks: [
          {
            lines: [
              { kind: 'deleted', text: 'one' },
              { kind: 'added', text: 'two' },
            ],
          },
        ],
      },
    ])
  })

  it('is everything for the first one', async () => {
    const comparison = await diff(first.id)
    expect(comparison.base).toBeUndefined()
    expect(filesOf(comparison)).toEqual(['added a.md', 'added b.md'])
  })

  it('passes over deploys that did not go live, and is told of these, too', async () => {
    const broken = await failed()
    const third = await desk.deploy({ 'a.md': 'two\n' })
    expect(await diff(third.id)).toMatchObject({ base: second.commit, files: [{ path: 'b.md', status: 'deleted' }] })
    expect(filesOf(await diff(broken))).toEqual(['deleted a.md', 'deleted b.md', 'added broken.md'])
  })

  it('can be had against any other deploy, older or newer, and of one file', async () => {
    const third = await desk.deploy({ 'a.md': 'two\n', 'b.md': 'other\n' })
    expect(filesOf(await diff(third.id, { against: first.id }))).toEqual(['modified a.md', 'modified b.md'])
    expect(filesOf(await diff(third.id, { against: first.id, path: 'b.md' }))).toEqual(['modified b.md'])
    expect(filesOf(await diff(first.id, { against: third.id }))).toEqual(['modified a.md', 'modified b.md'])
    expect(filesOf(await diff(third.id, { against: third.id }))).toEqual([])
  })

  it('is for a rollback what it took back', async () => {
    const back = await desk.client.call(contract.deploys.rollback, {
      params: { slug: desk.slug },
      body: { deployId: first.id },
    })
    expect(await diff(back.id)).toMatchObject({ base: second.commit, head: back.commit, files: [{ path: 'a.md' }] })
    expect(filesOf(await diff(back.id, { against: first.id }))).toEqual([])
  })

  it('is refused with a reason where a commit is gone, or there is no such deploy', async () => {
    const broken = await failed()
    // As the repository’s maintenance does after a while.
    const { commit = '' } = await desk.client.call(contract.deploys.read, { params: { slug: desk.slug, id: broken } })
    await rm(join(desk.directory, `${desk.slug}.git`, 'objects', commit.slice(0, 2), commit.slice(2)))
    await service.restart()
    for (const question of [diff(broken), diff(second.id, { against: broken })])
      expect(await refusalOf(question)).toMatchObject({
        code: 'not_found',
        message: 'The commit of deploy 3 is no longer kept.',
        hint: expect.stringContaining('that went live') as string,
      })
    expect(await refusalOf(diff('none'))).toMatchObject({ message: 'The project has no deploy none.' })
    expect((await refusalOf(diff(second.id, { against: 'none' }))).code).toBe('not_found')
    const other = await openDesk(service)
    expect(
      (
        await refusalOf(
          other.client.call(contract.deploys.diff, {
            params: { slug: other.slug, id: second.id },
            query: {},
          }),
        )
      ).code,
    ).toBe('not_found')
  })
})

it('a deploy says who wanted it', async () => {
  expect(second.by).toEqual({ kind: 'key', name: 'test' })
  const owner = createClient({ baseUrl: service.url, token: desk.session })
  const back = await owner.call(contract.deploys.rollback, {
    params: { slug: desk.slug },
    body: { deployId: first.id },
  })
  expect(back.by).toEqual({ kind: 'account', name: desk.slug })
})
