import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Deploy, DeployEvent, DeployFile, DeployStatus } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const builder = new FakeBuilder()
let service: TestService
let project: ProjectAccess

beforeAll(async () => {
  service = await startTestService({}, { builder })
})
afterAll(() => service.close())

const newProject = async (): Promise<ProjectAccess> => createProject(service.url, `p${randomUUID().slice(0, 8)}`)

const deploy = (
  files: Record<string, string> | DeployFile[],
  headers: Record<string, string> = {},
): Promise<Deploy> => {
  const list = Array.isArray(files) ? files : Object.entries(files).map(([path, content]) => ({ path, content }))
  return project.client.call(contract.deploys.create, { body: { files: list }, headers })
}
const git = (...args: string[]): string =>
  execFileSync('git', ['--git-dir', join(service.directory, `${project.slug}.git`), ...args], {
    encoding: 'utf8',
  }).trim()
const live = async (): Promise<Deploy | undefined> =>
  (await project.client.call(contract.projects.read, { params: { slug: project.slug } })).live
const params = (id: string) => ({ slug: project.slug, id })

describe('a deploy', () => {
  beforeAll(async () => {
    project = await newProject()
  })

  it('goes live: main, its own ref, the pointer and the record agree', async () => {
    const first = await deploy({ 'index.md': 'one', 'odd.md': 'odd' })
    expect(first).toMatchObject({ number: 1, status: 'live', kind: 'deploy', counts: { errors: 0, warnings: 1 } })
    expect(Object.keys(first.stages).sort()).toEqual(['build', 'commit', 'point', 'receive', 'release'])
    expect(git('rev-parse', 'refs/heads/main')).toBe(first.commit)
    expect(git('rev-parse', 'refs/deploys/1')).toBe(first.commit)
    expect(git('show', 'main:index.md')).toBe('one')
    expect(await live()).toMatchObject({ id: first.id })
    expect(await project.client.call(contract.deploys.read, { params: params(first.id) })).toMatchObject({
      status: 'live',
      warnings: [{ path: 'odd.md', line: 1 }],
    })
  })

  it('is found by its state', async () => {
    const list = (status: DeployStatus) =>
      project.client.call(contract.deploys.list, { params: { slug: project.slug }, query: { status } })
    await refusalOf(deploy({ 'broken.md': '' }))
    expect((await list('live')).items.map(({ number }) => number)).toEqual([1])
    expect((await list('failed')).items.map(({ number }) => number)).toEqual([2])
    expect((await list('superseded')).items).toEqual([])
  })

  it('that does not build moves nothing and says where', async () => {
    const before = { main: git('rev-parse', 'main'), live: await live(), refs: git('for-each-ref') }
    const failure = await refusalOf(deploy({ 'broken.md': 'x' }))
    expect(failure).toMatchObject({
      code: 'build_failed',
      errors: [{ path: 'broken.md', line: 3, column: 7, frame: '> 3 | broken' }],
    })
    expect({ main: git('rev-parse', 'main'), live: await live(), refs: git('for-each-ref') }).toEqual(before)
    const id = String(failure.extra['deploy'])
    const record = await project.client.call(contract.deploys.read, { params: params(id) })
    expect(record).toMatchObject({ status: 'failed', errors: failure.errors })
    const shown = await project.client.call(contract.projects.read, { params: { slug: project.slug } })
    expect(shown).toMatchObject({ latest: { id, status: 'failed' }, live: { status: 'live' } })
  })

  it('is refused while another one runs, and the other one is not disturbed', async () => {
    const open = builder.hold()
    const running = deploy({ 'index.md': 'slow' })
    await expect.poll(async () => (await recent()).status).toBe('building')
    const failure = await refusalOf(deploy({ 'index.md': 'impatient' }))
    expect(failure.code).toBe('deploy_in_progress')
    expect(failure.retryAfter).toBeGreaterThan(0)
    const removal = project.client.call(contract.projects.remove, { params: { slug: project.slug } })
    expect((await refusalOf(removal)).code).toBe('forbidden')
    const owner = { authorization: `Bearer ${project.session}` }
    const removed = await fetch(`${service.url}/api/projects/${project.slug}`, { method: 'DELETE', headers: owner })
    expect(removed.status).toBe(409)
    open()
    expect(await running).toMatchObject({ status: 'live' })
    expect(await deploy({ 'index.md': 'patient' })).toMatchObject({ status: 'live' })
  })

  it('can be followed from its beginning, also by one who comes late', async () => {
    const open = builder.hold()
    const started = await deploy({ 'index.md': 'watched' }, { prefer: 'respond-async' })
    expect(started.status).toBe('building')
    const events: DeployEvent[] = []
    const stream = project.client.events<DeployEvent>(contract.deploys.events, { params: params(started.id) })
    for await (const event of stream) {
      events.push(event)
      if (event.type === 'progress') open()
    }
    expect(events.filter((event) => event.type === 'stage').map((event) => event.stage)).toEqual([
      'receive',
      'commit',
      'build',
      'release',
      'point',
    ])
    expect(events.at(-1)).toMatchObject({ type: 'done', deploy: { id: started.id, status: 'live' } })
    const late: DeployEvent[] = []
    for await (const event of project.client.events<DeployEvent>(contract.deploys.events, {
      params: params(started.id),
    })) {
      late.push(event)
    }
    expect(late).toMatchObject([{ type: 'done', deploy: { status: 'live' } }])
  })
})

