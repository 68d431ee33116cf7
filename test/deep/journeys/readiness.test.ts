import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { ownDisk } from '#test/support/own-disk.ts'
import { createProject, freePort, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const patience = { timeout: 60_000, interval: 100 }

/** What a load balancer is told: the status, and why where it is not 200. */
async function readiness({ port }: Pick<ServiceProcess, 'port'>): Promise<readonly [status: number, why?: string]> {
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`)
  const { detail } = (await answer.json()) as { readonly detail?: string }
  return detail === undefined ? [answer.status] : [answer.status, detail]
}

async function expectReady(service: ServiceProcess): Promise<void> {
  expect(await readiness(service)).toEqual([200])
}

const lost = [
  503,
  'The service cannot do its work: the data directory is gone, or another one is in its place.',
] as const

describe('a service whose data directory is lost while it runs', () => {
  let directory: string
  let service: ServiceProcess

  beforeEach(async () => {
    directory = join(await temporaryDirectory(), 'data')
    service = await startService(directory)
    onTestFinished(() => service.stop())
    await expectReady(service)
  })

  it('is not ready when it was deleted, and says why to the balancer and once in its log', async () => {
    await rm(directory, { recursive: true })
    await expect.poll(() => readiness(service), patience).toEqual(lost)
    await expect.poll(() => readiness(service), patience).toEqual(lost)
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    await expect.poll(() => service.log(), patience).toContain('the data directory cannot be used')
    expect(service.log().match(/the data directory cannot be used/g)).toHaveLength(1)
    expect(service.log()).not.toMatch(/^ {4}at /m)
  })

  it('is not ready when it was emptied', async () => {
    execFileSync('find', [directory, '-mindepth', '1', '-delete'])
    await expect.poll(() => readiness(service), patience).toEqual(lost)
  })

  it.each([
    ['an empty directory', (path: string) => mkdir(path)],
    ['a file', (path: string) => writeFile(path, '')],
  ])('is not ready while %s is in its place, and is again when it is back', async (_what, put) => {
    await rename(directory, `${directory}.away`)
    await put(directory)
    await expect.poll(() => readiness(service), patience).toEqual(lost)
    await rm(directory, { recursive: true })
    await rename(`${directory}.away`, directory)
    await expect.poll(() => readiness(service), patience).toEqual([200])
    await expect.poll(() => service.log(), patience).toContain('the data directory is there again')
  })

  it('is not ready while the directory of another service is in its place', async () => {
    await rename(directory, `${directory}.away`)
    const other = await startService(directory)
    await other.stop()
    await expect.poll(() => readiness(service), patience).toEqual(lost)
    await rm(directory, { recursive: true })
    await rename(`${directory}.away`, directory)
  })
})

it('a service whose disk becomes read-only is not ready until it takes writes, and serves its sites', async () => {
  const disk = await ownDisk()
  const service = await startService(disk.directory, {}, undefined, { through: disk.within })
  onTestFinished(() => service.stop())
  const { client } = await createProject(service.url, 'docs')
  await client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# As it was\n' }] } })
  expect(await readiness(service)).toEqual([200])
  // As the system does after an error, which does not ask who has files open to write in: a remount would.
  await disk.run('mount', '--bind', disk.directory, disk.directory)
  await disk.run('mount', '-o', 'remount,bind,ro', disk.directory)
  const readOnly = [503, 'The service cannot do its work: the disk takes no writes.']
  await expect.poll(() => readiness(service), patience).toEqual(readOnly)
  expect((await getSite(service.port, 'docs.localhost', '/')).text).toContain('As it was')
  await disk.run('umount', disk.directory)
  await expect.poll(() => readiness(service), patience).toEqual([200])
})

it('a service whose disk is unmounted under it is not ready, and says that it stores nothing', async () => {
  const disk = await ownDisk()
  const service = await startService(disk.directory, {}, undefined, { through: disk.within })
  onTestFinished(() => service.stop())
  expect(await readiness(service)).toEqual([200])
  const { session } = await createProject(service.url, 'docs')
  await disk.run('umount', '--lazy', disk.directory)
  await expect.poll(() => readiness(service), patience).toEqual(lost)
  // It would come to lie below where the disk belongs, and be gone with its return.
  const owner = createClient({ baseUrl: service.url, token: session })
  await expect(owner.call(contract.projects.create, { body: { slug: 'more' } })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'The service cannot store anything: the data directory is gone, or another one is in its place.',
  })
})

/** Git that waits at the first look into a repository, until the test lets it go on. */
async function gitThatWaits(): Promise<{ searchPath: string; isReached(): boolean; letGo(): Promise<void> }> {
  const folder = await temporaryDirectory()
  const [held, reached] = [join(folder, 'held'), join(folder, 'reached')]
  await writeFile(held, '')
  const script = `#!/bin/sh
PATH='${process.env['PATH']}'
case "$*" in --version) ;; *) echo >> '${reached}'; while [ -e '${held}' ]; do sleep 0.05; done ;; esac
exec git "$@"
`
  await writeFile(join(folder, 'git'), script, { mode: 0o755 })
  const letGo = (): Promise<void> => rm(held, { force: true })
  onTestFinished(letGo)
  return { searchPath: `${folder}:${process.env['PATH']}`, isReached: () => existsSync(reached), letGo }
}

/** A data directory that was left amidst a deploy, once its refs had moved. */
async function leftAmidstDeploy(directory: string, port: number): Promise<void> {
  const failing = await startService(directory, { QUIRE_FAILPOINT: 'after-refs' }, port)
  const { client } = await createProject(failing.url, 'docs')
  const ended = once(failing.child, 'exit')
  const deploy = client.call(contract.deploys.create, {
    body: { files: [{ path: 'index.md', content: '# Deployed' }] },
  })
  await expect(deploy).rejects.toMatchObject({ code: 'unavailable' })
  expect(await ended).toEqual([null, 'SIGKILL'])
}

it('while a start puts right what was left amidst a deploy nobody is answered, and all is right with the first answer', async () => {
  const [directory, port, git] = [await temporaryDirectory(), await freePort(), await gitThatWaits()]
  await leftAmidstDeploy(directory, port)
  const starting = startService(directory, { PATH: git.searchPath }, port)
  await expect.poll(() => git.isReached(), patience).toBe(true)
  await expect(readiness({ port })).rejects.toThrow('fetch failed')
  await git.letGo()
  const service = await starting
  onTestFinished(() => service.stop())
  expect(await readiness(service)).toEqual([200])
  expect((await getSite(port, 'docs.localhost', '/')).text).toContain('Deployed')
})
