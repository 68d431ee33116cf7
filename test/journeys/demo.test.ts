import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { root } from '../../src/lib/paths.ts'
import { freePort, nobodysServer } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)

/** `npm run <script>` in a group of its own, as a terminal starts it. */
interface Npm {
  readonly child: ChildProcess & { readonly pid: number }
  /** Resolves with what was printed, once it is in it; rejects when it ended before. */
  printed(words: string): Promise<string>
}

const started: Npm['child'][] = []

afterEach(async () => {
  for (const child of started.splice(0)) for (const pid of await processesOf(child.pid)) process.kill(pid, 'SIGKILL')
})

async function npmRun(script: string, settings: Readonly<Record<string, string>>): Promise<Npm> {
  const child = spawn('npm', ['run', script], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: await temporaryDirectory(),
      DNS_SERVERS: nobodysServer,
      RENDER_CHILDREN: '1',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  }) as Npm['child'] & { readonly stdout: NodeJS.ReadableStream; readonly stderr: NodeJS.ReadableStream }
  started.push(child)
  let text = ''
  let closed = false
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
  child.once('exit', () => (closed = true))
  const printed = async (words: string): Promise<string> => {
    await expect.poll(() => closed || text.includes(words), { timeout: 100_000 }).toBe(true)
    if (!text.includes(words)) throw new Error(`it ended:\n${text}`)
    return text
  }
  return { child, printed }
}

/** It, and all that it and those have started and that is alive: also whose starter is gone, as long as it was seen. */
async function processesOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-e', '-o', 'pid=,ppid=,stat='])
  const all = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => !state?.startsWith('Z'))
    .map(([id, parent]) => ({ id: Number(id), parent: Number(parent) }))
  const found = new Set(all.filter(({ id }) => id === pid).map(({ id }) => id))
  for (let size = -1; size < found.size;) {
    size = found.size
    for (const { id, parent } of all) if (found.has(parent)) found.add(id)
  }
  return [...found]
}

async function areGone(pids: readonly number[]): Promise<void> {
  const alive = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  await expect.poll(() => pids.filter(alive), { timeout: 60_000 }).toEqual([])
}

it('a demo takes over no service that answers at its port already', async () => {
  const port = await freePort()
  const asked: string[] = []
  const other = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end('{"status":"ok"}')
  }).listen(port, '::1')
  await once(other, 'listening')
  const demo = await npmRun('demo', { PORT: String(port), DATA_DIR: await temporaryDirectory() })
  const text = await demo.printed('Ctrl-C ends it.')
  expect(text).toContain(`Port ${port} is taken: this demo is at ${port + 1}`)
  expect(text).toContain(`Site       http://demo.localhost:${port + 1}`)
  expect(asked).toEqual([])
  other.close()
})

it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('a demo whose npm gets %s leaves no process', async (signal) => {
  const demo = await npmRun('demo', { PORT: String(await freePort()), DATA_DIR: await temporaryDirectory() })
  await demo.printed('Ctrl-C ends it.')
  const processes = await processesOf(demo.child.pid)
  expect(processes.length).toBeGreaterThan(3)
  demo.child.kill(signal)
  await areGone(processes)
})

it.each([
  ['npm', (pid: number) => pid],
  ['all that a terminal or a container runs', (pid: number) => -pid],
])('`npm start` drains, and ends as the service does, when SIGTERM goes to %s', async (_whom, target) => {
  const port = await freePort()
  const service = await npmRun('start', { PORT: String(port), DATA_DIR: await temporaryDirectory() })
  await service.printed('(listening on ')
  const processes = await processesOf(service.child.pid)
  const ended = once(service.child, 'exit')
  process.kill(target(service.child.pid), 'SIGTERM')
  // It tells load balancers first.
  await expect
    .poll(async () => (await fetch(`http://localhost:${port}/readyz`).catch(() => undefined))?.status)
    .toBe(503)
  expect(await ended).toEqual([0, null])
  await areGone(processes)
})
