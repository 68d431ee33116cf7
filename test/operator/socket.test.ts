import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Failure } from '../../src/contract/failure.ts'
import type { Hold, Operator } from '../../src/operator/operator.ts'
import { whileHeld } from '../../src/operator/operator.ts'
import { RemoteOperator } from '../../src/operator/remote.ts'
import { serveOperator, type SocketOptions } from '../../src/operator/socket.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const ada = {
  id: 'acc_1',
  email: 'ada@example.com',
  createdAt: '2026-01-01T00:00:00.000Z',
  plan: 'free',
  hasPassword: true,
  issuers: [],
} as const

/** An operator that remembers what it was asked, and who holds projects. */
class FakeOperator implements Operator {
  readonly shared = true
  readonly held = new Set<string>()
  readonly asked: unknown[][] = []
  readonly accounts = {
    list: () => Promise.resolve([ada]),
    createByOperator: (email: string, password?: string) => {
      this.asked.push(['create', email, password])
      return Promise.resolve({ account: ada, password: password ?? 'random' })
    },
    resetPassword: (email: string) => Promise.reject(new Failure('not_found', `no ${email}`, { hint: 'Look.' })),
    setPlan: () => Promise.reject(new Error('a secret of the service')),
    remove: (email: string) => Promise.resolve(email === ada.email ? { account: ada, left: ['docs'] } : null),
    transferProject: (slug: string, email: string) => {
      this.asked.push(['transfer', slug, email])
      return Promise.resolve({ id: ada.id, email, role: 'owner' as const, addedAt: ada.createdAt })
    },
  }

  hold(slug: string): Promise<Hold> {
    this.held.add(slug)
    const snapshot = { slug, document: '{}', refs: [['refs/heads/main', '0'.repeat(40)]] as const, grown: {} }
    const release = async (): Promise<void> => void this.held.delete(slug)
    return Promise.resolve({ snapshot, lost: new AbortController().signal, release })
  }

  collect(project: string) {
    return Promise.resolve({ project, repositoryBytes: 1, releases: 2, releaseBytes: 3 })
  }

  close = () => Promise.resolve()
}

interface Served {
  readonly directory: string
  readonly operator: FakeOperator
  readonly remote: RemoteOperator
  readonly warnings: string[]
  close(): Promise<void>
}

async function serve(options: Partial<SocketOptions> = {}): Promise<Served> {
  const directory = options.directory ?? (await temporaryDirectory())
  const operator = new FakeOperator()
  const warnings: string[] = []
  const log = {
    warn: (_details: object, message: string) => void warnings.push(message),
    error: (_details: object, message: string) => void warnings.push(message),
  }
  const socket = await serveOperator({ operator, log, ...options, directory })
  const remote = await RemoteOperator.open(directory)
  onTestFinished(async () => {
    await remote.close()
    await socket.close()
  })
  return { directory, operator, remote, warnings, close: () => socket.close() }
}

const released = (operator: FakeOperator): Promise<void> => expect.poll(() => [...operator.held]).toEqual([])

