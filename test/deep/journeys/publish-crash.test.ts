import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { failpoints, type FailpointName } from '#deploying/ports.ts'
import { deskOf, type Desk } from '#test/support/branching/support.ts'
import { commitFiles } from '#test/support/developer.ts'
import { dyingGit, type DyingGit } from '#test/support/dying-git.ts'
import { FailingService } from '#test/support/failing-service.ts'
import { git, gitSays } from '#test/support/git-service.ts'
import { createProject, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory, temporaryDirectory } from '#test/support/temporary.ts'

/** From here on the publish has happened, though nobody was told. */
const happened: ReadonlySet<FailpointName> = new Set(['after-refs', 'after-point'])

let desk: Desk

/** What git may have done of a publish when it is killed while it moves the refs, and the locks that it leaves. */
const parts: Readonly<Record<string, { readonly moved: readonly ('deploy' | 'main')[]; readonly locks: string[] }>> = {
  'before the first ref': { moved: [], locks: ['refs/deploys/2', 'refs/heads/main', 'refs/heads/work', 'packed-refs'] },
  'before main': { moved: ['deploy'], locks: ['refs/heads/main', 'refs/heads/work', 'packed-refs', 'HEAD'] },
  "before the deploy's own ref": { moved: ['main'], locks: ['refs/deploys/2', 'refs/heads/work', 'packed-refs'] },
  'before the branch goes': { moved: ['deploy', 'main'], locks: ['refs/heads/work', 'packed-refs'] },
}

