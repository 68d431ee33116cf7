import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { FakeBuilder } from '../support/fake-builder.ts'
import { refusalOf } from '../support/refusal.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openDesk, type Desk } from './support.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
  await desk.deploy({ 'index.md': 'main' })
})

describe('on the Free plan', () => {
  it('a branch counts as the month’s generation; what was refused does not', async () => {
    expect((await refusalOf(desk.branch('main'))).code).toBe('invalid_branch_name')
    const branch = await desk.branch('only')
    const refusal = await refusalOf(desk.branch('second'))
    expect(refusal).toMatchObject({ code: 'quota_exceeded', status: 429 })
    expect(refusal.retryAfter).toBeGreaterThan(0)
    expect((await refusalOf(desk.branch('only'))).code).toBe('branch_exists')
    await desk.client.call(contract.branches.remove, { params: { slug: desk.slug }, query: { id: branch.id } })
    expect((await refusalOf(desk.branch('only'))).code).toBe('quota_exceeded')
  })

  it('twenty wishes at once make one branch', async () => {
    const wishes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => desk.branch(`wish-${index}`)))
    expect(wishes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await desk.list()).toHaveLength(1)
  })

  it('a publish counts as a deploy, one that is refused does not, and previews cost nothing', async () => {
    const branch = await desk.branch('work')
    for (const text of ['1', '2', '3', '4', '5']) await desk.save(branch, 'index.md', text)
    await desk.save(branch, 'broken.md', 'x')
    for (let n = 0; n < 3; n++) expect((await refusalOf(desk.publish(branch))).code).toBe('build_failed')
    await desk.client.call(contract.branches.removeFile, {
      params: { slug: desk.slug, id: branch.id, path: 'broken.md' },
    })
    expect(await desk.publish(branch)).toMatchObject({ status: 'live' })
    const again = () => desk.client.call(contract.branches.publish, { params: { slug: desk.slug }, body: {} })
    expect(await again()).toMatchObject({ status: 'live' })
    expect((await refusalOf(again())).code).toBe('quota_exceeded')
  })
})
