import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { commitFiles } from '#test/support/developer.ts'
import { inDepth } from '#test/support/depth.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { git, gitSays } from '#test/support/git-service.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService({ DEFAULT_PLAN: 'free' }, { builder: new FakeBuilder(), now: noonClock() })
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

  it('a publish counts as a deploy; refused ones, those that change nothing, and previews do not', async () => {
    const branch = await desk.branch('work')
    for (const text of ['1', '2', '3', '4', '5']) await desk.save(branch, 'index.md', text)
    await desk.save(branch, 'broken.md', 'x')
    for (let n = 0; n < 3; n++) expect((await refusalOf(desk.publish(branch))).code).toBe('build_failed')
    await desk.client.call(contract.branches.removeFile, {
      params: { slug: desk.slug, id: branch.id, path: 'broken.md' },
      headers: { 'if-match': '*' },
    })
    expect(await desk.publish(branch)).toMatchObject({ status: 'live' })
    const again = () => desk.client.call(contract.branches.publish, { params: { slug: desk.slug }, body: {} })
    for (let n = 0; n < 3; n++) expect(await again()).toMatchObject({ status: 'live' })
    const usage = await desk.client.call(contract.usage.read, { params: { slug: desk.slug } })
    expect(usage.deploys.used).toBe(2)
  })

  inDepth(
    'a push to main counts as a deploy, a pushed branch as a generation; a rollback is free, refused pushes move nothing',
    async () => {
      const home = await temporaryDirectory()
      await git(
        home,
        'clone',
        '-q',
        service.url.replace('://', `://me:${desk.key}@`) + `/git/${desk.slug}.git`,
        'clone',
      )
      const clone = join(home, 'clone')
      let pushes = 0
      const push = async (ref: string): Promise<string> => {
        await commitFiles(clone, { 'pushed.md': `${++pushes}` })
        const { ok, text } = await gitSays(clone, 'push', 'origin', `HEAD:refs/heads/${ref}`)
        return ok ? 'pushed' : text
      }
      const counts = async (): Promise<readonly number[]> => {
        const usage = await desk.client.call(contract.usage.read, { params: { slug: desk.slug } })
        return [usage.deploys.used, usage.generations.used]
      }
      const rollback = async (deployId: string) =>
        desk.client.call(contract.deploys.rollback, { params: { slug: desk.slug }, body: { deployId } })

      const { items } = await desk.client.call(contract.deploys.list, { params: { slug: desk.slug }, query: {} })
      expect(await push('one')).toBe('pushed')
      expect(await push('one')).toBe('pushed')
      expect(await counts()).toEqual([1, 1])
      expect(await push('two')).toContain('1 generation a month')
      expect(await push('main')).toBe('pushed')
      expect(await counts()).toEqual([2, 1])
      expect(await rollback(items[0]?.id ?? '')).toMatchObject({ status: 'live', kind: 'rollback' })
      expect(await counts()).toEqual([2, 1])

      const follow = async (): Promise<void> => {
        await git(clone, 'fetch', '-q')
        await git(clone, 'reset', '-q', '--hard', 'origin/main')
      }
      await follow()
      expect(await push('main')).toBe('pushed')
      expect(await rollback(items[0]?.id ?? '')).toMatchObject({ status: 'live' })
      const main = desk.git('rev-parse', 'main')
      await follow()
      expect(await push('main')).toContain('3 deploys a day')
      expect(desk.git('rev-parse', 'main')).toBe(main)
      expect(await counts()).toEqual([3, 1])
    },
  )
})
