import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { Agent, fetch, Headers } from 'undici'
import { Failure } from '../../contract/failure.ts'
import { isMissing } from '../../lib/disk.ts'
import { keyName, socketName } from '../../storage/directory/check-root.ts'
import { bearer } from './app.ts'

const closedFolderPrefix = '.admin-'
/** `sun_path` of unix(7), without its end. */
const maxPathBytes = 107

/** A new key for an operator's application. */
export function operatorKey(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Serves an application on the socket `.admin.sock` of a data directory. Only who may open it may speak to it: it is made
 * inside a directory that is closed to others, gets its mode there, and is then moved into place. A process that reaches
 * the socket and no files has still to show the key, which lies beside it.
 *
 * Returns how to end. Where the path is too long for a socket it warns, and the service goes on without.
 *
 * @param directory Which this process has locked.
 * @param key That the application asks for.
 */
export async function serveOperator(
  app: FastifyInstance,
  { directory, key }: { readonly directory: string; readonly key: string },
  log: { warn(details: Readonly<Record<string, unknown>>, message: string): void },
): Promise<{ close(): Promise<void> }> {
  // What a service left that was killed while it did this.
  for (const name of await readdir(directory))
    if (name.startsWith(closedFolderPrefix)) await rm(join(directory, name), { recursive: true, force: true })
  const closed = await mkdtemp(join(directory, closedFolderPrefix))
  const address = await socketAddress(closed)
  if (address === null) {
    await rm(closed, { recursive: true })
    log.warn({ directory }, 'the path of the data directory is too long for a socket: `quire admin` works only offline')
    return { close: () => app.close() }
  }
  try {
    app.server.listen(address.path)
    await once(app.server, 'listening')
    await chmod(join(closed, socketName), 0o600)
    await writeFile(join(closed, keyName), key, { mode: 0o600 })
    await rename(join(closed, keyName), join(directory, keyName))
    await rename(join(closed, socketName), join(directory, socketName))
  } finally {
    await address.close()
    await rm(closed, { recursive: true, force: true })
  }
  let closing: Promise<void> | null = null
  return { close: () => (closing ??= close(app, directory)) }
}

async function close(app: FastifyInstance, directory: string): Promise<void> {
  for (const name of [socketName, keyName]) await rm(join(directory, name), { force: true })
  const ended = once(app.server, 'close')
  app.server.close()
  // A command that holds a project would keep the service from ending.
  app.server.closeAllConnections()
  await ended
  await app.close()
}

/** How to ask the process that serves the socket of a data directory. */
export interface SocketConnection {
  readonly fetch: typeof globalThis.fetch
  readonly close: () => Promise<void>
}

/** Throws Failure `unavailable` where the path is too long for a socket; so does `fetch` when nobody answers. */
export async function connectToOperator(directory: string): Promise<SocketConnection> {
  const address = await socketAddress(directory)
  if (address === null) {
    throw new Failure('unavailable', `The path of ${directory} is too long to reach the service that uses it.`, {
      hint: 'Stop the service first, or move the data to a shorter path.',
    })
  }
  const file = join(directory, keyName)
  // A collection or a hold takes as long as it takes.
  const dispatcher = new Agent({ connect: { socketPath: address.path }, headersTimeout: 0, bodyTimeout: 0 })
  const ask = async (input: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1]) => {
    try {
      const headers = new Headers(init?.headers)
      headers.set('authorization', bearer(await readFile(file, 'utf8')))
      return await fetch(input, { ...init, headers, dispatcher })
    } catch (cause) {
      if (init?.signal?.aborted === true) throw cause
      throw new Failure('unavailable', 'The process that uses the data directory does not answer.', {
        hint: 'Another command may be at work, or the service is starting or ending: try again in a moment.',
        cause,
      })
    }
  }
  return {
    fetch: ask as unknown as typeof globalThis.fetch,
    close: async () => {
      await dispatcher.destroy()
      await address.close()
    },
  }
}

/**
 * An address of the socket in a directory. A path too long for one goes through the open directory, where the system
 * shows it (Linux); null where it does not.
 */
async function socketAddress(directory: string): Promise<{ readonly path: string; close(): Promise<void> } | null> {
  const path = join(directory, socketName)
  if (Buffer.byteLength(path) <= maxPathBytes) return { path, close: () => Promise.resolve() }
  const handle = await open(directory, 'r')
  const short = `/proc/self/fd/${handle.fd}`
  try {
    await stat(short)
  } catch (error) {
    await handle.close()
    if (isMissing(error)) return null
    throw error
  }
  return { path: `${short}/${socketName}`, close: () => handle.close() }
}
