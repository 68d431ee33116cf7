import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { readConfig } from '#config.ts'
import { contract } from '#contract/index.ts'
import { dist, root } from '#lib/paths.ts'
import { dataFormat, formatFile } from '#storage/format.ts'
import type { SendRequest } from '#webhooks/send.ts'
import { createService, type Service } from '#wire.ts'
import { quire, type Finished } from '#test/support/command-line.ts'
import { freePort } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** What test/fixtures/data-0.1/README.md tells, with ids and keys. */
interface Facts {
  readonly at: string
  readonly key: string
  readonly robot: string
  readonly revoked: string
  readonly notesKey: string
  readonly ada: string
  readonly ben: string
  readonly terminal: string
  readonly endedSession: string
  readonly waitingCode: string
  readonly deploys: Readonly<Record<'first' | 'second' | 'rollback' | 'fourth' | 'published', string>>
  readonly webhooks: Readonly<Record<'ok' | 'refuses' | 'off', string>>
  readonly entries: Readonly<Record<'first' | 'draft' | 'scheduled' | 'edited' | 'deleted', string>>
  readonly branches: Readonly<Record<'draft' | 'second', string>>
}

const fixture = join(root, 'test/fixtures/data-0.1/')
const slug = 'handbook'
const params = { slug }
/** Longer than the last retry waits, shorter than a terminal may. */
const laterMs = 8 * 60 * 1000

interface Opened {
  readonly directory: string
  readonly facts: Facts
  readonly service: Service
  /** What webhooks were sent. */
  readonly sent: SendRequest[]
  readonly as: (token: string) => Client
  /** Asks a site; where it leads to another page of itself, that one. */
  readonly site: (path: string, host?: string) => Promise<{ status: number; body: string }>
  restart(): Promise<void>
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly location: string | undefined
}

function ask({ port, host, path }: { port: number; host: string; path: string }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body, location: response.headers.location }))
    })
    request.once('error', reject)
  })
}

/** Puts the data of the version before into a directory. */
async function unpack(): Promise<string> {
  const directory = await temporaryDirectory()
  await promisify(execFile)('tar', ['xzf', join(fixture, 'data.tar.gz'), '-C', directory])
  return directory
}

/** This version on the data of the version before, some minutes after that one ended. @param data where it lies already */
async function open(data?: string): Promise<Opened> {
  const facts = JSON.parse(await readFile(join(fixture, 'facts.json'), 'utf8')) as Facts
  const directory = data ?? (await unpack())
  const port = await freePort()
  const config = readConfig({
    PATH: process.env['PATH'],
    PORT: String(port),
    DATA_DIR: directory,
    RENDER_CHILDREN: '1',
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1:29871',
  })
  const ahead = Date.parse(facts.at) + laterMs - Date.now()
  const sent: SendRequest[] = []
  const start = async (): Promise<Service> => {
    const started = await createService(config, {
      logger: pino({ level: 'silent' }),
      now: () => new Date(Date.now() + ahead),
      send: async (request) => {
        sent.push(request)
        return { status: 200, headers: {}, body: '', truncated: false }
      },
    })
    await started.listen()
    return started
  }
  let service = await start()
  onTestFinished(async () => void (await service.close()))
  return {
    directory,
    facts,
    sent,
    get service() {
      return service
    },
    as: (token) => createClient({ baseUrl: `http://127.0.0.1:${port}`, token }),
    site: async (path, host = slug) => {
      const url = { port, host: `${host}.localhost:${port}` }
      const first = await ask({ ...url, path })
      return first.location === undefined ? first : ask({ ...url, path: first.location })
    },
    async restart() {
      await service.close()
      service = await start()
    },
  }
}

