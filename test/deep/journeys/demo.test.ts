import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { cp, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { afterEach, expect, it } from 'vitest'
import { dist, root } from '#lib/paths.ts'
import { descendants, isRunning } from '#test/support/process-tree.ts'
import { freePort, nobodysServer } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

/** `npm run <script>` in a group of its own, as a terminal starts it. */
interface Npm {
  readonly child: ChildProcess & { readonly pid: number }
  /** Resolves with what was printed, once it is in it; rejects when it ended before. */
  printed(words: string): Promise<string>
}

const started: Npm['child'][] = []

afterEach(async () => {
  for (const child of started.splice(0)) for (const pid of processesOf(child.pid)) process.kill(pid, 'SIGKILL')
})

const npmRun = (script: string, settings: Readonly<Record<string, string>>): Promise<Npm> =>
  start(['npm', 'run', script], settings, root)

async function start(
  [program, ...given]: readonly [string, ...string[]],
  settings: Readonly<Record<string, string>>,
  directory: string,
): Promise<Npm> {
  const child = spawn(program, given, {
    cwd: directory,
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

/** It, and all that it and those have started and that is alive. */
const processesOf = (pid: number): number[] => [pid, ...descendants(pid)].filter(isRunning)

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

/** A checkout that is built, of its own: the demos of whoever works on this one are left alone. */
async function otherCheckout(): Promise<string> {
  const checkout = await temporaryDirectory()
  for (const name of ['dist', 'docs', 'fixtures', 'package.json'])
    await cp(join(root, name), join(checkout, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'))
  // What renders pages runs as another user.
  await run('chmod', ['-R', 'a+rX', checkout])
  return checkout
}

it('demos of one checkout side by side have a directory each, and the first is free again when it has ended', async () => {
  const checkout = await otherCheckout()
  const port = await freePort()
  const demo = (): Promise<Npm> => start([process.execPath, 'dist/demo.js'], { PORT: String(port) }, checkout)
  const directories = async (): Promise<readonly string[]> => (await readdir(join(checkout, 'repos'))).toSorted()
  const status = async (at: number): Promise<number> => (await getSite(at, 'demo.localhost', '/')).status

  const first = await demo()
  expect(await first.printed('Ctrl-C ends it.')).not.toContain('is taken')
  expect(await directories()).toEqual(['.demo'])
  const second = await demo()
  const text = await second.printed('Ctrl-C ends it.')
  expect(text).toContain(`Port ${port} is taken: this demo is at ${port + 1}, its data in ${checkout}/repos/.demo-2.`)
  expect(await directories()).toEqual(['.demo', '.demo-2'])
  expect([await status(port), await status(port + 1)]).toEqual([200, 200])
  // Each is the owner of its own.
  const holders = await Promise.all(
    ['.demo', '.demo-2'].map((name) => readFile(join(checkout, 'repos', name, '.lock'), 'utf8')),
  )
  expect(new Set(holders.map(Number)).size).toBe(2)
  expect(processesOf(first.child.pid)).toContain(Number(holders[0]))
  expect(processesOf(second.child.pid)).toContain(Number(holders[1]))

  const ended = once(first.child, 'exit')
  first.child.kill('SIGINT')
  await ended
  const third = await demo()
  expect(await third.printed('Ctrl-C ends it.')).not.toContain('is taken')
  expect(await directories()).toEqual(['.demo', '.demo-2'])
  expect([await status(port), await status(port + 1)]).toEqual([200, 200])
})

it('a demo is the same whatever the commands and the service of whoever starts it are set to', async () => {
  const port = await freePort()
  const others = {
    QUIRE_PROJECT: 'foo',
    QUIRE_URL: 'http://127.0.0.1:1',
    SERVICE_API_KEY: 'quire_other',
    SIGNUP: 'closed',
    PUBLIC_URL: 'https://docs.example.com',
    PREVIEW_DOMAIN: 'example-docs.net',
    HOST: '203.0.113.1',
    MAX_PROJECTS: '1',
    SETTINGS_FILE: '/nowhere',
  }
  const demo = await npmRun('demo', { PORT: String(port), DATA_DIR: await temporaryDirectory(), ...others })
  const text = await demo.printed('Ctrl-C ends it.')
  expect(text).toContain(`Docs       http://quire.localhost:${port}\n`)
  expect(text).toContain(`Dashboard  http://localhost:${port}/`)
  expect(text).not.toContain('"level"')
})

it.each(['abc', '0', '70000', '4000.5', '-1'])('a demo says in a sentence that PORT cannot be %s', async (port) => {
  const words = [join(dist, 'demo.js')]
  const env = { PATH: process.env['PATH'], PORT: port }
  await expect(run(process.execPath, words, { env })).rejects.toMatchObject({
    code: 2,
    stderr: `PORT must be a whole number from 1 to 65535, not "${port}".\n`,
    stdout: '',
  })
})

it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)('a demo whose npm gets %s leaves no process', async (signal) => {
  const demo = await npmRun('demo', { PORT: String(await freePort()), DATA_DIR: await temporaryDirectory() })
  await demo.printed('Ctrl-C ends it.')
  const processes = processesOf(demo.child.pid)
  expect(processes.length).toBeGreaterThan(3)
  demo.child.kill(signal)
  await areGone(processes)
})

it('a demo whose terminal closes leaves no process', async () => {
  const settings = { PORT: String(await freePort()), DATA_DIR: await temporaryDirectory() }
  const terminal = spawnTerminal('npm', ['run', 'demo'], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: await temporaryDirectory(), DNS_SERVERS: nobodysServer, ...settings },
  })
  let text = ''
  terminal.onData((chunk) => (text += chunk))
  await expect.poll(() => text, { timeout: 100_000 }).toContain('Ctrl-C ends it.')
  const processes = processesOf(terminal.pid)
  expect(processes.length).toBeGreaterThan(3)
  // As the window goes: who writes to it now gets an error.
  ;(terminal as unknown as { destroy(): void }).destroy()
  await areGone(processes)
})

it.each([
  ['npm', (pid: number) => pid],
  ['all that a terminal or a container runs', (pid: number) => -pid],
])('`npm start` drains, and ends as the service does, when SIGTERM goes to %s', async (_whom, target) => {
  const port = await freePort()
  const service = await npmRun('start', { PORT: String(port), DATA_DIR: await temporaryDirectory() })
  await service.printed('(listening on ')
  const processes = processesOf(service.child.pid)
  const ended = once(service.child, 'exit')
  process.kill(target(service.child.pid), 'SIGTERM')
  // It tells load balancers first.
  await expect
    .poll(async () => (await fetch(`http://localhost:${port}/readyz`).catch(() => undefined))?.status)
    .toBe(503)
  expect(await ended).toEqual([0, null])
  await areGone(processes)
})
