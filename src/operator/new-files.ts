import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import { syncDirectory } from '../lib/disk.ts'

/** Flushes that wait at a time: small files need not wait for each other. */
const concurrency = 16

/** Writes new files below a directory; all of them are durable when `end` has settled. */
export class NewFiles {
  readonly #root: string
  readonly #folders = new Set<string>()
  readonly #limit = pLimit(concurrency)
  readonly #flushes = new Set<Promise<void>>()
  #failed: { readonly error: unknown } | null = null

  constructor(root: string) {
    this.#root = root
    this.#folders.add(root)
  }

  /** Throws when the file is there already, and what the disk throws. */
  async write(path: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    if (this.#failed !== null) throw this.#failed.error
    await this.#makeFolder(dirname(join(this.#root, path)))
    const file = await open(join(this.#root, path), 'wx', 0o600)
    try {
      // Repeats short writes, and fails when the disk is full.
      for await (const chunk of chunks) await file.writeFile(chunk)
    } catch (error) {
      await file.close()
      throw error
    }
    const flush = this.#limit(async () => {
      try {
        await file.sync()
      } finally {
        await file.close()
      }
    })
    const noted = flush.catch((error: unknown) => {
      this.#failed ??= { error }
    })
    this.#flushes.add(noted)
    void noted.finally(() => this.#flushes.delete(noted))
    if (this.#flushes.size >= 2 * concurrency) await Promise.race(this.#flushes)
  }

  async end(): Promise<void> {
    await Promise.all(this.#flushes)
    if (this.#failed !== null) throw this.#failed.error
    for (const folder of this.#folders) await syncDirectory(folder)
    this.#folders.clear()
    this.#folders.add(this.#root)
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (let at = folder; at.length > this.#root.length; at = dirname(at)) this.#folders.add(at)
  }
}
