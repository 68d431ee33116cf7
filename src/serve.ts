import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetSocket, readConfig } from './config.ts'
import { Failure } from './contract/failure.ts'
import { diskRefusal, hasCode } from './lib/disk.ts'
import { parentOfService } from './handover.ts'
import { createService } from './wire.ts'

function tell(error: unknown): void {
  if (error instanceof Failure) {
    console.error(error.message + (error.hint === undefined ? '' : `\n${error.hint}`))
  } else console.error(error)
}

function fail(error: unknown): never {
  tell(error)
  process.exit(error instanceof Failure ? error.exitCode : 1)
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

/**
 * Milliseconds for which a service goes on to hear whom it has let in, when another one has taken its place: whoever keeps
 * a connection learns with the next answer that it ends. Browsers and proxies seldom keep one for longer between requests.
 */
const handoverMs = 10_000

/** A start that the disk does not let through, after all that was looked at before, is no bug either. */
function tellOfDisk(error: unknown): never {
  const isForbidden = hasCode(error, 'EACCES')
  const reason = diskRefusal(error) ?? (isForbidden ? 'its user may not read all of it' : null)
  if (error instanceof Failure || reason === null) throw error
  const path = error instanceof Error && 'path' in error ? ` (${String(error.path)})` : ''
  throw new Failure('unavailable', `The data directory cannot be used: ${reason}${path}.`, {
    ...(isForbidden ? { hint: 'Give the user of the service the directory with all that is in it.' } : {}),
    lasts: isForbidden,
    cause: error,
  })
}

/** What a service tells the process that started it with a channel. */
export interface ListeningNotice {
  /** Its origin, such as `http://127.0.0.1:4000`. */
  readonly listening: string
}

/**
 * Runs the service until SIGTERM or SIGINT, or until another one has taken its place, and no longer than the process that
 * started it with a channel (`ipc`) has that open: so nobody’s service is left when that process is killed.
 */
export async function serve(): Promise<void> {
  // Nothing is known of the state after a bug that nobody caught: end, and let the start recover.
  process.on('uncaughtException', fail)
  process.on('unhandledRejection', fail)

  const parent = parentOfService()
  const config = readConfig()
  forgetSocket()
  let service = await createService(config, {}, parent ?? {}).catch(tellOfDisk)
  const { listener } = service

  let endedAt: number | undefined
  const end = (notice: number, hasSuccessor = false): void => {
    if (endedAt !== undefined) return
    endedAt = performance.now()
    service.close(notice, hasSuccessor).then(finish, fail)
  }
  const resume = async (): Promise<void> => {
    const before = service
    service = await createService(config, {}, { listener })
    await service.listen()
    parent?.say('ready')
    await before.leave()
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      // A second signal means now; but npm passes on what a terminal or a container sends to both. The process above, where
      // there is one, hears it as well, and says it by itself.
      if (endedAt !== undefined && parent === null && performance.now() - endedAt > noticeMs) process.exit(1)
      end(noticeMs)
    })
  if (parent === null) process.once('disconnect', () => end(noticeMs))
  else {
    // Whoever finds this process in the log, and not the one above. A terminal that closes says so to both.
    process.on('SIGHUP', () => process.connected && process.kill(process.ppid, 'SIGHUP'))
    parent.follow('yield', () => service.yield().then(() => parent.say('yielded'), fail))
    parent.follow('resume', () =>
      resume().catch((error: unknown) => {
        tell(error)
        console.error('The data directory could not be taken again: sites are served, every change is refused.')
      }),
    )
    parent.follow('end', () => end(handoverMs, true))
  }

  const address = await service.listen().catch(async (error: unknown) => {
    await service.close()
    throw error
  })
  const notice: ListeningNotice = { listening: address }
  if (parent === null) process.send?.(notice)
  // For people, as what goes wrong: standard output has the log alone, whatever its level.
  console.error(
    `Quire: dashboard and API at ${config.publicUrl}, sites below ${config.previewDomain} (listening on ${address})`,
  )
  parent?.say('ready')
}

/** Runs what every service runs, in a directory of its own, so that its code is compiled: see `service.ts`. */
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
