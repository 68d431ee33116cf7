import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { failpoints, type FailpointName } from '#deploying/ports.ts'
import { FailingService } from '#test/support/failing-service.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory } from '#test/support/temporary.ts'

/** From here on the deploy has happened, though nobody was told. */
const happened: ReadonlySet<FailpointName> = new Set(['after-refs', 'after-point'])

let directory: string
let port: number
let project: ProjectAccess

const git = (...args: string[]): string =>
  execFileSync('git', ['--git-dir', join(directory, `${project.slug}.git`), ...args], { encoding: 'utf8' }).trim()
const post = (text: string, key?: string): Promise<Deploy> =>
  project.client.call(contract.deploys.create, {
    body: {
      files: [
        { path: 'index.mdx', content: `# ${text}` },
        { path: 'asset.txt', content: text },
      ],
    },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
const list = async (): Promise<Deploy[]> =>
  (await project.client.call(contract.deploys.list, { params: { slug: project.slug }, query: {} })).items
const page = async (): Promise<string> => (await getSite(port, `${project.slug}.localhost`, '/')).text

/** Main, the pointer, the records and what readers get are of one mind; nothing is locked; Git is sound. */
async function assertSound(): Promise<void> {
  const deploys = await list()
  expect(deploys.filter((deploy) => deploy.status === 'building' || deploy.status === 'queued')).toEqual([])
  const [live, ...others] = deploys.filter((deploy) => deploy.status === 'live')
  expect(others).toEqual([])
  expect(git('rev-parse', 'refs/heads/main')).toBe(live?.commit)
  const refs = new Map(
    git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/deploys')
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', oid = '']) => [name, oid]),
  )
  for (const deploy of deploys) {
    const ref = refs.get(`refs/deploys/${deploy.number}`)
    expect(ref).toBe(deploy.status === 'failed' ? undefined : deploy.commit)
  }
  const text = git('show', `${live?.commit}:asset.txt`)
  expect(await page()).toContain(`>${text}<`)
  expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('')
  const names = (): Promise<string[]> => readdir(join(directory, `${project.slug}.git`), { recursive: true })
  await expect.poll(async () => (await names()).filter((name) => name.endsWith('.lock'))).toEqual([])
}

describe('kill -9 during a deploy', () => {
  let failing: FailingService

  beforeAll(async () => {
    failing = await FailingService.start()
    ;({ directory, port } = failing)
  })
  afterAll(() => failing.close())

  it.each(failpoints)('%s loses nothing that was acknowledged and leaves no lock', async (failpoint) => {
    project = await createProject(failing.url, `crash-${failpoint}`)
    const first = await post('One')
    await failing.killAt(failpoint, () => post('Two', 'the-key'))
    await assertSound()
    const expected = happened.has(failpoint) ? 'Two' : 'One'
    expect(await page()).toContain(`>${expected}<`)
    const before = await list()
    expect(before.find((deploy) => deploy.id === first.id)).toBeDefined()

    // The client repeats the request that got no answer: it is done once.
    const repeated = await post('Two', 'the-key')
    expect(repeated.status).toBe('live')
    expect(repeated.id === before[0]?.id).toBe(happened.has(failpoint))
    await assertSound()
    expect(await page()).toContain('>Two<')
    const third = await post('Three')
    expect(third.number).toBeGreaterThan(repeated.number)
    await assertSound()
  })
})

describe('a service', () => {
  let service: ServiceProcess

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-crash-'))
    service = await startService(directory)
    ;({ port } = service)
    project = await createProject(service.url, 'crash')
  })
  afterEach(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  it(
    'that is killed at any moment, again and again, keeps every acknowledged deploy',
    { timeout: 600_000 },
    async () => {
      const acknowledged: Deploy[] = []
      let text = 0
      for (let round = 0; round < 6; round++) {
        const killAt = Date.now() + 100 + round * 35
        let alive = true
        while (alive) {
          if (Date.now() >= killAt) setImmediate(() => void service.kill())
          alive = await post(`Text ${++text}`).then(
            (deploy) => acknowledged.push(deploy) > 0,
            () => false,
          )
        }
        await service.kill()
        service = await startService(directory, {}, port)
        await assertSound()
        const kept = new Map((await list()).map((deploy) => [deploy.id, deploy]))
        for (const deploy of acknowledged) {
          expect(kept.get(deploy.id)?.status).toMatch(/live|superseded/)
          expect(git('rev-parse', `refs/deploys/${deploy.number}`)).toBe(deploy.commit)
        }
      }
      expect(acknowledged.length).toBeGreaterThan(0)
    },
  )

  it('heals a live pointer that is older than main, as after restoring an older backup of the records', async () => {
    await post('One')
    await service.stop()
    const backup = await readFile(join(directory, `${project.slug}.json`))
    service = await startService(directory, {}, port)
    const second = await post('Two')
    await service.stop()
    await writeFile(join(directory, `${project.slug}.json`), backup)

    service = await startService(directory, {}, port)
    const third = await post('Three')
    expect(third.number).toBe(second.number + 1)
    await assertSound()
  })
})
