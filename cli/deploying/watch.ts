import { type FSWatcher, statSync, watch } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import type { LocalFile } from './files.ts'
import type { Output } from '../output.ts'
import { interruptible } from '../program.ts'
import { readFolder } from './sending.ts'

/** Editors save in several steps, and who switches a branch changes many files. */
const settleMs = 150

/**
 * Sends a folder anew whenever its files change, one time after the other, until Ctrl-C. What goes wrong is told, and the
 * next change tries again.
 */
export function watchFolder(
  directory: string,
  send: (files: readonly LocalFile[]) => Promise<unknown>,
  output: Output,
): Promise<number> {
  if (output.json) throw new Failure('invalid_request', '--watch goes on until Ctrl-C; --json prints one document.')
  return interruptible(async (signal) => {
    const folders = new WatchedFolders(signal)
    let sent = ''
    try {
      while (!signal.aborted) {
        folders.begin()
        const files = await attempt(
          async () => (await readFolder(directory, output, { enters: folders.enter })).files,
          output,
        )
        folders.end()
        const state = (files ?? []).map(({ path, oid }) => `${oid} ${path}`).join('\n')
        if (files !== undefined && state !== sent) {
          sent = state
          await attempt(() => send(files), output)
          output.note(output.paint('dim', 'watching for changes; Ctrl-C ends'))
        }
        await folders.changed()
      }
    } finally {
      folders.close()
    }
    return exitCodes.ok
  })
}

async function attempt<T>(work: () => Promise<T>, output: Output): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    // A mistake of ours ends the command.
    if (!(error instanceof Failure)) throw error
    output.fail(error)
    return undefined
  }
}

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

/**
 * Watches each folder of a tree by itself. Node's recursive watching of Linux follows links, enters what is ignored, such as
 * `node_modules`, and misses what is made in a new folder right after it; here the same walk that reads the files says which
 * folders there are, and it runs again after each change.
 */
class WatchedFolders {
  readonly #signal: AbortSignal
  readonly #watchers = new Map<string, WatchedFolder>()
  #seen = new Set<string>()
  #isChanged = false
  #wake: () => void = () => undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake())
  }

  begin(): void {
    this.#seen = new Set()
    this.#isChanged = false
  }

  readonly enter = (folder: string): void => {
    this.#seen.add(folder)
    try {
      const identity = identityOf(folder)
      const before = this.#watchers.get(folder)
      if (before?.identity === identity) return
      // Another folder has its name: what is made in that one is not told to who watches the old one.
      before?.watcher.close()
      const watcher = watch(folder, { persistent: true }, () => this.#noteChange())
      watcher.on('error', () => this.#noteChange())
      this.#watchers.set(folder, { watcher, identity })
      // What was made in it between the look and the watch.
      this.#isChanged = true
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : ''
      if (code === 'ENOENT') return
      throw new Failure('unavailable', `The folder ${folder} cannot be watched (${code}).`, {
        hint:
          code === 'ENOSPC'
            ? 'Raise fs.inotify.max_user_watches with sysctl, or leave folders out with a .quireignore.'
            : 'Deploy without --watch.',
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

  /** Resolves when something has changed since the last look, and it has become quiet; or when nobody wants to wait. */
  async changed(): Promise<void> {
    if (!this.#isChanged && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve))
    while (this.#isChanged && !this.#signal.aborted) {
      this.#isChanged = false
      await sleep(settleMs, undefined, { signal: this.#signal }).catch(() => undefined)
    }
  }

  close(): void {
    for (const { watcher } of this.#watchers.values()) watcher.close()
  }

  #noteChange(): void {
    this.#isChanged = true
    this.#wake()
  }
}
