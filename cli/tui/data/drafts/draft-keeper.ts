import { setTimeout as sleep } from 'node:timers/promises'
import { diskText, isFull } from './draft-failures.ts'
import type { DraftFiles, DraftHeader, DraftKey } from './draft-files.ts'
import { Journal } from '../disk/journal.ts'

/** A disk that hangs must not keep a save from the service. */
const patienceMs = 1_500

/** What there is to be kept of a draft now. */
export interface Snapshot {
  readonly header: DraftHeader
  /** In pieces that follow each other. */
  readonly text: Iterable<string>
  readonly baseText: string
}

export interface DraftKeeperOptions {
  readonly files: DraftFiles
  readonly key: () => DraftKey
  /** Asked for when it is about to be written; undefined: the branch has all of it. */
  readonly take: () => Promise<Snapshot | undefined>
  /** Frees what it can on a full disk. */
  readonly makeRoom: () => Promise<void>
  readonly onTrouble: () => void
}

/** Keeps a draft on the disk while it differs from the branch. */
export class DraftKeeper {
  readonly #options: DraftKeeperOptions
  readonly #journal: Journal

  constructor(options: DraftKeeperOptions) {
    this.#options = options
    this.#journal = new Journal(() => this.#keep(), options.onTrouble)
  }

  /** Why it cannot be kept, in words. */
  get trouble(): string | undefined {
    const { trouble } = this.#journal
    return trouble === undefined ? undefined : `What you type cannot be kept on this machine: ${diskText(trouble)}.`
  }

  /** The disk is as it should be. */
  get isKept(): boolean {
    return this.#journal.isIdle
  }

  /** There is something to be written, or to be taken away. */
  touch(): void {
    this.#journal.touch()
  }

  /** The disk is as it should be when it resolves. @throws what the disk says */
  flush(): Promise<void> {
    return this.#journal.flush()
  }

  /** As `flush`, also where somebody has taken the file away since it was written. @throws what the disk says */
  async keep(): Promise<void> {
    const { files, key } = this.#options
    await this.#journal.flush()
    if (await files.has(key())) return
    this.#journal.touch()
    await this.#journal.flush()
  }

  /** As `flush`, but a disk that fails or hangs is no reason to wait. @returns whether it did neither */
  async flushIfPossible(): Promise<boolean> {
    const patience = new AbortController()
    const enough = sleep(patienceMs, false, patience).catch(() => false)
    const flushed = this.#journal.flush().then(
      () => true,
      () => false,
    )
    const isFlushed = await Promise.race([flushed, enough])
    patience.abort()
    return isFlushed
  }

  async #keep(): Promise<void> {
    const { files, key, take, makeRoom } = this.#options
    const snapshot = await take()
    if (snapshot === undefined) return files.remove(key())
    const write = async (): Promise<void> => {
      const { header, text, baseText } = snapshot
      if (header.baseOid !== null) await files.writeBase(header, header.baseOid, baseText)
      await files.write(header, text)
    }
    await write().catch(async (error: unknown) => {
      if (!isFull(error)) throw error
      await makeRoom()
      await write()
    })
  }
}
