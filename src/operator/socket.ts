import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { Operator } from './operator.ts'
import { sendableFailure } from './sent-failure.ts'
import { shortPath, socketName, type ShortPath } from './socket-path.ts'

export interface SocketOptions {
  readonly operator: Operator
  /** Data directory, which this process has locked. */
  readonly directory: string
  readonly log: {
    warn(details: Readonly<Record<string, unknown>>, message: string): void
    error(details: Readonly<Record<string, unknown>>, message: string): void
  }
  /** Milliseconds for which one project may be held: whoever forgets to let go must not keep its garbage for ever. */
  readonly longestHold?: number
}

const nurseryPrefix = '.admin-'
const maxBody = 64 * 1024
const hour = 60 * 60_000

/**
 * Serves an operator on the socket `.admin.sock` of the data directory. Only who may open it may speak to it: it is made
 * inside a directory that is closed to others, gets its mode there, and is then moved into place.
 *
 * Returns how to end. Where the path is too long for a socket it warns, and the service goes on without.
 */
export async function serveOperator(options: SocketOptions): Promise<{ close(): Promise<void> }> {
  const { directory, log } = options
  // What a service left that was killed while it did this.
  for (const name of await readdir(directory))
    if (name.startsWith(nurseryPrefix)) await rm(join(directory, name), { recursive: true, force: true })
  const nursery = await mkdtemp(join(directory, nurseryPrefix))
  const short = await shortPath(nursery, socketName.length)
  if (short === null) {
    await rm(nursery, { recursive: true })
    log.warn({ directory }, 'the path of the data directory is too long for a socket: `quire admin` works only offline')
    return { close: () => Promise.resolve() }
  }
  const server = createServer((request, response) => void answer(options, request, response))
  try {
    await listen(server, short)
    await chmod(join(nursery, socketName), 0o600)
    await rename(join(nursery, socketName), join(directory, socketName))
  } finally {
    await short.close()
    await rm(nursery, { recursive: true, force: true })
  }
  let closing: Promise<void> | null = null
  return { close: () => (closing ??= end(server, join(directory, socketName))) }
}

async function end(server: Server, path: string): Promise<void> {
  await rm(path, { force: true })
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

async function listen(server: Server, short: ShortPath): Promise<void> {
  server.listen(short.of(socketName))
  await once(server, 'listening')
}

async function answer(options: SocketOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Not as a URL: there are request targets that are none, and one of those must not end the service.
  const [pathname = ''] = (request.url ?? '/').split('?', 1)
  try {
    const slug = /^\/hold\/([a-z0-9-]{1,63})$/.exec(pathname)?.[1]
    if (slug !== undefined) await hold(options, slug, response)
    else send(response, 200, { result: await call(options.operator, pathname.slice(1), await bodyOf(request)) })
  } catch (error) {
    const failure = sendableFailure(error)
    if (failure.code === 'internal') options.log.error({ err: error, path: pathname }, 'an operator’s request failed')
    if (response.headersSent) response.destroy()
    else send(response, error instanceof Failure ? error.status : 500, { failure })
  }
}

interface Arguments {
  readonly email?: string
  readonly password?: string
  readonly plan?: Plan
  readonly slug?: string
}

async function call(operator: Operator, name: string, given: Arguments): Promise<unknown> {
  const { accounts } = operator
  const { email = '', password, plan = 'free', slug = '' } = given
  switch (name) {
    case 'accounts':
      return accounts.list()
    case 'create-account':
      return accounts.createByOperator(email, password)
    case 'reset-password':
      return accounts.resetPassword(email, password)
    case 'plan':
      return accounts.setPlan(email, plan)
    case 'remove-account':
      return accounts.remove(email)
    case 'transfer':
      return accounts.transferProject(slug, email)
    case 'collect':
      return operator.collect(slug)
    default:
      throw new Failure('not_found', `The service knows no ${name}.`, { hint: 'Is it of the same version?' })
  }
}

/** The answer is a line with the snapshot, and does not end while the project is held. */
async function hold({ operator, longestHold = hour }: SocketOptions, slug: string, response: ServerResponse) {
  const gone = new Promise<void>((resolve) => response.once('close', () => resolve()))
  const held = await operator.hold(slug)
  const timer = setTimeout(() => response.destroy(), longestHold)
  try {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write(`${JSON.stringify(held.snapshot)}\n`)
    await gone
  } finally {
    clearTimeout(timer)
    await held.release()
  }
}

function send(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(document))
}

async function bodyOf(request: IncomingMessage): Promise<Arguments> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBody) throw new Failure('request_too_large', 'That is more than an operator has to say.')
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Arguments
}
