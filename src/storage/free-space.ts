import { statfs } from 'node:fs/promises'
import { Failure } from '../contract/failure.ts'

/** How long what the disk said holds. */
const freshMs = 1000
/** What comes is kept in the repository and, as soon as it is built, in a release. */
const copies = 2
/** Without a setting: a twentieth of the disk, 1 GiB at most. */
const share = 1 / 20
const most = 2 ** 30

export interface FreeSpaceOptions {
  /** On the file system that is looked at. */
  readonly directory: string
  /** Bytes that stay free; undefined: by the size of the file system. */
  readonly least: number | undefined
  /** Told when what grows begins to be refused. */
  readonly onLow: (freeBytes: number, leastBytes: number) => void
}

/**
 * Keeps some of the disk free: what makes content grow is refused before the disk is full, so that all else goes on:
 * signing in, changing keys, taking back, deleting.
 */
export class FreeSpace {
  readonly #options: FreeSpaceOptions
  #looking: Promise<{ readonly free: number; readonly least: number }> | undefined
  #lookedAt = -Infinity
  #isLow = false

  constructor(options: FreeSpaceOptions) {
    this.#options = options
  }

  /**
   * Lets a request in that may add as many bytes. Nothing is kept for it: how large it is, only its client says, and would
   * say so at the cost of others. What is under way at once is bounded elsewhere, and comes out of the reserve.
   *
   * Throws Failure `unavailable` when too little would be left.
   */
  async admit(bytes: number): Promise<void> {
    const { free, least } = await this.#look()
    const wasLow = this.#isLow
    this.#isLow = least > 0 && free - bytes * copies < least
    if (this.#isLow) {
      if (!wasLow) this.#options.onLow(free, least)
      throw new Failure('unavailable', 'The disk of the service is nearly full: content that grows is not taken.', {
        hint: 'Nothing was changed. Sites, sign-in, rollbacks and deletions go on; try again when the operator of the service has made room.',
        retryAfter: 60,
      })
    }
  }

  /** Bytes; NaN where the disk does not say. */
  async free(): Promise<number> {
    return this.#look().then(
      ({ free }) => free,
      () => NaN,
    )
  }

  #look(): Promise<{ readonly free: number; readonly least: number }> {
    const now = performance.now()
    if (this.#looking === undefined || now - this.#lookedAt >= freshMs) {
      this.#lookedAt = now
      this.#looking = this.#ask()
    }
    return this.#looking
  }

  async #ask(): Promise<{ readonly free: number; readonly least: number }> {
    const { directory, least } = this.#options
    const { bavail, blocks, bsize } = await statfs(directory)
    return { free: bavail * bsize, least: least ?? Math.min(most, blocks * bsize * share) }
  }
}