async function expectAccess({ as, facts }: Opened): Promise<void> {
  for (const [token, email] of [
    [facts.ada, 'ada@example.com'],
    [facts.terminal, 'ada@example.com'],
    [facts.ben, 'ben@example.com'],
  ] as const) {
    const { account } = await as(token).call(contract.accounts.me, {})
    expect(account.email).toBe(email)
  }
  await expect(as(facts.endedSession).call(contract.accounts.me, {})).rejects.toMatchObject({ code: 'unauthenticated' })
  await expect(as(facts.revoked).call(contract.projects.read, { params })).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  const waiting = await as(facts.ada).call(contract.device.read, { query: { user_code: facts.waitingCode } })
  expect(waiting.hostName).toBe('ada-desk')
  const members = await as(facts.key).call(contract.members.list, { params })
  expect(members.items.map(({ email, role }) => [email, role])).toEqual([
    ['ada@example.com', 'owner'],
    ['ben@example.com', 'writer'],
  ])
  const keys = await as(facts.key).call(contract.keys.list, { params })
  expect(keys.items.map(({ name }) => name).sort()).toEqual(['fixture', 'robot'])
}

async function expectDeploys({ as, facts, site }: Opened, latest: string): Promise<void> {
  const client = as(facts.key)
  const { items } = await client.call(contract.deploys.list, { params })
  const old = items.filter(({ message }) => message !== 'Release 6')
  expect(old.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    expect.stringMatching(/^deploy (?:live|superseded|ready)$/),
    expect.stringContaining('publish '),
    expect.stringContaining('push '),
    expect.stringContaining('deploy '),
    expect.stringContaining('rollback '),
    'deploy failed',
    expect.stringContaining('deploy '),
    expect.stringContaining('deploy '),
  ])
  const failed = await client.call(contract.deploys.read, { params: { slug, id: old[5]?.id ?? '' } })
  expect(failed.errors).toHaveLength(1)
  const page = await site('/')
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining(latest) as string })
  expect(await site('/blog/start')).toMatchObject({ body: expect.stringContaining('Read this first') as string })
  expect(await site('/images/dot.png')).toMatchObject({ status: 200 })
  expect(await site('/old')).toMatchObject({ body: expect.stringContaining('Read this first') as string })
}

async function expectBranches({ as, facts, site }: Opened): Promise<void> {
  const client = as(facts.key)
  const { items } = await client.call(contract.branches.list, { params })
  expect(items.map(({ name }) => name).sort()).toEqual(['draft', 'second'])
  const id = facts.branches.draft
  const file = await client.call(contract.branches.readFile, { params: { slug, id, path: 'guides/new.mdx' } })
  expect(file.content).toContain('Not yet public.')
  expect(await site('/', `${slug}--draft`)).toMatchObject({
    status: 200,
    body: expect.stringContaining('Changed on the branch') as string,
  })
}

async function expectWebhooks({ as, facts, sent }: Opened): Promise<void> {
  const client = as(facts.key)
  const { items } = await client.call(contract.webhooks.list, { params })
  expect(Object.fromEntries(items.map(({ id, enabled }) => [id, enabled]))).toEqual({
    [facts.webhooks.ok]: true,
    [facts.webhooks.refuses]: true,
    [facts.webhooks.off]: false,
  })
  // What waited for the one that refused, in order, and the event that was still in the outbox for both.
  const eventsOf = (path: string): string[] =>
    sent
      .filter(({ url }) => url.endsWith(path))
      .map(({ body }) => (JSON.parse(body) as { event: string; message?: string }).event)
  await expect.poll(() => eventsOf('/ok'), { timeout: 5000 }).toEqual(['deploy.success'])
  await expect
    .poll(() => eventsOf('/refuses'), { timeout: 5000 })
    .toEqual([
      'deploy.success',
      'deploy.failed',
      ...Array.from({ length: 4 }, () => 'deploy.success'),
      'changelog.published',
      'changelog.published',
      'deploy.success',
    ])
}

