import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type Client } from '../../src/client/client.ts'
import { contract } from '../../src/contract/index.ts'
import { dist } from '../../src/paths.ts'

/** A real service in a process of its own, as `npm start` runs it. */
export interface ServiceProcess {
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
  /** What it printed so far. */
  log(): string
  /** SIGTERM and wait for the end. */
  stop(): Promise<void>
  /** SIGKILL and wait for the end. */
  kill(): Promise<void>
}

/**
 * A port of loopback that was free a moment ago: URLs hold it, so the service must know it before it listens. From below
 * those that the system gives to connections, of which some thousands come and go while tests run side by side.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const free = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** @param environment settings beside PORT and DATA_DIR. Resolves when the service answers its health check. */
export async function startService(
  dataDirectory: string,
  environment: Record<string, string> = {},
  port?: number,
): Promise<ServiceProcess> {
  const chosen = port ?? (await freePort())
  const child = spawn(process.execPath, [join(dist, 'server.js')], {
    env: {
      PATH: process.env['PATH'],
      HOME: dataDirectory,
      LOG_LEVEL: 'warn',
      ...environment,
      PORT: String(chosen),
      DATA_DIR: dataDirectory,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  child.stdout.on('data', (chunk: Buffer) => (log += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()))
  const ended = once(child, 'exit')
  const url = `http://localhost:${chosen}`
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  const service = { url, port: chosen, child, log: () => log, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
  for (let tries = 0; ; tries++) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the service ended at its start:\n${log}`)
    const healthy = await fetch(`http://127.0.0.1:${chosen}/healthz`).then(
      (response) => response.ok,
      () => false,
    )
    if (healthy) return service
    if (tries > 600) {
      await end('SIGKILL')
      throw new Error(`the service does not answer:\n${log}`)
    }
    await sleep(25)
  }
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
