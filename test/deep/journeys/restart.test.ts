import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import net from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { contract } from '#contract/index.ts'
import { childrenOf } from '#test/support/process-tree.ts'
import {
  createProject,
  freePort,
  startService,
  unlimited,
  type ProjectAccess,
  type ServiceProcess,
} from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const page = '# A page\n\nThat somebody reads.\n'
const patience = { timeout: 60_000, interval: 50 }

let directory: string
beforeEach(async () => {
  directory = await temporaryDirectory()
})

/** Readers of a page, each on and on: two over connections that they keep, one over a new one each time. */
class Readers {
  read = 0
  readonly failures: unknown[] = []
  readonly #port: number
  readonly #reading: Promise<unknown>
  #isOver = false

  constructor(port: number) {
    this.#port = port
    const agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 }), false]
    this.#reading = Promise.all(agents.map((agent) => this.#readOn(agent as Agent | false)))
  }

  async #readOn(agent: Agent | false): Promise<void> {
    while (!this.#isOver) {
      try {
        const answer = await this.#once(agent)
        if (!answer.includes('That somebody reads.')) this.failures.push(answer)
        this.read += 1
      } catch (error) {
        this.failures.push(error)
      }
      await sleep(2)
    }
    if (agent !== false) agent.destroy()
  }

  #once(agent: Agent | false): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { host: `docs.localhost:${this.#port}` }
      request({ host: '127.0.0.1', port: this.#port, path: '/', agent, headers }, (response) => {
        text(response).then(resolve, reject)
      })
        .on('error', reject)
        .end()
    })
  }

  /** A moment later: what a restart does to them is seen. */
  async stop(): Promise<void> {
    const before = this.read
    await vi.waitUntil(() => this.read > before + 200, patience)
    this.#isOver = true
    await this.#reading
  }
}

/** Saves on and on; whoever is told that the service starts anew, or nothing at all, tries again. */
class Writer {
  readonly saved = new Map<string, string | null>()
  readonly failures: unknown[] = []
  readonly #project: ProjectAccess
  readonly #writing: Promise<void>
  #isOver = false

  constructor(project: ProjectAccess, branch: string) {
    this.#project = project
    this.#writing = this.#writeOn(branch)
  }

  async #writeOn(id: string): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      const path = `page-${turn}.md`
      try {
        const params = { slug: 'docs', id, path }
        const { oid } = await this.#project.client.call(contract.branches.saveFile, { params, body: { content: path } })
        this.saved.set(path, oid)
      } catch (error) {
        if (!/about to stop|start anew|cannot be reached|fetch failed/.test(String(error))) this.failures.push(error)
      }
      await sleep(20)
    }
  }

  async stop(): Promise<void> {
    const before = this.saved.size
    await vi.waitUntil(() => this.saved.size > before + 5, patience)
    this.#isOver = true
    await this.#writing
  }
}

interface Work {
  readonly readers: Readers
  readonly writer: Writer
  /** Ends it: no page was not read, and all that was acknowledged is there. */
  see(): Promise<void>
}

async function begin(service: ServiceProcess): Promise<Work> {
  const project = await createProject(service.url, 'docs')
  const { client } = project
  await client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: page }] } })
  const params = { slug: 'docs' }
  const { id } = await client.call(contract.branches.create, { params, body: { name: 'draft' } })
  const readers = new Readers(service.port)
  const writer = new Writer(project, id)
  const see = async (): Promise<void> => {
    await Promise.all([readers.stop(), writer.stop()])
    expect(readers.failures).toEqual([])
    expect(writer.failures).toEqual([])
    for (const [path, oid] of writer.saved)
      expect(await client.call(contract.branches.readFile, { params: { ...params, id, path } })).toMatchObject({ oid })
  }
  await expect.poll(() => writer.saved.size, patience).toBeGreaterThan(3)
  return { readers, writer, see }
}

const started = async (settings: Record<string, string> = {}): Promise<ServiceProcess> => {
  const service = await startService(directory, { ...unlimited, ...settings }, undefined, { program: 'server' })
  onTestFinished(() => service.stop())
  return service
}

it('SIGHUP lets a new service take over: no reader is refused, and nothing that was saved is lost', async () => {
  const service = await started()
  const work = await begin(service)
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('the new service has taken over')
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log().split('has taken over').length, patience).toBe(3)
  await work.see()
  await service.stop()
  expect(service.child.exitCode).toBe(0)
})

it('a new service whose settings are wrong leaves the one before as it was', async () => {
  const settings = join(directory, '..', `${Date.now()}.settings`)
  await writeFile(settings, 'DRAIN_SECONDS=20\n')
  const service = await started({ SETTINGS_FILE: settings })
  const work = await begin(service)
  await writeFile(settings, 'DRAIN_SECONDS=soon\n')
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('the one before goes on')
  expect(service.log()).toContain('The settings are not valid: DRAIN_SECONDS')
  await work.see()
})