async function expectDeliveries({ as, facts }: Opened): Promise<void> {
  const client = as(facts.key)
  const log = async (id: string): Promise<string[]> => {
    const list = await client.call(contract.webhooks.deliveries, { params: { slug, id }, query: { limit: 100 } })
    return list.items.map(({ event, status, attempt }) => `${event.type} ${status} ${attempt}`)
  }
  const ok = await log(facts.webhooks.ok)
  expect(ok.filter((line) => line.startsWith('webhook.test'))).toHaveLength(1)
  expect(ok.filter((line) => line.startsWith('preview.'))).toHaveLength(7)
  const refuses = await log(facts.webhooks.refuses)
  expect(refuses.filter((line) => line.includes('failed'))).not.toHaveLength(0)
  const { items } = await client.call(contract.webhooks.deliveries, {
    params: { slug, id: facts.webhooks.refuses },
    query: { status: 'failed' },
  })
  const [oldest] = items.toReversed()
  const read = await client.call(contract.webhooks.delivery, {
    params: { slug, id: facts.webhooks.refuses, delivery: oldest?.id ?? '' },
  })
  expect(read.response).toMatchObject({ status: 500, body: 'not today' })
}

async function expectChangelog({ as, facts, service, directory }: Opened): Promise<void> {
  const client = as(facts.key)
  const { items } = await client.call(contract.changelog.list, { params, query: { limit: 100 } })
  expect(items).toHaveLength(34)
  const read = (id: string) => client.call(contract.changelog.read, { params: { slug, id } })
  expect(await read(facts.entries.first)).toMatchObject({
    title: 'First release',
    content: 'It is **out**.',
    version: '1.0.0',
    tags: ['release', 'api'],
    published_at: '2026-01-02T03:04:05.000Z',
  })
  expect(await read(facts.entries.draft)).toMatchObject({ status: 'draft' })
  expect(await read(facts.entries.scheduled)).toMatchObject({ status: 'scheduled' })
  expect(await read(facts.entries.edited)).toMatchObject({
    title: 'Edited',
    html: expect.stringContaining('New words') as string,
  })
  await expect(read(facts.entries.deleted)).rejects.toMatchObject({ code: 'not_found' })
  const tagged = await client.call(contract.changelog.list, { params, query: { tag: 'weekly', limit: 100 } })
  expect(tagged.items).toHaveLength(30)
  const page = await service.app.inject(`/dashboard/${slug}/changelog`)
  expect(page).toMatchObject({ statusCode: 200, body: expect.stringContaining('Weekly 30') as string })
  for (const name of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!name.isFile()) continue
    const bytes = await readFile(join(name.parentPath, name.name), 'latin1')
    expect(bytes.includes('unrecoverable-text-of-a-deleted-entry'), name.name).toBe(false)
  }
}

async function expectAuditAndUsage({ as, facts }: Opened, deploys: number): Promise<void> {
  const client = as(facts.key)
  const { items } = await client.call(contract.audit.list, { params, query: { limit: 100 } })
  const actions = items.map(({ action }) => action)
  for (const action of ['projects.create', 'members.add', 'keys.revoke', 'git.push', 'webhooks.rotate'])
    expect(actions).toContain(action)
  expect(actions.filter((action) => action === 'changelog.create')).toHaveLength(35)
  const usage = await client.call(contract.usage.read, { params })
  expect(usage.generations.used).toBe(3)
  expect(usage.deploys.used).toBe(deploys)
}

async function expectEverything(opened: Opened, latest: string, deploys: number): Promise<void> {
  await expectAccess(opened)
  await expectDeploys(opened, latest)
  await expectBranches(opened)
  await expectDeliveries(opened)
  await expectChangelog(opened)
  await expectAuditAndUsage(opened, deploys)
}

