import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { EventLoopWatch, type Stall } from './event-loop/stalls.ts'

/** A real service in a process of its own. */
export interface ServiceProcess {
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
  /** What it printed so far. */
  log(): string
  /** When its event loop was held, and by what. Every test fails whose requests held it for too long. */
  stalls(): readonly Stall[]
  /** SIGTERM and wait for the end. */
  stop(): Promise<void>
  /** SIGKILL and wait for the end. */
  kill(): Promise<void>
}

interface Launch {
  /** A program, with its arguments, that becomes the service: as another user, in another namespace. */
  readonly through?: readonly string[]
  /** `server`: with the process above it that restarts it, as `npm start` runs it. */
  readonly program?: 'service' | 'server'
  /** Becomes descriptor 3. */
  readonly socket?: number
}

/** Ports of loopback that are below those that the system gives to connections, of which thousands come and go. */
const ports = { from: 20_000, to: 32_000 }
/** One more than files of tests run side by side; the first share is of programs that are no tests. */
const shares = 4
const given = new Set<number>()

/**
 * A port that was free a moment ago, and that nobody here gets again: URLs hold it, so the service must know it before
 * it listens, and it is the service's over a restart. Tests that run side by side choose from ranges of their own.
 */
export async function freePort(): Promise<number> {
  const share = (ports.to - ports.from) / shares
  const from = ports.from + (Number(process.env['VITEST_POOL_ID'] ?? 0) % shares) * share
  for (;;) {
    const port = from + randomInt(share)
    if (given.has(port)) continue
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    server.close()
    await once(server, 'close')
    given.add(port)
    return port
  }
}

/** Settings for tests that ask as much as they can: how much that is in a minute depends on the machine. */
export const unlimited: Readonly<Record<string, string>> = {
  RATE_BRANCHES: '1000000',
  RATE_CALLERS: '1000000',
  RATE_CHANGELOG: '1000000',
  RATE_DEPLOY: '1000000',
  RATE_GENERATE: '1000000',
}

/** In the place of the world’s name servers, which no test asks. */
export const nobodysServer = '127.0.0.1:1'

/** How long a start may take on a busy machine, with all that a killed service left to be put right. */
const patienceMs = 120_000

/**
 * Resolves when the service listens; throws what it said when it ended.
 *
 * @param environment settings beside PORT and DATA_DIR.
 */
export async function startService(
  dataDirectory: string,
  environment: Record<string, string> = {},
  port?: number,
  how: Launch = {},
): Promise<ServiceProcess> {
  const began = performance.now()
  for (;;) {
    const service = launch(dataDirectory, environment, { port: port ?? (await freePort()), ...how })
    const { child } = service
    // What it said last may come after its end.
    const streams = { closed: false }
    child.once('close', () => (streams.closed = true))
    // Its own word: at the port somebody else may answer.
    while (!streams.closed && !service.log().includes('(listening on ')) {
      if (performance.now() - began > patienceMs) await service.kill()
      await sleep(25)
    }
    if (!streams.closed) return service
    // Programs that have nothing to do with this one take ports, too.
    const again = service.log().includes('EADDRINUSE') && performance.now() - began < patienceMs
    if (!again) throw new Error(`the service ended at its start:\n${service.log()}`)
  }
}

function launch(
  dataDirectory: string,
  environment: Record<string, string>,
  { port, through = [], program = 'service', socket }: Launch & { readonly port: number },
): ServiceProcess {
  const watch = new EventLoopWatch()
  const [first, ...rest] = [...through, process.execPath, ...watch.arguments, join(dist, `${program}.js`)]
  const child = spawn(first, rest, {
    env: {
      PATH: process.env['PATH'],
      HOME: dataDirectory,
      LOG_LEVEL: 'warn',
      DNS_SERVERS: nobodysServer,
      // In a test, one project at a time needs no second child, which costs a start as much as the first.
      ...(process.env['VITEST'] === undefined ? {} : { RENDER_CHILDREN: '1' }),
      ...environment,
      PORT: String(port),
      DATA_DIR: dataDirectory,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(socket === undefined ? [] : [socket])],
  })
  watch.follow(child)
  let log = ''
  child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const ended = once(child, 'exit')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  const [stop, kill] = [() => end('SIGTERM'), () => end('SIGKILL')]
  return { url: `http://localhost:${port}`, port, child, log: () => log, stalls: () => watch.stalls(), stop, kill }
}

export interface ProjectAccess {
  readonly slug: string
  /** API key with the default scopes. */
  readonly key: string
  readonly session: string
  readonly client: Client
}

/** An account, a project and a key, made through the API. */
export async function createProject(url: string, slug: string): Promise<ProjectAccess> {
  const credentials = { email: `${slug}@example.com`, password: 'correct horse battery' }
  const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, { body: credentials })
  const owner = createClient({ baseUrl: url, token })
  await owner.call(contract.projects.create, { body: { slug } })
  const { key } = await owner.call(contract.keys.create, { params: { slug }, body: { name: 'test' } })
  return { slug, key, session: token, client: createClient({ baseUrl: url, token: key }) }
}