/** Refs, records and what readers get are of one mind; nothing is locked; Git is sound. */
async function assertSound(): Promise<void> {
  const { items } = await desk.client.call(contract.deploys.list, { params: { slug: desk.slug }, query: {} })
  expect(items.filter(({ status }) => status === 'building')).toEqual([])
  const live = items.find(({ status }) => status === 'live')
  expect(desk.git('rev-parse', 'refs/heads/main')).toBe(live?.commit)
  const text = desk.git('show', 'main:index.mdx').replace(/^# /, '')
  expect((await desk.site('/')).text).toContain(`>${text}<`)
  const names = desk.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
  expect((await desk.list()).map(({ name }) => name).sort()).toEqual(names.filter((name) => name !== 'main').sort())
  expect(desk.git('fsck', '--full', '--strict', '--no-dangling')).toBe('')
}

describe('kill -9 during a publish', () => {
  let failing: FailingService

  beforeAll(async () => {
    failing = await FailingService.start()
  })
  afterAll(() => failing.close())

  it.each(failpoints)('%s leaves the branch as it is or published, never half', async (failpoint) => {
    desk = deskOf(failing, await createProject(failing.url, `crash-${failpoint}`))
    await desk.deploy({ 'index.mdx': '# Main' })
    const branch = await desk.branch('work')
    const saved = await desk.save(branch, 'index.mdx', '# Branch')
    await desk.previewed(branch)
    const headers = { 'idempotency-key': 'the-key' }

    await failing.killAt(failpoint, () => desk.publish(branch, headers))
    await assertSound()
    if (happened.has(failpoint)) {
      expect(await desk.list()).toEqual([])
      expect((await desk.preview(branch, '/')).status).toBe(404)
    } else {
      expect((await desk.read(branch)).head).toBe(saved.commit)
      expect((await desk.preview(branch, '/')).text).toContain('>Branch<')
    }

    // The client repeats the request that got no answer: the branch is published once.
    const repeated = await desk.publish(branch, headers)
    expect(repeated).toMatchObject({ status: 'live', kind: 'publish', branch: 'work' })
    await assertSound()
    expect((await desk.site('/')).text).toContain('>Branch<')
    expect(desk.git('rev-list', '--merges', '--count', 'main')).toBe('1')
    expect(await desk.list()).toEqual([])
  })
})

describe('kill -9 while git moves the refs of a publish', () => {
  let failing: FailingService

  beforeAll(async () => {
    failing = await FailingService.start()
  })
  afterAll(() => failing.close())

  it.each(Object.entries(parts))('%s publishes once or not at all', async (name, { moved, locks }) => {
    desk = deskOf(failing, await createProject(failing.url, `refs-${Object.keys(parts).indexOf(name)}`))
    await desk.deploy({ 'index.mdx': '# Main' })
    const branch = await desk.branch('work')
    await desk.save(branch, 'index.mdx', '# Branch')
    await desk.previewed(branch)
    const headers = { 'idempotency-key': 'the-key' }
    const refs = { deploy: 'refs/deploys/2', main: 'refs/heads/main' }
    await failing.killAt(
      'after-release',
      () => desk.publish(branch, headers),
      () => {
        const [, merge = ''] = /^unreachable commit ([0-9a-f]{40})$/m.exec(desk.git('fsck', '--unreachable')) ?? []
        for (const ref of moved) desk.git('update-ref', refs[ref], merge)
        for (const lock of locks) writeFileSync(join(desk.directory, `${desk.slug}.git`, `${lock}.lock`), '')
      },
    )
    await assertSound()
    const published = moved.length > 0
    expect((await desk.site('/')).text).toContain(published ? '>Branch<' : '>Main<')
    expect((await desk.list()).map((other) => other.name)).toEqual(published ? [] : ['work'])
    expect(await desk.publish(branch, headers)).toMatchObject({ status: 'live', kind: 'publish', branch: 'work' })
    await assertSound()
    expect(desk.git('rev-list', '--merges', '--count', 'main')).toBe('1')
    await desk.deploy({ 'index.mdx': '# Next' })
    await assertSound()
  })
})

describe('kill -9 while git moves the refs of an atomic push', () => {
  let directory: string
  let programs: string
  let dying: DyingGit
  let service: ServiceProcess

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-crash-'))
    programs = await mkdtemp(join(tmpdir(), 'quire-git-'))
    dying = await dyingGit({}, programs)
    service = await startService(directory, { PATH: dying.path })
  })
  afterAll(async () => {
    await service.stop()
    await removeDirectory(directory)
    await removeDirectory(programs)
  })

  const cases = [true, false].flatMap((withMain) => [-1, 0, 1, 3].map((moves) => ({ withMain, moves })))

  it.each(cases)('after %o moves all of them or none', async ({ withMain, moves }) => {
    const project = await createProject(service.url, `atomic-${withMain ? 'main' : 'others'}-${moves + 1}`)
    desk = deskOf({ port: service.port, directory }, project)
    await desk.deploy({ 'index.mdx': '# Main' })
    await desk.branch('old')
    const clone = join(await temporaryDirectory(), 'clone')
    const url = `http://me:${project.key}@localhost:${service.port}/git/${desk.slug}.git`
    await git(directory, 'clone', '--quiet', url, clone)
    const before = desk.git('for-each-ref')
    const next = await commitFiles(clone, { 'index.mdx': '# Next' })
    const refs = ['HEAD:refs/heads/new', ':old', 'HEAD:refs/tags/v1', ...(withMain ? ['HEAD:main'] : [])]

    const ended = once(service.child, 'exit')
    // The process that has moved refs so far does not trust what it remembers of packed ones, and another begins.
    desk.git('pack-refs')
    await dying.killBothAfter(moves)
    expect((await gitSays(clone, 'push', '--atomic', 'origin', ...refs)).ok).toBe(false)
    await ended
    expect(dying.died()).toBe(true)
    service = await startService(directory, { PATH: dying.path }, service.port)

    const names = (await desk.list()).map(({ name }) => name)
    if (moves > 0) {
      expect(names).toEqual(['new'])
      for (const ref of ['refs/heads/new', 'refs/tags/v1']) expect(desk.git('rev-parse', ref)).toBe(next)
    } else {
      expect(names).toEqual(['old'])
      expect(desk.git('for-each-ref')).toBe(before)
    }
    await assertSound()
    expect((await desk.site('/')).text).toContain(withMain && moves > 0 ? '>Next<' : '>Main<')
    // Whoever got no answer pushes again.
    await git(clone, 'fetch', '--quiet', '--prune', 'origin')
    if (moves <= 0) expect((await gitSays(clone, 'push', '--atomic', 'origin', ...refs)).ok).toBe(true)
    expect((await desk.list()).map(({ name }) => name)).toEqual(['new'])
    await assertSound()
  })
})

describe('kill -9 during saves', () => {
  let directory: string
  let service: ServiceProcess

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-crash-'))
    service = await startService(directory)
    const project = await createProject(service.url, 'crash')
    desk = deskOf({ port: service.port, directory }, project)
  })
  afterEach(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  it('keeps every save that was acknowledged, and previews catch up', async () => {
    const { port } = service
    await desk.deploy({ 'index.mdx': '# Main' })
    const branch = await desk.branch('work')
    const acknowledged: string[] = []
    for (let round = 0; round < 4; round++) {
      let alive = true
      const writers = Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; alive; n++) {
          const path = `r${round}/w${writer}-${n}.txt`
          try {
            await desk.save(branch, path, path, {})
            acknowledged.push(path)
          } catch {
            alive = false
          }
        }
      })
      const before = acknowledged.length
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before)
      await sleep(150 + round * 60)
      await service.kill()
      await Promise.all(writers)
      service = await startService(directory, {}, port)
      const files = new Set(desk.git('ls-tree', '-r', '--name-only', 'work').split('\n'))
      expect(acknowledged.filter((path) => !files.has(path))).toEqual([])
      await assertSound()
    }
    const shown = await desk.previewed(branch)
    expect(shown.preview).toMatchObject({ status: 'live', served: shown.head })
    const last = acknowledged.at(-1) ?? ''
    expect((await desk.preview(shown, `/${last}`)).text).toBe(last)
  })
})