describe('the socket of an operator', () => {
  it('carries every question and its answer', async () => {
    const { remote, operator } = await serve()
    expect(await remote.accounts.list()).toEqual([ada])
    expect(await remote.accounts.createByOperator('x@example.com')).toMatchObject({ password: 'random' })
    expect(await remote.accounts.createByOperator('x@example.com', 'given one')).toMatchObject({
      password: 'given one',
    })
    expect(operator.asked).toEqual([
      ['create', 'x@example.com', undefined],
      ['create', 'x@example.com', 'given one'],
    ])
    expect(await remote.accounts.remove('ada@example.com')).toEqual({ account: ada, left: ['docs'] })
    expect(await remote.accounts.remove('x@example.com')).toBeNull()
    expect(await remote.accounts.transferProject('docs', 'x@example.com')).toMatchObject({ email: 'x@example.com' })
    expect(operator.asked.at(-1)).toEqual(['transfer', 'docs', 'x@example.com'])
    expect(await remote.collect('docs')).toEqual({ project: 'docs', repositoryBytes: 1, releases: 2, releaseBytes: 3 })
  })

  it('carries refusals, and of mistakes only that there was one', async () => {
    const { remote, warnings } = await serve()
    await expect(remote.accounts.resetPassword('x')).rejects.toMatchObject({
      name: 'Failure',
      code: 'not_found',
      message: 'no x',
      hint: 'Look.',
    })
    const mistake = await remote.accounts.setPlan('x', 'pro').catch((error: unknown) => error)
    expect(mistake).toMatchObject({ code: 'internal' })
    expect(JSON.stringify(mistake) + String(mistake)).not.toContain('secret')
    expect(warnings).toHaveLength(1)
  })

  it('outlives requests that make no sense', async () => {
    const { directory, remote } = await serve()
    const statuses: (number | undefined)[] = []
    for (const [path, body] of [
      ['//', ''],
      ['/nothing', '{}'],
      ['/collect', '{"slug'],
      ['/collect', 'null'],
      ['/collect', 'x'.repeat(70_000)],
    ] as const) {
      const sent = request({ socketPath: join(directory, '.admin.sock'), method: 'POST', path, agent: false })
      sent.on('error', () => undefined).end(body)
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      statuses.push(response.resume().statusCode)
    }
    expect(statuses).toEqual([404, 404, 500, 500, 413])
    expect(await remote.accounts.list()).toEqual([ada])
  })

  it('is for its own user only, replaces one that a killed service left, and goes with the service', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, '.admin.sock'), 'stale')
    await mkdir(join(directory, '.admin-abcdef'))
    const served = await serve({ directory })
    const { mode } = await stat(join(directory, '.admin.sock'))
    expect(mode & 0o777).toBe(0o600)
    expect(await readdir(directory)).toEqual(['.admin.sock'])
    await served.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('works in a directory whose path is too long for a socket', async () => {
    const directory = join(await temporaryDirectory(), 'd'.repeat(120), 'data')
    await mkdir(directory, { recursive: true })
    const { remote, warnings } = await serve({ directory })
    expect(await remote.accounts.list()).toEqual([ada])
    expect(warnings).toEqual([])
  })

  it('says so when nobody listens', async () => {
    const directory = await temporaryDirectory()
    const remote = await RemoteOperator.open(directory)
    await expect(remote.accounts.list()).rejects.toMatchObject({ code: 'unavailable' })
    await remote.close()
  })

  it('holds a project until it is released', async () => {
    const { remote, operator } = await serve()
    const seen = await whileHeld(remote, 'docs', async (snapshot) => {
      expect([...operator.held]).toEqual(['docs'])
      return snapshot
    })
    expect(seen).toEqual({ slug: 'docs', document: '{}', refs: [['refs/heads/main', '0'.repeat(40)]], grown: {} })
    await released(operator)
  })

  it('lets go of what a command held that was killed', async () => {
    const { directory, operator } = await serve()
    const sent = request({ socketPath: join(directory, '.admin.sock'), path: '/hold/docs', agent: false })
    sent.on('error', () => undefined)
    sent.end()
    await expect.poll(() => [...operator.held]).toEqual(['docs'])
    sent.destroy()
    await released(operator)
  })

  it('tells who holds a project that the service ends, and that it takes too long', async () => {
    const served = await serve()
    const cut = await served.remote.hold('docs')
    expect(cut.lost.aborted).toBe(false)
    await served.close()
    await expect.poll(() => cut.lost.aborted).toBe(true)
    await cut.release()
    const impatient = await serve({ longestHold: 20 })
    const late = await impatient.remote.hold('docs')
    await expect.poll(() => late.lost.aborted).toBe(true)
    await released(impatient.operator)
  })

  it('makes a lost hold the reason of whatever fails after it', async () => {
    const lost = new AbortController()
    const operator = {
      hold: async (slug: string) => ({ ...(await new FakeOperator().hold(slug)), lost: lost.signal }),
    }
    const work = whileHeld(operator, 'docs', async () => {
      lost.abort(new Failure('unavailable', 'the service ended'))
      throw new Error('what came of it')
    })
    await expect(work).rejects.toMatchObject({ code: 'unavailable' })
  })
})
