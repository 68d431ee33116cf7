import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createClient, type Client } from '#client/client.ts'
import { readConfig } from '#config.ts'
import { contract } from '#contract/index.ts'
import { SendFailed } from '#webhooks/send.ts'
import { createService, type Service } from '#wire.ts'
import { quickPasswords } from '#test/support/access.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, freePort, type ProjectAccess } from '#test/support/service-process.ts'
import { deploy } from '#test/support/operator/support.ts'

/** The project that is damaged, and one that must not notice. */
export const victim = 'docs'
export const neighbour = 'neighbour'

/** A directory with something in each kind of file that there is. */
export interface Populated {
  readonly directory: string
  /** The same directory some changes before. */
  readonly older: string
  readonly projects: { readonly [victim]: ProjectAccess; readonly [neighbour]: ProjectAccess }
}

export interface RunningService {
  readonly service: Service
  readonly port: number
  readonly url: string
}

/** A service on a directory, in this process; webhooks reach nobody, so that their events wait. */
export async function serviceOn(directory: string): Promise<RunningService> {
  const port = await freePort()
  const config = readConfig({
    PATH: process.env['PATH'],
    PORT: String(port),
    DATA_DIR: directory,
    DEFAULT_PLAN: 'pro',
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  })
  const service = await createService(config, {
    logger: pino({ level: 'silent' }),
    builder: new FakeBuilder(),
    texts: { fingerprint: 'none', render: async () => ({ ok: true, html: '' }) },
    passwords: quickPasswords(),
    send: () => Promise.reject(new SendFailed('connect', 'nobody is there')),
  })
  await service.listen()
  return { service, port, url: `http://127.0.0.1:${port}` }
}

export async function populate(): Promise<Populated> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-damage-'))
  const begun = await serviceOn(directory)
  const projects = {
    [victim]: await createProject(begun.url, victim),
    [neighbour]: await createProject(begun.url, neighbour),
  }
  await someWork(begun, projects[victim])
  await deploy(projects[neighbour].client, { 'index.mdx': '# Neighbour' })
  await begun.service.close()
  const older = `${directory}-older`
  await cp(directory, older, { recursive: true })
  git(directory, 'pack-refs', '--all')
  // Objects are precious to whoever comes by hand, this test too.
  git(directory, 'config', 'extensions.preciousObjects', 'false')
  git(directory, 'repack', '-ad', '-q')
  git(directory, 'config', 'extensions.preciousObjects', 'true')
  const again = await serviceOn(directory)
  await someWork(again, projects[victim])
  await createProject(again.url, 'later')
  await again.service.close()
  return { directory, older, projects }
}

/** Something of each kind. The port is another one at each start. */
async function someWork({ url }: RunningService, { session, key }: ProjectAccess): Promise<void> {
  const params = { slug: victim }
  const owner = createClient({ baseUrl: url, token: session })
  const client = createClient({ baseUrl: url, token: key })
  await owner.call(contract.webhooks.create, { params, body: { url: 'http://127.0.0.1:9/' } })
  await deploy(client, { 'index.mdx': `# At ${url}`, 'big.txt': randomBytes(6000).toString('hex') })
  const known = (await client.call(contract.branches.list, { params })).items[0]
  const { id } = known ?? (await client.call(contract.branches.create, { params, body: { name: 'work' } }))
  await save(client, id, `${randomBytes(4).toString('hex')}.mdx`)
  const entry = { title: 'News', content: 'Is *here*.', is_draft: true }
  await owner.call(contract.changelog.create, { params, body: entry })
  const slug = `former-${randomBytes(4).toString('hex')}`
  await owner.call(contract.projects.create, { body: { slug } })
  await owner.call(contract.projects.remove, { params: { slug } })
  await client.call(contract.device.authorize, { body: { client_id: 'quire-cli' } })
}

async function save(client: Client, id: string, path: string): Promise<void> {
  const params = { slug: victim, id, path }
  const { commit } = await client.call(contract.branches.saveFile, { params, body: { content: `# ${path}` } })
  for (;;) {
    const { preview } = await client.call(contract.branches.read, { params: { slug: victim, id } })
    if (preview.status === 'live' && preview.served === commit) return
    await sleep(20)
  }
}

/** Runs git on the repository of the project that is damaged. */
export function git(directory: string, ...args: string[]): string {
  return execFileSync('git', ['--git-dir', join(directory, `${victim}.git`), ...args], { encoding: 'utf8' }).trim()
}
