import { randomUUID } from 'node:crypto'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { ProjectUsage } from '#contract/usage.ts'
import { sealText } from '#storage/checksum.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'

interface UsageFile {
  meters: Record<string, Record<string, number>>
  held?: Record<string, { meter: string; period: string; amount: number; subject: string }>
}

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder(), now: noonClock() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

const usage = (): Promise<ProjectUsage> => desk.client.call(contract.usage.read, { params: { slug: desk.slug } })

/** Puts the project's use on disk into a state that a crash can leave, and starts the service on it. */
async function restartWith(change: (file: UsageFile) => void): Promise<void> {
  const names = await readdir(service.directory)
  const path = join(service.directory, names.find((name) => name.endsWith(`.${desk.slug}.json`)) ?? '')
  const { sum: _sum, ...file } = JSON.parse(await readFile(path, 'utf8')) as UsageFile & { sum: string }
  change(file)
  await writeFile(path, sealText(JSON.stringify(file)))
  await service.restart()
}

/** The charge of the last one of a meter had not come to disk: it is only held. */
function uncharge(file: UsageFile, meter: 'deploys' | 'generations', subject: string): void {
  const [[period, used] = ['', 0]] = Object.entries(file.meters[meter] ?? {})
  file.meters[meter] = { [period]: used - 1 }
  file.held = { [randomUUID()]: { meter, period, amount: 1, subject } }
}

describe('a crash', () => {
  it('between the pointer and the charge: the deploy is charged, once', async () => {
    await desk.deploy({ 'a.md': '1' })
    const { id } = await desk.deploy({ 'a.md': '2' })
    await restartWith((file) => uncharge(file, 'deploys', `deploys ${id}`))
    expect((await usage()).deploys).toMatchObject({ used: 2, remaining: 1 })
    await service.restart()
    expect((await usage()).deploys).toMatchObject({ used: 2, remaining: 1 })
    await desk.deploy({ 'a.md': '3' })
    expect((await refusalOf(desk.deploy({ 'a.md': '4' }))).code).toBe('quota_exceeded')
  })

  it('of a deploy that never was: the reservation is given back', async () => {
    await desk.deploy({ 'a.md': '1' })
    await restartWith((file) => uncharge(file, 'deploys', 'deploys 0000000000nobody'))
    expect((await usage()).deploys).toMatchObject({ used: 0, remaining: 3 })
  })

  it('between a branch and its charge: the branch is charged, once', async () => {
    await desk.deploy({ 'a.md': '1' })
    await desk.branch('only')
    await restartWith((file) => uncharge(file, 'generations', 'branches only'))
    await service.restart()
    expect((await usage()).generations).toMatchObject({ used: 1, remaining: 0 })
  })

  it('before the branch was there: the generation can be used', async () => {
    await desk.deploy({ 'a.md': '1' })
    await desk.branch('only')
    await restartWith((file) => uncharge(file, 'generations', 'branches other'))
    expect((await usage()).generations).toMatchObject({ used: 0, remaining: 1 })
    await desk.branch('other')
  })
})

describe('removing a project and making it anew', () => {
  it('does not bring the allowance back', async () => {
    await desk.deploy({ 'a.md': '1' })
    await desk.branch('only')
    const owner = createClient({ baseUrl: service.url, token: desk.session })
    const params = { slug: desk.slug }
    await owner.call(contract.projects.remove, { params })
    await owner.call(contract.projects.create, { body: params })
    const again = await owner.call(contract.usage.read, { params })
    expect(again).toMatchObject({ deploys: { used: 1, remaining: 2 }, generations: { used: 1, remaining: 0 } })
    await service.restart()
    expect(await owner.call(contract.usage.read, { params })).toEqual(again)
  })
})
