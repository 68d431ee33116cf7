import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { Failure } from '#contract/failure.ts'
import { operator } from '#contract/operator.ts'
import { createOperatorApp, type OperatorAppOptions } from '#http/operator/app.ts'
import type { OperatorRooms } from '#http/operator/rooms.ts'
import { fetchFrom } from '#http/operator/in-process.ts'
import { connectToOperator, serveOperator } from '#http/operator/socket.ts'
import { AuditNotes } from '#operator/audit-notes.ts'
import { whileHeld } from '#operator/projects.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const ada = {
  id: 'acc_1',
  email: 'ada@example.com',
  createdAt: '2026-01-01T00:00:00.000Z',
  plan: 'free',
  hasPassword: true,
  issuers: [],
} as const
const listed = { ...ada, owns: [], writes: [] }
const snapshot = {
  projectId: 'docs',
  document: '{}',
  refs: [['refs/heads/main', '0'.repeat(40)]] as const,
  use: {},
  grown: {},
}

/** Rooms that remember what they were asked. */
function fakeRooms(asked: unknown[][]): OperatorRooms {
  return {
    accounts: {
      list: () => Promise.resolve([ada]),
      createByOperator: (email, password) => {
        asked.push(['create', email, password])
        return Promise.resolve({ account: ada, password: password ?? 'random' })
      },
      resetPassword: (email) => Promise.reject(new Failure('not_found', `no ${email}`, { hint: 'Look.' })),
      setPlan: () => Promise.reject(new Error('a secret of the service')),
      readByEmail: () => Promise.resolve(null),
    },
    removal: {
      removeByEmail: (email) =>
        Promise.resolve(email === ada.email ? { account: ada, left: [{ id: 'docs', slug: 'docs' }] } : null),
    },
    members: {
      add: (_projectId, email) =>
        Promise.resolve({ id: ada.id, name: 'ada', email, role: 'writer', addedAt: ada.createdAt }),
      transfer: (projectId, id) => {
        asked.push(['transfer', projectId, id])
        return Promise.resolve({ id, name: 'ada', email: ada.email, role: 'owner', addedAt: ada.createdAt })
      },
    },
    projects: {
      ids: () => Promise.resolve(['docs', 'api']),
      find: () => Promise.resolve(null),
      resolve: () => null,
      slugOf: (id) => id,
      isSetAside: () => false,
      ownerOf: (id) => id,
      read: (id) => Promise.reject(new Failure('not_found', `There is no project ${id}.`)),
      setSuspended: (id) => Promise.reject(new Failure('not_found', `There is no project ${id}.`)),
    },
    lifecycle: { remove: (id) => Promise.reject(new Failure('not_found', `There is no project ${id}.`)) },
    liveDeploy: () => Promise.resolve(null),
    wake: () => undefined,
    now: () => new Date(ada.createdAt),
    store: { putBack: () => Promise.reject(new Error('nothing is set aside')) },
    operated: {
      repair: () => Promise.reject(new Error('nothing is to be repaired')),
      collect: () => Promise.resolve({ repositoryBytes: 1, releases: 2, releaseBytes: 3 }),
    },
    notes: new AuditNotes({ record: () => Promise.resolve() }, () => undefined),
  }
}

const key = 'a key'
const shown = { authorization: `Bearer ${key}` }

interface Served {
  readonly directory: string
  readonly held: Set<string>
  readonly asked: unknown[][]
  readonly client: Client
  readonly warnings: string[]
  /** Of the application's own log. */
  readonly logged: string[]
  close(): Promise<void>
}

interface ServedOptions {
  readonly directory?: string
  readonly longestHold?: number
}

function createFake(held: Set<string>, asked: unknown[][], more: Partial<OperatorAppOptions>) {
  return createOperatorApp({
    rooms: () => Promise.resolve(fakeRooms(asked)),
    hold: async (projectId) => {
      held.add(projectId)
      return { snapshot: { ...snapshot, projectId }, release: () => void held.delete(projectId) }
    },
    logger: pino({ level: 'silent' }),
    ...more,
  })
}

