import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Branch, Conflict, Resolution } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { unlimited } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { HeldBuilder } from '#test/support/held-builder.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'

const builder = new HeldBuilder()
let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService(unlimited, { builder })
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
  await desk.deploy({ 'index.md': 'main', 'a.md': 'a', 'b.md': 'b' })
})
afterEach(() => builder.release())

const publish = (
  branch: Branch | null,
  resolutions?: Resolution[],
  headers: Record<string, string> = {},
): Promise<Deploy> =>
  desk.client.call(contract.branches.publish, {
    params: { slug: desk.slug },
    body: {
      ...(branch === null ? {} : { branchId: branch.id }),
      ...(resolutions === undefined ? {} : { resolutions }),
    },
    headers,
  })
const conflictsOf = async (work: Promise<unknown>): Promise<readonly Conflict[]> => {
  const refusal = await refusalOf(work)
  expect(refusal).toMatchObject({ code: 'merge_conflict', status: 409 })
  return refusal.extra['conflicts'] as Conflict[]
}
const heads = (): string => desk.git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads', 'refs/deploys')
/** Both sides have changed `index.md`. */
const quarrel = async (name = 'quarrel'): Promise<Branch> => {
  const branch = await desk.branch(name)
  await desk.save(branch, 'index.md', 'branch')
  await desk.deploy({ 'index.md': 'newer main', 'a.md': 'a', 'b.md': 'b' })
  return branch
}

describe('publishing a branch', () => {
  it('joins both histories, goes live and deletes the branch in one step', async () => {
    const branch = await desk.branch('work')
    await desk.save(branch, 'a.md', 'A')
    const { head } = await desk.read(branch)
    const { commit: main } = await desk.deploy({ 'index.md': 'main', 'a.md': 'a', 'b.md': 'B' })
    const deploy = await publish(branch)
    expect(deploy).toMatchObject({ kind: 'publish', branch: 'work', status: 'live', number: 3 })
    expect(deploy.mergeCommit).toBe(deploy.commit)
    expect(desk.git('log', '-1', '--format=%P|%s|%an', 'main')).toBe(`${main} ${head}|Publish work|test`)
    expect(desk.git('rev-parse', 'refs/deploys/3')).toBe(deploy.commit)
    expect((await desk.site('/a.md')).text).toBe('A')
    expect((await desk.site('/b.md')).text).toBe('B')
    expect(await desk.list()).toEqual([])
    expect((await desk.preview(branch, '/a.md')).status).toBe(404)
    expect((await refusalOf(publish(branch))).code).toBe('not_found')
  })

  it('refuses conflicts with the texts of both sides and keeps the branch, until they are settled', async () => {
    const branch = await quarrel()
    const before = heads()
    const conflicts = await conflictsOf(publish(branch))
    expect(conflicts).toEqual([
      {
        path: 'index.md',
        type: 'content',
        base: 'main',
        main: 'newer main',
        branch: 'branch',
        oids: { base: expect.any(String), main: expect.any(String), branch: expect.any(String) },
      },
    ])
    expect(heads()).toBe(before)
    expect((await desk.read(branch)).name).toBe('quarrel')
    expect((await desk.site('/index.md')).text).toBe('newer main')
    const deploys = await desk.client.call(contract.deploys.list, { params: { slug: desk.slug }, query: {} })
    expect(deploys.items).toHaveLength(2)
    await publish(branch, [{ path: 'index.md', content: 'both' }])
    expect((await desk.site('/index.md')).text).toBe('both')
  })

  it('refuses a decision about a file without conflict, and leaves out texts of binary files', async () => {
    const branch = await desk.branch('binary')
    const save = (bytes: number[]) =>
      desk.client.call(contract.branches.saveFile, {
        params: { slug: desk.slug, id: branch.id, path: 'index.md' },
        body: { content: Buffer.from(bytes).toString('base64'), encoding: 'base64' },
        headers: { 'if-match': '*' },
      })
    await save([0, 1, 2])
    await desk.deploy({ 'index.md': 'newer main', 'a.md': 'a', 'b.md': 'b' })
    const [conflict] = await conflictsOf(publish(branch))
    expect(conflict).toMatchObject({ type: 'binary', omitted: 'binary' })
    expect(conflict).not.toHaveProperty('main')
    const resolutions: Resolution[] = [
      { path: 'index.md', use: 'main' },
      { path: 'a.md', use: 'main' },
    ]
    expect((await refusalOf(publish(branch, resolutions))).code).toBe('invalid_request')
  })
})

describe('publishing without a branch', () => {
  it('publishes main again', async () => {
    const main = desk.git('rev-parse', 'main')
    expect(await publish(null)).toMatchObject({ kind: 'publish', status: 'live', number: 2, commit: main })
    expect(desk.git('rev-parse', 'main')).toBe(main)
    const bare = await fetch(`${service.url}/api/projects/${desk.slug}/publish`, {
      method: 'POST',
      headers: { authorization: `Bearer ${desk.key}` },
    })
    expect(bare.status).toBe(201)
  })
})