describe('a deploy with wishes', () => {
  beforeAll(async () => {
    project = await newProject()
  })

  it('is refused, and nothing recorded, when main is not what its files were compared with', async () => {
    const before = await deploy({ 'index.md': 'one', 'odd.md': 'odd' })
    const deployOver = (expectedHead: string | null, content: string): Promise<Deploy> =>
      project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content }], expectedHead } })
    for (const head of ['0'.repeat(40), null]) {
      const refusal = await refusalOf(deployOver(head, 'two'))
      expect(refusal).toMatchObject({ code: 'stale_ref', status: 409, extra: { head: before.commit } })
    }
    expect(await live()).toMatchObject({ id: before.id })
    expect(await recent()).toMatchObject({ id: before.id })
    expect(await deployOver(before.commit ?? null, 'two')).toMatchObject({ status: 'live' })
    await deploy({ 'index.md': 'one', 'odd.md': 'odd' })
  })

  it('fails for a warning where it is to be strict, and what was live stays', async () => {
    const before = await live()
    const files = [{ path: 'odd.md', content: 'still odd' }]
    const refusal = await refusalOf(project.client.call(contract.deploys.create, { body: { files, strict: true } }))
    expect(refusal).toMatchObject({ code: 'build_failed', errors: [{ path: 'odd.md', line: 1 }] })
    expect(await live()).toMatchObject({ id: before?.id })
  })

  it('is answered when it has ended, or the time is up, where the client prefers to wait', async () => {
    const ended = await deploy({ 'index.md': 'soon', 'odd.md': 'odd' }, { prefer: 'respond-async, wait=9' })
    expect(ended).toMatchObject({ status: 'live' })
    const broken = await deploy({ 'broken.md': 'x' }, { prefer: 'respond-async; wait=9, wait=9' })
    expect(broken).toMatchObject({ status: 'failed', errors: [{ path: 'broken.md' }] })
    const open = builder.hold()
    const slow = await deploy({ 'index.md': 'late', 'odd.md': 'odd' }, { prefer: 'respond-async, wait=1' })
    expect(slow.status).toBe('building')
    open()
    await expect.poll(async () => (await recent()).status).toBe('live')
    await deploy({ 'index.md': 'one', 'odd.md': 'odd' })
  })
})

const recent = async (): Promise<Deploy> => {
  const { items } = await project.client.call(contract.deploys.list, {
    params: { slug: project.slug },
    query: { limit: 1 },
  })
  const [newest] = items
  if (newest === undefined) throw new Error('no deploy yet')
  return newest
}

describe('removing a project', () => {
  it('leaves nothing, and its slug can be used again', async () => {
    project = await newProject()
    await deploy({ 'a.md': 'old' })
    const owner = { authorization: `Bearer ${project.session}`, 'content-type': 'application/json' }
    const removed = await fetch(`${service.url}/api/projects/${project.slug}`, {
      method: 'DELETE',
      headers: owner,
      body: '{}',
    })
    expect(removed.status).toBe(204)
    // What was used of the plan stays, as removing a project does not bring it back, and whose the slug was.
    const left = (await readdir(service.directory)).filter((name) => name.includes(project.slug))
    expect(left.filter((name) => !/^_(?:usage|former-slug)\./.test(name))).toEqual([])
    expect((await refusalOf(deploy({ 'a.md': 'x' }))).code).toBe('unauthenticated')
    const again = await fetch(`${service.url}/api/projects`, {
      method: 'POST',
      headers: owner,
      body: JSON.stringify({ slug: project.slug }),
    })
    expect(again.status).toBe(201)
    expect(await again.json()).not.toHaveProperty('live')
  })
})