it('opens a data directory of the version before and finds everything in it', async () => {
  const opened = await open()
  await expectWebhooks(opened)
  await expectEverything(opened, 'Text of release 5', 7)

  const client = opened.as(opened.facts.key)
  const back = await client.call(contract.deploys.rollback, { params, body: { deployId: opened.facts.deploys.second } })
  expect(back.status).toBe('live')
  expect(await opened.site('/')).toMatchObject({ body: expect.stringContaining('Text of release 2') as string })

  await opened.restart()
  await client.call(contract.deploys.rollback, { params, body: { deployId: opened.facts.deploys.first } })
  expect(await opened.site('/')).toMatchObject({ body: expect.stringContaining('Text of release 1') as string })
  expect(await client.call(contract.projects.fsck, { params })).toEqual({ problems: [] })
  const { items } = await opened.as(opened.facts.notesKey).call(contract.changelog.list, { params: { slug: 'notes' } })
  expect(items).toMatchObject([{ title: 'Hello', content: 'World' }])
})

const admin = (directory: string, ...words: string[]): Promise<Finished> =>
  quire(['admin', '--data', directory, ...words, '--json'])

it('upgrades it whenever the first starts are killed, and a check finds nothing off', async () => {
  const directory = await unpack()
  // Before they are through: by the time of today, what was delivered when the directory was made is too old to be kept.
  for (const milliseconds of [50, 100, 200, 300]) {
    const child = spawn(process.execPath, [join(dist, 'service.js')], {
      env: {
        PATH: process.env['PATH'],
        PORT: String(await freePort()),
        DATA_DIR: directory,
        RENDER_CHILDREN: '1',
        LOG_LEVEL: 'silent',
      },
      stdio: 'ignore',
    })
    await sleep(milliseconds)
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  const opened = await open(directory)
  await expectEverything(opened, 'Text of release 5', 7)
  await opened.service.close()
  expect(await readFile(join(directory, formatFile), 'utf8')).toBe(`${dataFormat}\n`)
  const { code, stdout } = await admin(directory, 'check')
  expect({ code, report: JSON.parse(stdout) as unknown }).toMatchObject({ code: 0, report: { ok: true, problems: [] } })
})

it('changes nothing more with the second start', async () => {
  const directory = await unpack()
  const documents = async (): Promise<Record<string, string>> => {
    const names = (await readdir(directory)).filter((name) => /^(?:handbook|notes|_service)\.json$/.test(name))
    const texts = names.map(async (name) => [name, await readFile(join(directory, name), 'utf8')] as const)
    return Object.fromEntries(await Promise.all(texts))
  }
  const opened = await open(directory)
  await expectWebhooks(opened)
  await opened.service.close()
  const upgraded = await documents()
  expect(Object.keys(upgraded)).toHaveLength(3)
  await opened.restart()
  await opened.service.close()
  expect(await documents()).toEqual(upgraded)
})

it('goes back to a backup of before the upgrade', async () => {
  const directory = await unpack()
  const archive = join(await temporaryDirectory(), 'before.tar.gz')
  const restored = join(await temporaryDirectory(), 'restored')
  expect(await admin(directory, 'backup', archive)).toMatchObject({ code: 0 })
  const opened = await open(directory)
  await opened.service.close()
  expect(await admin(directory, 'restore', archive, '--into', restored)).toMatchObject({ code: 0 })
  await expectEverything(await open(restored), 'Text of release 5', 7)
})

it('refuses the data of a newer version in one sentence, with a service and without, and leaves it alone', async () => {
  const directory = await unpack()
  await writeFile(join(directory, formatFile), `${dataFormat + 1}\n`)
  const before = await readdir(directory)
  const sentence = `has format ${dataFormat + 1}; this version of Quire reads up to ${dataFormat}.`
  const start = await quire(['serve'], { DATA_DIR: directory, PORT: String(await freePort()) })
  expect(start.code).not.toBe(0)
  expect(start.stderr + start.stdout).toContain(sentence)
  expect(start.stderr + start.stdout).toContain('Start that version, or restore a backup from before the upgrade')
  for (const words of [['check'], ['projects'], ['backup', join(await temporaryDirectory(), 'x')]])
    expect(await quire(['admin', '--data', directory, ...words])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(sentence) as string,
    })
  expect((await readdir(directory)).filter((name) => name !== '.lock')).toEqual(before)
})
