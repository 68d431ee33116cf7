import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder(), now: noonClock() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

async function counts(): Promise<{ deploys: number; generations: number; held: boolean }> {
  const { deploys, generations } = await desk.client.call(contract.usage.read, { params: { slug: desk.slug } })
  const name = (await readdir(service.directory)).find((file) => file.endsWith(`.${desk.slug}.json`))
  const text = name === undefined ? '' : await readFile(join(service.directory, name), 'utf8')
  return { deploys: deploys.used, generations: generations.used, held: text.includes('"held"') }
}

const post = (files: { path: string; content?: string; oid?: string }[]) =>
  desk.client.call(contract.deploys.create, { body: { files } })
const publish = (branchId: string) =>
  desk.client.call(contract.branches.publish, { params: { slug: desk.slug }, body: { branchId } })
const rollback = (deployId: string) =>
  desk.client.call(contract.deploys.rollback, { params: { slug: desk.slug }, body: { deployId } })

describe('what came to nothing', () => {
  it('costs no deploy, whatever it failed of and however often', async () => {
    const refused: [string, () => Promise<unknown>][] = [
      ['build_failed', () => post([{ path: 'broken.md', content: 'x' }])],
      ['missing_objects', () => post([{ path: 'a.md', oid: 'f'.repeat(40) }])],
      ['invalid_path', () => post([{ path: '../a.md', content: 'x' }])],
      ['not_found', () => rollback('none')],
      ['not_found', () => publish('none')],
    ]
    for (let times = 0; times < 4; times++)
      for (const [code, attempt] of refused) expect((await refusalOf(attempt())).code).toBe(code)
    expect(await counts()).toEqual({ deploys: 0, generations: 0, held: false })
  })

  it('costs no deploy when others are in the way', async () => {
    const tries = await Promise.allSettled(
      Array.from({ length: 64 }, (_, index) => post([{ path: 'a.md', content: `${index}` }])),
    )
    const live = tries.filter(({ status }) => status === 'fulfilled').length
    expect(live).toBeGreaterThan(0)
    expect(await counts()).toEqual({ deploys: live, generations: 0, held: false })
  })

  it('costs no deploy when it is live already, also with none left', async () => {
    for (const text of ['1', '2', '3']) await post([{ path: 'a.md', content: text }])
    expect(await post([{ path: 'a.md', content: '3' }])).toMatchObject({ number: 4, status: 'live' })
    const { items } = await desk.client.call(contract.files.list, { params: { slug: desk.slug } })
    expect(await post(items.map(({ path, oid }) => ({ path, oid })))).toMatchObject({ number: 5, status: 'live' })
    await service.restart()
    expect(await post([{ path: 'a.md', content: '3' }])).toMatchObject({ number: 6, status: 'live' })
    for (const refused of [
      [{ path: 'a.md', content: '4' }],
      // Nobody sends content that the plan does not take.
      [{ path: 'a.md', oid: 'f'.repeat(40) }],
      [{ path: 'broken.md', content: '' }],
    ])
      expect((await refusalOf(post(refused))).code).toBe('quota_exceeded')
    expect(await counts()).toEqual({ deploys: 3, generations: 0, held: false })
  })

  it('costs no generation when the branch cannot be', async () => {
    await desk.deploy({ 'a.md': '1' })
    for (let times = 0; times < 4; times++) {
      expect((await refusalOf(desk.branch('main'))).code).toBe('invalid_branch_name')
      expect((await refusalOf(desk.branch('fine', 'nothing-there'))).code).toBe('not_found')
    }
    expect(await counts()).toEqual({ deploys: 1, generations: 0, held: false })
    await desk.branch('fine')
    expect(await counts()).toEqual({ deploys: 1, generations: 1, held: false })
  })
})
