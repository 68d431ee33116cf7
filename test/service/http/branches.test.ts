import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

describe('a branch', () => {
  it('of another project cannot be told from one that is not there', async () => {
    await desk.deploy({ 'a.md': 'a' })
    const branch = await desk.branch('private')
    const other = await openDesk(service)
    await other.deploy({ 'a.md': 'a' })
    expect((await refusalOf(other.read(branch))).code).toBe('not_found')
    expect((await refusalOf(other.publish(branch))).code).toBe('not_found')
  })

  it('made or deleted by git behind the service’s back is found and forgotten', async () => {
    await desk.deploy({ 'a.md': 'a' })
    desk.git('update-ref', 'refs/heads/from-git', 'refs/heads/main')
    const [found] = await desk.list()
    expect(found).toMatchObject({ name: 'from-git' })
    expect((await desk.list()).map(({ id }) => id)).toEqual([found?.id])
    desk.git('update-ref', '-d', 'refs/heads/from-git')
    expect(await desk.list()).toEqual([])
    expect((await refusalOf(desk.read({ id: found?.id ?? '' }))).code).toBe('not_found')
  })
})
