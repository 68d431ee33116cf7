import { open } from 'node:fs/promises'
import type { Sha256 } from '../../src/contract/release.ts'

type Range = { readonly start: number; readonly end: number }

/** Builds between two clean-ups: what a day of saves leaves is little beside a site. */
const cleanUpEvery = 50

/** What builds made, in memory; files of the folder stay where they are. */
export class SiteBlobs {
  readonly #kept = new Map<Sha256, Uint8Array | string>()
  readonly #originOf: (bytes: Uint8Array) => string | undefined
  #builds = 0

  /** @param originOf The file whose bytes these are. */
  constructor(originOf: (bytes: Uint8Array) => string | undefined) {
    this.#originOf = originOf
  }

  has(blob: Sha256): boolean {
    return this.#kept.has(blob)
  }

  keep(blobs: ReadonlyMap<Sha256, Uint8Array>): void {
    for (const [blob, bytes] of blobs) this.#kept.set(blob, this.#originOf(bytes) ?? bytes)
  }

  /** Forgets, now and then, what no build needs any more. @param needed names of what the last one has */
  cleanUp(needed: () => ReadonlySet<Sha256>): void {
    if (++this.#builds % cleanUpEvery !== 0) return
    const names = needed()
    for (const blob of this.#kept.keys()) if (!names.has(blob)) this.#kept.delete(blob)
  }

  async read(blob: Sha256, range?: Range): Promise<Buffer> {
    const kept = this.#kept.get(blob)
    if (kept === undefined) throw new Error(`there is no blob ${blob}`)
    if (typeof kept !== 'string')
      return Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength).subarray(range?.start, range?.end)
    const file = await open(kept)
    try {
      const { start, end } = range ?? { start: 0, end: (await file.stat()).size }
      const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }
}