async function serve({ directory: given, longestHold }: ServedOptions = {}): Promise<Served> {
  const directory = given ?? (await temporaryDirectory())
  const [held, asked, warnings, logged] = [new Set<string>(), [] as unknown[][], [] as string[], [] as string[]]
  const logger = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const app = await createFake(held, asked, { key, logger, ...(longestHold === undefined ? {} : { longestHold }) })
  const warn = (_details: object, message: string) => void warnings.push(message)
  const socket = await serveOperator(app, { directory, key }, { warn })
  const connection = await connectToOperator(directory)
  onTestFinished(async () => {
    await connection.close()
    await socket.close()
  })
  const client = createClient({ baseUrl: 'http://operator', fetch: connection.fetch })
  return { directory, held, asked, client, warnings, logged, close: () => socket.close() }
}

const released = (held: Set<string>): Promise<void> => expect.poll(() => [...held]).toEqual([])

describe('the socket of an operator', () => {
  it('carries every question and its answer', async () => {
    const { client, asked, logged } = await serve()
    expect(await client.call(operator.accounts.list)).toEqual({ items: [listed] })
    const create = (body: { email: string; password?: string }) => client.call(operator.accounts.create, { body })
    expect(await create({ email: 'x@example.com' })).toMatchObject({ password: 'random' })
    expect(await create({ email: 'x@example.com', password: 'given one' })).toMatchObject({ password: 'given one' })
    expect(asked).toEqual([
      ['create', 'x@example.com', undefined],
      ['create', 'x@example.com', 'given one'],
    ])
    const remove = (email: string) => client.call(operator.accounts.remove, { query: { email } })
    expect(await remove('ada@example.com')).toEqual({ email: 'ada@example.com', removed: true, left: ['docs'] })
    expect(await remove('x@example.com')).toEqual({ email: 'x@example.com', removed: false })
    const params = { slug: 'docs' }
    const body = { email: 'ada@example.com' }
    expect(await client.call(operator.projects.transfer, { params, body })).toMatchObject({ role: 'owner' })
    expect(asked.at(-1)).toEqual(['transfer', 'docs', 'acc_1'])
    expect(await client.call(operator.projects.list)).toEqual({ items: [] })
    expect(await client.call(operator.projects.collect, { params })).toEqual({
      project: 'docs',
      repositoryBytes: 1,
      releases: 2,
      releaseBytes: 3,
    })
    // Passwords are among the questions.
    expect(logged).toEqual([])
  })

  it('carries refusals, and of mistakes only that there was one', async () => {
    const { client, logged } = await serve()
    await expect(client.call(operator.accounts.resetPassword, { body: { email: 'x' } })).rejects.toMatchObject({
      name: 'Failure',
      code: 'not_found',
      message: 'no x',
      hint: 'Look.',
    })
    const mistake: unknown = await client
      .call(operator.accounts.setPlan, { body: { email: 'x', plan: 'pro' } })
      .catch((error: unknown) => error)
    expect(mistake).toMatchObject({ code: 'internal' })
    expect(JSON.stringify(mistake) + String(mistake)).not.toContain('secret')
    expect(logged).toHaveLength(1)
  })

  it('outlives requests that make no sense', async () => {
    const { directory, client } = await serve()
    const statuses: (number | undefined)[] = []
    for (const [path, body] of [
      ['//', ''],
      ['/nothing', '{}'],
      ['/operator/accounts', '{"email'],
      ['/operator/accounts', 'null'],
      ['/operator/accounts', 'x'.repeat(70_000)],
    ] as const) {
      const headers = { ...shown, 'content-type': 'application/json' }
      const socketPath = join(directory, '.admin.sock')
      const sent = request({ socketPath, method: 'POST', path, headers, agent: false })
      sent.on('error', () => undefined).end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      statuses.push(response.resume().statusCode)
    }
    expect(statuses).toEqual([404, 404, 400, 400, 413])
    expect(await client.call(operator.accounts.list)).toEqual({ items: [listed] })
  })

  it('is for its own user only, replaces one that a killed service left, and goes with the service', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, '.admin.sock'), 'stale')
    await mkdir(join(directory, '.admin-abcdef'))
    const served = await serve({ directory })
    const { mode } = await stat(join(directory, '.admin.sock'))
    expect(mode & 0o777).toBe(0o600)
    expect(await readdir(directory)).toEqual(['.admin.key', '.admin.sock'])
    await served.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('works in a directory whose path is too long for a socket', async () => {
    const directory = join(await temporaryDirectory(), 'd'.repeat(120), 'data')
    await mkdir(directory, { recursive: true })
    const { client, warnings } = await serve({ directory })
    expect(await client.call(operator.accounts.list)).toEqual({ items: [listed] })
    expect(warnings).toEqual([])
  })

  it('answers only who shows the key that lies beside it, which others cannot read', async () => {
    const { directory, asked } = await serve()
    const socketPath = join(directory, '.admin.sock')
    const body = JSON.stringify({ email: 'ada@example.com', password: 'taken over' })
    for (const headers of [{}, { authorization: 'Bearer another key' }]) {
      const [response] = (await once(
        request({ socketPath, path: '/operator/accounts/password', method: 'POST', headers, agent: false }).end(body),
        'response',
      )) as [IncomingMessage]
      response.resume()
      expect(response.statusCode).toBe(401)
    }
    expect(asked).toEqual([])
    for (const name of ['.admin.key', '.admin.sock'])
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600)
  })

  it('says so when nobody listens', async () => {
    const { fetch, close } = await connectToOperator(await temporaryDirectory())
    const client = createClient({ baseUrl: 'http://operator', fetch })
    await expect(client.call(operator.accounts.list)).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The process that uses the data directory does not answer.',
    })
    await close()
  })

  it('holds a project until it is released', async () => {
    const { client, held } = await serve()
    const seen = await whileHeld(client, 'docs', async (given) => {
      expect([...held]).toEqual(['docs'])
      return given
    })
    expect(seen).toEqual(snapshot)
    await released(held)
  })

  it('lets go of what a command held that was killed', async () => {
    const { directory, held } = await serve()
    const path = '/operator/projects/docs/hold'
    const sent = request({ socketPath: join(directory, '.admin.sock'), path, headers: shown, agent: false })
    sent.on('error', () => undefined)
    sent.end()
    await expect.poll(() => [...held]).toEqual(['docs'])
    sent.destroy()
    await released(held)
  })

  it('lets go at once of what was held for a command that is not there any more', async () => {
    const directory = await temporaryDirectory()
    let [asked, letGo] = [false, 0]
    let answer = (): void => undefined
    const app = await createFake(new Set(), [], {
      key,
      hold: async () => {
        asked = true
        await new Promise<void>((resolve) => (answer = resolve))
        return { snapshot, release: () => (letGo += 1) }
      },
    })
    const closed = new Promise((resolve) => app.server.once('connection', (socket) => socket.once('close', resolve)))
    const socket = await serveOperator(app, { directory, key }, { warn: () => undefined })
    onTestFinished(() => socket.close())
    const path = '/operator/projects/docs/hold'
    const sent = request({ socketPath: join(directory, '.admin.sock'), path, headers: shown, agent: false })
    sent.on('error', () => undefined).end()
    await expect.poll(() => asked).toBe(true)
    sent.destroy()
    await closed
    answer()
    await expect.poll(() => letGo).toBe(1)
  })

  it('tells who holds a project that the service ends, and that it takes too long', async () => {
    const served = await serve()
    const cut = whileHeld(served.client, 'docs', async () => {
      await served.close()
      await released(served.held)
      throw new Error('what came of it')
    })
    await expect(cut).rejects.toMatchObject({ code: 'unavailable', message: /^The service ended/ })
    const impatient = await serve({ longestHold: 20 })
    const late = whileHeld(impatient.client, 'docs', async () => {
      await released(impatient.held)
      // The end of the connection comes a moment later.
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    await expect(late).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe('an operator without a service', () => {
  it('asks in the same way, also for what stays held', async () => {
    const [held, asked] = [new Set<string>(), [] as unknown[][]]
    const app = await createFake(held, asked, {})
    const client = createClient({ baseUrl: 'http://operator', fetch: fetchFrom(app) })
    expect(await client.call(operator.accounts.create, { body: { email: 'x' } })).toMatchObject({ password: 'random' })
    await expect(client.call(operator.accounts.resetPassword, { body: { email: 'x' } })).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Look.',
    })
    const seen = await whileHeld(client, 'docs', async (given) => {
      expect([...held]).toEqual(['docs'])
      return given
    })
    expect(seen).toEqual(snapshot)
    await released(held)
    await app.close()
  })

  it('tells what a hold refuses', async () => {
    const refusing = await createFake(new Set(), [], {
      hold: () => Promise.reject(new Failure('not_found', 'There is no such project.')),
    })
    const client = createClient({ baseUrl: 'http://operator', fetch: fetchFrom(refusing) })
    const held = whileHeld(client, 'docs', () => Promise.resolve())
    await expect(held).rejects.toMatchObject({ code: 'not_found' })
  })
})
