import { mkdtemp, readFile, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deploy } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { ProjectUsage } from '#contract/usage.ts'
import type { FailpointName } from '#deploying/ports.ts'
import { FailingService } from '#test/support/failing-service.ts'
import {
  createProject,
  startService,
  unlimited,
  type ProjectAccess,
  type ServiceProcess,
} from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'

const wishes = Array.from({ length: 64 }, (_, index) => index)
const free = { ...unlimited, DEFAULT_PLAN: 'free' }

let directory: string
let service: ServiceProcess
let project: ProjectAccess

const params = (): { slug: string } => ({ slug: project.slug })
const post = (text: string): Promise<Deploy> =>
  project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: `# ${text}` }] } })
const branch = (name: string): Promise<unknown> =>
  project.client.call(contract.branches.create, { params: params(), body: { name } })
const usage = (): Promise<ProjectUsage> => project.client.call(contract.usage.read, { params: params() })

/** What there is to be counted: deploys that went live, and branches. */
async function produced(): Promise<{ readonly deploys: number; readonly branches: number }> {
  const deploys = await project.client.call(contract.deploys.list, { params: params(), query: {} })
  const branches = await project.client.call(contract.branches.list, { params: params(), query: {} })
  const live = deploys.items.filter(({ status }) => status === 'live' || status === 'superseded')
  return { deploys: live.length, branches: branches.items.length }
}

/**
 * Deploys as a client does that waits its turn, longer each time; true when it went live, false when the plan had no
 * more.
 */
async function deployInTurn(text: string): Promise<boolean> {
  for (let wait = 20; ; wait = Math.min(2 * wait, 2_000)) {
    try {
      await post(text)
      return true
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code === 'quota_exceeded') return false
      if (error.code !== 'deploy_in_progress') throw error
      await sleep(wait * (0.5 + Math.random()))
    }
  }
}

/** Reservations on disk of the project. */
async function heldOnDisk(): Promise<string[]> {
  const found: string[] = []
  for (const name of await readdir(directory)) {
    if (!name.startsWith('_usage.') || !name.endsWith(`.${project.slug}.json`)) continue
    const file = JSON.parse(await readFile(join(directory, name), 'utf8')) as { held?: Record<string, unknown> }
    found.push(...Object.keys(file.held ?? {}))
  }
  return found
}

/** The counts are what was produced, and all that is left can be used, and no more. */
async function assertSound(): Promise<void> {
  const before = await produced()
  expect(await usage()).toMatchObject({
    deploys: { used: before.deploys, limit: 3, remaining: 3 - before.deploys },
    generations: { used: before.branches, limit: 1, remaining: 1 - before.branches },
  })
  expect(await heldOnDisk()).toEqual([])
  for (let left = 3 - before.deploys; left > 0; left--) expect(await deployInTurn(`Left ${left}`)).toBe(true)
  expect(await deployInTurn('One too many')).toBe(false)
  if (before.branches === 0) await branch('left')
  await expect(branch('one-too-many')).rejects.toMatchObject({ code: 'quota_exceeded' })
  expect(await produced()).toEqual({ deploys: 3, branches: 1 })
  expect(await usage()).toMatchObject({ deploys: { used: 3, remaining: 0 }, generations: { used: 1, remaining: 0 } })
}

describe('64 at once on the Free plan', () => {
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-usage-'))
    service = await startService(directory, free)
  })
  afterEach(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  it('are three deploys and one branch', async () => {
    project = await createProject(service.url, 'many')
    const [deploys, branches] = await Promise.all([
      Promise.all(wishes.map((index) => deployInTurn(`Wish ${index}`))),
      Promise.allSettled(wishes.map((index) => branch(`wish-${index}`))),
    ])
    expect(deploys.filter((live) => live)).toHaveLength(3)
    expect(branches.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await assertSound()
  })

  it('and kill -9 in the middle: the counts are what came about', { timeout: 600_000 }, async () => {
    const { port } = service
    for (let round = 0; round < 5; round++) {
      project = await createProject(service.url, `round-${round}`)
      const flying = Promise.allSettled([
        ...wishes.map((index) => deployInTurn(`Wish ${index}`)),
        ...wishes.map((index) => branch(`wish-${index}`)),
      ])
      await sleep(10 + round * 15)
      await service.kill()
      await flying
      service = await startService(directory, free, port)
      expect((await usage()).deploys.used).toBeLessThanOrEqual(3)
      await assertSound()
    }
  })
})

describe('kill -9 during a deploy', () => {
  let failing: FailingService

  beforeAll(async () => {
    failing = await FailingService.start(free)
    directory = failing.directory
  })
  afterAll(() => failing.close())

  it.each<[FailpointName, number]>([
    ['after-lease', 1],
    ['after-commit', 1],
    ['after-record', 1],
    ['after-build', 1],
    ['after-release', 1],
    ['after-refs', 2],
    ['after-point', 2],
  ])('%s leaves %i deploys counted', async (failpoint, counted) => {
    project = await createProject(failing.url, `crash-${failpoint}`)
    await post('One')
    await failing.killAt(failpoint, () => post('Two'))
    expect((await usage()).deploys.used).toBe(counted)
    await assertSound()
  })

  // After a start the files that are live are built once more.
  it.each<FailpointName>(['after-record', 'after-release', 'after-refs', 'after-point'])(
    '%s of files that are live already leaves 1 deploy counted',
    async (failpoint) => {
      project = await createProject(failing.url, `same-${failpoint}`)
      await post('One')
      await failing.killAt(failpoint, () => post('One'))
      expect(await usage()).toMatchObject({ deploys: { used: 1, remaining: 2 } })
      expect(await heldOnDisk()).toEqual([])
    },
  )
})
