import { type FSWatcher, statSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../src/contract/failure.ts'

interface WatchedFolder {
  readonly watcher: FSWatcher
  /** Of the folder that had the name. */
  readonly identity: string
}

/** A folder that is made where one was removed may get its number. */
function identityOf(folder: string): string {
  const { dev, ino, birthtimeNs } = statSync(folder, { bigint: true })
  return `${dev} ${ino} ${birthtimeNs}`
}

/** What has changed: absolute paths, or `unknown` where the system does not say which. */
export type Changed = ReadonlySet<string> | 'unknown'

/**
 * Watches each folder of a tree by itself. Node's recursive watching of Linux follows links, enters what is ignored, such as
 * `node_modules`, and misses what is made in a new folder right after it; here the same walk that reads the files says which
 * folders there are, and it runs again after each change.
 */
export class WatchedFolders {
  readonly #signal: AbortSignal
  readonly #settleMs: number
  readonly #watchers = new Map<string, WatchedFolder>()
  #seen = new Set<string>()
  #isChanged = false
  #names: Set<string> | 'unknown' = new Set()
  #wake: () => void = () => undefined

  /** @param settleMs So long nothing changes before a change is told: editors save in several steps. */
  constructor(signal: AbortSignal, settleMs: number) {
    this.#signal = signal
    this.#settleMs = settleMs
    signal.addEventListener('abort', () => this.#wake())
  }

  has(folder: string): boolean {
    return this.#watchers.has(folder)
  }

  begin(): void {
    this.#seen = new Set()
    this.#isChanged = false
    this.#names = new Set()
  }

  readonly enter = (folder: string): void => {
    this.#seen.add(folder)
    try {
      const identity = identityOf(folder)
      const before = this.#watchers.get(folder)
      if (before?.identity === identity) return
      // Another folder has its name: what is made in that one is not told to who watches the old one.
      before?.watcher.close()
      const watcher = watch(folder, { persistent: true }, (_event, name) => this.#noteChange(folder, name))
      watcher.on('error', () => this.#noteChange(folder, null))
      this.#watchers.set(folder, { watcher, identity })
      // What was made in it between the look and the watch.
      this.#isChanged = true
      this.#names = 'unknown'
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (code === 'ENOENT') return
      throw new Failure('unavailable', `The folder ${folder} cannot be watched (${code}).`, {
        hint:
          code === 'ENOSPC'
            ? 'Raise fs.inotify.max_user_watches with sysctl, or leave folders out with a .quireignore.'
            : 'Make it readable, or leave it out with a .quireignore.',
        cause: error,
      })
    }
  }

  /** Folders that are gone are watched no more. */
  end(): void {
    for (const [folder, { watcher }] of this.#watchers) {
      if (this.#seen.has(folder)) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
  }

  /** Resolves when something has changed since the last time, and it has become quiet; or when nobody wants to wait. */
  async changed(): Promise<Changed> {
    if (!this.#isChanged && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve))
    while (this.#isChanged && !this.#signal.aborted) {
      this.#isChanged = false
      await sleep(this.#settleMs, undefined, { signal: this.#signal }).catch(() => undefined)
    }
    const names = this.#names
    this.#names = new Set()
    return names
  }

  close(): void {
    for (const { watcher } of this.#watchers.values()) watcher.close()
  }

  #noteChange(folder: string, name: string | null): void {
    this.#isChanged = true
    if (name === null) this.#names = 'unknown'
    else if (this.#names !== 'unknown') this.#names.add(join(folder, name))
    this.#wake()
  }
}
