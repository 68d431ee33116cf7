import { access, constants, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, isMissing, takesNoChanges } from '../../lib/disk.ts'
import { shortageOf } from '../../lib/processes.ts'
import { lockFile, writeRefusal, type ServedDirectory } from '../lock.ts'

/** How long what was found holds: probes of several balancers cost one look. */
const freshMs = 1000
/** A disk behind a network that is gone answers nothing at all. */
const patienceMs = 5000

export interface PresenceOptions {
  readonly served: Pick<ServedDirectory, 'directory' | 'file' | 'readOnly'>
  /** Told once when the directory is found lost or shut, and with null when it is back. */
  readonly onChange: (problem: string | null) => void
  /** Looks at the directory; for tests. */
  readonly look?: () => Promise<void>
}

/**
 * Whether the data directory that a service began with is still there and takes writes. A disk is lost while somebody
 * works on it: it is unmounted or deleted, another one is mounted over it, or the system makes it read-only after an
 * error. What is in memory and in open files goes on for a while, so that nothing else would say so at once.
 */
export class Presence {
  readonly #options: PresenceOptions
  #looking: Promise<string | null> | undefined
  #lookedAt = -Infinity
  #isUnderWay = false
  #last: string | null = null

  constructor(options: PresenceOptions) {
    this.#options = options
  }

  /** What is wrong with it, in a few words; null: nothing. */
  async problem(): Promise<string | null> {
    const problem = await inTime(this.#look())
    if (problem !== this.#last) this.#options.onChange((this.#last = problem))
    return problem
  }

  /** Throws Failure `unavailable` where a change would go nowhere. Who is slow only keeps the change waiting, as it would anyway. */
  async admit(): Promise<void> {
    const problem = await this.#look()
    if (problem !== null) throw takesNoChanges(problem)
  }

  #look(): Promise<string | null> {
    const now = performance.now()
    // A look that hangs holds a thread: there is never a second one.
    if (this.#looking === undefined || (!this.#isUnderWay && now - this.#lookedAt >= freshMs)) {
      this.#lookedAt = now
      this.#isUnderWay = true
      this.#looking = this.#ask().finally(() => (this.#isUnderWay = false))
    }
    return this.#looking
  }

  async #ask(): Promise<string | null> {
    try {
      await (this.#options.look ?? (() => lookAt(this.#options.served)))()
      return null
    } catch (error) {
      // That says nothing of the disk, and whoever asked for more is told.
      if (shortageOf(error) !== null) return null
      if (error instanceof Lost || isMissing(error) || hasCode(error, 'ENOTDIR'))
        return 'the data directory is gone, or another one is in its place'
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
      return writeRefusal(error) ?? `the disk does not answer as it should${code}`
    }
  }
}

class Lost extends Error {}

/** Throws what is wrong. A full disk is no loss: readers are served, and whoever writes is told. */
async function lookAt({ directory, file, readOnly }: PresenceOptions['served']): Promise<void> {
  // The number of the locked file is nobody else's while it is open; that of a directory may be given again.
  if (file !== null) {
    const { dev, ino } = await stat(join(directory, lockFile))
    if (dev !== file.dev || ino !== file.ino) throw new Lost()
  }
  // What the system remembers of names says nothing of the disk.
  const entries = await opendir(directory)
  try {
    await entries.read()
  } finally {
    await entries.close()
  }
  // Whoever began on a directory that takes no writes serves from it as it is.
  if (readOnly === null) await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
}

/** @returns what the look found; that it takes too long, where it does */
async function inTime(looking: Promise<string | null>): Promise<string | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('the disk does not answer'), patienceMs)
  })
  const problem = await Promise.race([looking, late])
  clearTimeout(timer)
  return problem
}
