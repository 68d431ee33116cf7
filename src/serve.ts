import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from './config.ts'
import { Failure } from './contract/failure.ts'
import { diskRefusal, hasCode } from './lib/disk.ts'
import { createService } from './wire.ts'

function fail(error: unknown): never {
  if (error instanceof Failure) {
    console.error(error.message + (error.hint === undefined ? '' : `\n${error.hint}`))
  } else console.error(error)
  process.exit(1)
}

function finish(left: number): never {
  if (left > 0) console.error(`${left} deploys were cut off; the next start mends them`)
  process.exit(left > 0 ? 1 : 0)
}

/**
 * Milliseconds for which a service that ends goes on to listen at least: a request under way on a connection that is kept,
 * or on a new one, would be lost without a word.
 */
const noticeMs = 500

/** A start that the disk does not let through, after all that was looked at before, is no bug either. */
function tellOfDisk(error: unknown): never {
  const reason = diskRefusal(error) ?? (hasCode(error, 'EACCES') ? 'its user may not read all of it' : null)
  if (error instanceof Failure || reason === null) throw error
  const path = error instanceof Error && 'path' in error ? ` (${String(error.path)})` : ''
  throw new Failure('unavailable', `The data directory cannot be used: ${reason}${path}.`, { cause: error })
}

/** What a service tells the process that started it with a channel. */
export interface ListeningNotice {
  /** Its origin, such as `http://127.0.0.1:4000`. */
  readonly listening: string
}

/**
 * Runs the service until SIGTERM or SIGINT, and no longer than the process that started it with a channel (`ipc`) has
 * that open: so nobody’s service is left when that process is killed.
 */
export async function serve(): Promise<void> {
  // Nothing is known of the state after a bug that nobody caught: end, and let the start recover.
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)

  const config = readConfig()
  const service = await createService(config).catch(tellOfDisk)

  let endedAt: number | undefined
  const end = (): void => {
    if (endedAt !== undefined) {
      // A second signal means now; but npm passes on what a terminal or a container sends to both.
      if (performance.now() - endedAt > noticeMs) process.exit(1)
      return
    }
    endedAt = performance.now()
    service.close(noticeMs).then(finish, fail)
  }
  process.on('SIGTERM', end)
  process.on('SIGINT', end)
  process.once('disconnect', end)

  const address = await service.listen().catch(async (error: unknown) => {
    // `quire serve` tells it, and would wait for what was opened.
    await service.close()
    throw error
  })
  const notice: ListeningNotice = { listening: address }
  process.send?.(notice)
  console.log(
    `Quire: dashboard and API at ${config.publicUrl}, sites below ${config.previewDomain} (listening on ${address})`,
  )
}

/** Runs what every service runs, in a directory of its own, so that its code is compiled: see `server.ts`. */
export async function compileAhead(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-compile-'))
  const environment = { PATH: process.env['PATH'], DATA_DIR: directory, PORT: '0', LOG_LEVEL: 'warn' }
  try {
    const service = await createService(readConfig(environment))
    await service.listen()
    await service.app.inject('/healthz')
    await service.close()
  } finally {
    await rm(directory, { recursive: true })
  }
}