it('a new service that fails with the data directory in its hands gives it back', async () => {
  const settings = join(directory, '..', `${Date.now()}.settings`)
  await writeFile(settings, '')
  const service = await started({ SETTINGS_FILE: settings })
  const work = await begin(service)
  // An address that no machine has: it is found out when all else is ready.
  await writeFile(settings, 'HOST=203.0.113.1\n')
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('the one before goes on')
  expect(service.log()).toContain('cannot listen at 203.0.113.1')
  await work.see()
  await writeFile(settings, '')
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('the new service has taken over')
})

it('behind a socket that somebody else keeps, connections wait from one service to the next', async () => {
  const port = await freePort()
  // As systemd does: bound, and never accepted from.
  type Bind = (host: string, port: number, family: 4) => { readonly fd: number; close(): void }
  const socket = (Reflect.get(net, '_createServerHandle') as Bind)('127.0.0.1', port, 4)
  onTestFinished(() => socket.close())
  const through = ['sh', '-c', 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"']
  const how = { program: 'server', through, socket: socket.fd } as const
  const first = await startService(directory, unlimited, port, how)
  const work = await begin(first)
  await first.stop()
  expect(first.child.exitCode).toBe(0)
  const second = await startService(directory, unlimited, port, how)
  onTestFinished(() => second.stop())
  await work.see()
})

it('whoever ends the process that stays ends the service with it', async () => {
  const service = await started()
  const children = childrenOf(service.child.pid ?? 0)
  expect(children).toHaveLength(1)
  await service.kill()
  await expect.poll(() => isAlive(children[0] ?? 0), patience).toBe(false)
})

it('and the process that stays ends as the service does', async () => {
  const service = await started()
  const [child = 0] = childrenOf(service.child.pid ?? 0)
  process.kill(child, 'SIGKILL')
  await expect.poll(() => service.child.signalCode, patience).toBe('SIGKILL')
})

it('and at once when that dies right after it has taken over, whoever the one before still answers', async () => {
  const service = await started({ DRAIN_SECONDS: '60' })
  const project = await createProject(service.url, 'docs')
  await project.client.call(contract.deploys.create, {
    body: {
      files: [
        { path: 'index.md', content: page },
        { path: 'large.txt', content: 'x'.repeat(4_900_000) },
      ],
    },
  })
  const slow = net.connect(service.port, '127.0.0.1')
  onTestFinished(() => void slow.destroy())
  slow.on('error', () => undefined).write('GET /large.txt HTTP/1.1\r\nHost: docs.localhost\r\n\r\n')
  await once(slow, 'readable')
  const [before = 0] = childrenOf(service.child.pid ?? 0)
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('the new service has taken over')
  const next = childrenOf(service.child.pid ?? 0).find((pid) => pid !== before) ?? 0
  expect(isAlive(before)).toBe(true)
  process.kill(next, 'SIGKILL')
  // Long before the slow reader would be cut off.
  await expect.poll(() => service.child.signalCode, { timeout: 5000 }).toBe('SIGKILL')
})

it('a stranger who sends a request slowly holds up no restart, and is told to send it again', async () => {
  const service = await started({ DRAIN_SECONDS: '60' })
  const head = `POST /api/auth/login HTTP/1.1\r\nHost: localhost:${service.port}\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n`
  const slow = net.connect(service.port, '127.0.0.1')
  onTestFinished(() => void slow.destroy())
  slow.write(`${head}{"email":"ada@example.com",`)
  await sleep(200)
  service.child.kill('SIGHUP')
  // Not after the sixty seconds.
  await expect.poll(() => service.log(), { timeout: 30_000 }).toContain('the new service has taken over')
  slow.end('"password":"wrong horse battery"}'.padEnd(33))
  expect(await text(slow)).toMatch(/^HTTP\/1\.1 503 .*about to stop or to start anew/s)
})

it('load balancers see no restart', async () => {
  const service = await started()
  const seen = new Set<number>()
  const over = new AbortController()
  const looking = (async () => {
    while (!over.signal.aborted)
      seen.add((await fetch(`${service.url}/readyz`, { headers: { connection: 'close' } })).status)
  })()
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('the new service has taken over')
  over.abort()
  await looking
  expect([...seen]).toEqual([200])
})

it('a restart that is asked for amidst another one follows it, also when that came to nothing', async () => {
  const service = await started()
  const [before = 0] = childrenOf(service.child.pid ?? 0)
  service.child.kill('SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('a new service is started')
  // Whoever reads the log knows the process of the service itself.
  process.kill(before, 'SIGHUP')
  await expect.poll(() => service.log(), patience).toContain('a service starts already; another one follows it')
  const next = childrenOf(service.child.pid ?? 0).find((pid) => pid !== before) ?? 0
  if (!service.log().includes('has taken over')) process.kill(next, 'SIGKILL')
  await expect.poll(() => service.log().split('a new service is started').length, patience).toBe(3)
  await expect.poll(() => service.log(), patience).toContain('the new service has taken over')
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
