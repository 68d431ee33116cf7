import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { git } from '#test/support/git-service.ts'
import { ownDisk } from '#test/support/own-disk.ts'
import { createProject, freePort, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const isRoot = process.getuid?.() === 0

interface Content {
  readonly session: string
  readonly key: string
  readonly branch: string
  readonly previewHost: string
}

/** A site, a preview and an entry of the changelog, by a service that writes. */
async function fill(service: ServiceProcess): Promise<Content> {
  const { client, key, session } = await createProject(service.url, 'docs')
  const owner = createClient({ baseUrl: service.url, token: session })
  await client.call(contract.deploys.create, {
    body: { files: [{ path: 'index.mdx', content: '# As it was\n' }] },
  })
  const params = { slug: 'docs' }
  const { id, previewUrl } = await owner.call(contract.branches.create, { params, body: { name: 'draft' } })
  const previewHost = new URL(previewUrl).hostname
  await expect.poll(async () => (await getSite(service.port, previewHost, '/')).status, { timeout: 60_000 }).toBe(200)
  await owner.call(contract.changelog.create, { params, body: { title: 'News', content: 'Text', is_draft: false } })
  await service.stop()
  return { key, session, branch: id, previewHost }
}

/** All that readers get is there, all that would change something is refused in words, and nothing looks like a bug. */
async function expectReadOnly(service: ServiceProcess, { session, key, branch, previewHost }: Content, reason: string) {
  const { url, port } = service
  expect((await getSite(port, 'docs.localhost', '/')).text).toContain('As it was')
  expect((await getSite(port, previewHost, '/')).text).toContain('As it was')
  for (const path of ['/healthz', '/readyz', '/api/projects/docs/changelog/atom', '/dashboard/docs/changelog'])
    expect([path, (await fetch(url + path)).status]).toEqual([path, 200])

  const owner = createClient({ baseUrl: url, token: session })
  const params = { slug: 'docs' }
  expect((await owner.call(contract.projects.read, { params })).slug).toBe('docs')
  expect((await owner.call(contract.deploys.list, { params })).items).toHaveLength(1)
  expect((await owner.call(contract.branches.files, { params: { ...params, id: branch } })).items).toHaveLength(1)
  expect((await owner.call(contract.changelog.list, { params })).items).toHaveLength(1)
  await owner.call(contract.usage.read, { params })
  const home = await temporaryDirectory()
  await git(home, 'clone', '--quiet', `http://key:${key}@localhost:${port}/git/docs.git`, 'clone')
  expect(await readFile(join(home, 'clone', 'index.mdx'), 'utf8')).toBe('# As it was\n')

  const refused = { code: 'unavailable', message: `The service cannot store anything: ${reason}.` }
  const deployer = createClient({ baseUrl: url, token: key })
  const body = { files: [{ path: 'index.mdx', content: '# Changed\n' }] }
  const changes = [
    deployer.call(contract.deploys.create, { body }),
    owner.call(contract.projects.create, { body: { slug: 'other' } }),
    owner.call(contract.branches.remove, { params, query: { id: branch } }),
    owner.call(contract.accounts.login, { body: { email: 'docs@example.com', password: 'correct horse battery' } }),
  ]
  await Promise.all(changes.map((change) => expect(change).rejects.toMatchObject(refused)))
  const push = git(join(home, 'clone'), 'push', 'origin', 'HEAD:refs/heads/pushed')
  await expect(push).rejects.toThrow('503')

  const metrics = await (await fetch(`${url}/metrics`)).text()
  expect(metrics).toContain('\nquire_read_only 1\n')
  await service.stop()
  const warnings = service.log().match(/the data directory is read-only/g)
  expect(warnings).toHaveLength(1)
  expect(service.log()).toContain(reason)
  expect(service.log()).not.toMatch(/"level":50|^ {4}at /m)
  expect(service.child.exitCode).toBe(0)
}

it('a disk that is mounted read-only, or full, is served from, and changes are refused', async () => {
  const disk = await ownDisk()
  const port = await freePort()
  const start = () => startService(disk.directory, {}, port, { through: disk.within })
  const content = await fill(await start())

  await disk.run('mount', '-o', 'remount,ro', disk.directory)
  await expectReadOnly(await start(), content, 'the disk takes no writes')

  await disk.run('mount', '-o', 'remount,rw', disk.directory)
  await disk.run('sh', '-c', 'cat /dev/zero > "$0/lost+found" 2>&1; true', disk.directory)
  await expectReadOnly(await start(), content, 'the disk is full')

  // With room again, all is as before.
  await disk.run('rm', join(disk.directory, 'lost+found'))
  const service = await start()
  const client = createClient({ baseUrl: service.url, token: content.key })
  await client.call(contract.deploys.create, {
    body: { files: [{ path: 'index.mdx', content: '# Changed\n' }] },
  })
  expect((await getSite(port, 'docs.localhost', '/')).text).toContain('Changed')
  await service.stop()
  expect(service.log()).not.toContain('read-only')
})

it('a disk that becomes full while the service runs is served from, and changes are refused', async () => {
  const disk = await ownDisk()
  const service = await startService(disk.directory, { MIN_FREE_MB: '0' }, undefined, { through: disk.within })
  onTestFinished(() => service.kill())
  const { client, session } = await createProject(service.url, 'docs')
  const params = { slug: 'docs' }
  const files = [{ path: 'index.mdx', content: '# As it was\n' }]
  await client.call(contract.deploys.create, { body: { files } })
  const { id } = await client.call(contract.branches.create, { params, body: { name: 'draft' } })

  await disk.run('sh', '-c', 'cat /dev/zero > "$0/lost+found" 2>&1; true', disk.directory)
  const owner = createClient({ baseUrl: service.url, token: session })
  const changes = {
    branch: () => owner.call(contract.branches.create, { params, body: { name: 'full' } }),
    save: () =>
      owner.call(contract.branches.commit, {
        params: { ...params, id },
        body: { message: 'Full', changes: [{ path: 'full.mdx', content: '# Full\n' }] },
      }),
    deploy: () =>
      client.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Full\n' }] } }),
    project: () => owner.call(contract.projects.create, { body: { slug: 'other' } }),
    entry: () => owner.call(contract.changelog.create, { params, body: { title: 'News', content: 'Text' } }),
  }
  for (const [name, change] of Object.entries(changes))
    await expect(change(), name).rejects.toMatchObject({ code: 'unavailable', status: 503 })
  expect((await getSite(service.port, 'docs.localhost', '/')).text).toContain('As it was')

  await disk.run('rm', join(disk.directory, 'lost+found'))
  await changes.branch()
  await changes.save()
  await service.stop()
})

it('a new start on a disk that takes nothing ends with one sentence where there is nothing to serve', async () => {
  const disk = await ownDisk()
  await disk.run('mount', '-o', 'remount,ro', disk.directory)
  const words = 'the disk takes no writes.\nThere is nothing in it that could be served'
  await expect(startService(disk.directory, {}, undefined, { through: disk.within })).rejects.toThrow(words)
  await expect(startService(disk.directory, {}, undefined, { through: disk.within })).rejects.not.toThrow(/\n +at /)
})

it('a directory that its user may only read is served from, and not while another process writes in it', async () => {
  const directory = join(await temporaryDirectory(), 'data')
  await mkdir(directory)
  const port = await freePort()
  const content = await fill(await startService(directory, {}, port))
  execFileSync('chmod', ['-R', 'a-w', directory])
  onTestFinished(() => void execFileSync('chmod', ['-R', 'u+w', directory]))
  // Without these, root is to files as any other user.
  const noOverride = '-dac_override,-dac_read_search'
  const through = isRoot ? ['setpriv', `--inh-caps=${noOverride}`, `--bounding-set=${noOverride}`] : []
  const settings = { ALLOW_WEAK_ISOLATION: 'yes' }
  const reason = 'its user may not write into the data directory'
  const openly = ['sh', '-c', 'umask 022 && exec "$0" "$@"']
  const service = await startService(directory, settings, port, { through: [...openly, ...through] })
  expect(await readFile(`/proc/${service.child.pid}/status`, 'utf8')).toMatch(/^Umask:\t0077$/m)
  await expectReadOnly(service, content, reason)

  const holder = spawn(
    'flock',
    ['--exclusive', '--no-fork', join(directory, '.lock'), 'sh', '-c', 'echo locked; exec sleep 600'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await expect(startService(directory, settings, port, { through })).rejects.toThrow('is in use by')
})
