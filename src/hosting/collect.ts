import type { Sha256 } from '../contract/release.ts'
import { blobNames, partsOf, type Manifest } from './manifest.ts'

/** Blobs that releases name: their parts, and all that the parts name. A part that many releases share is read once. */
export async function markBlobs(
  manifests: Iterable<Manifest>,
  read: (blob: Sha256) => Promise<Buffer>,
): Promise<Set<Sha256>> {
  const marked = new Set<Sha256>()
  for (const manifest of manifests) {
    for (const blob of blobNames(JSON.stringify(manifest.fields))) marked.add(blob)
    for (const part of partsOf(manifest)) {
      if (marked.has(part)) continue
      marked.add(part)
      for (const blob of blobNames((await read(part)).toString('latin1'))) marked.add(blob)
    }
  }
  return marked
}

/** Blobs that a caller may count on although no release names them yet: what `has` said yes to lately. */
export class Promised {
  readonly #periodMs: number
  #turnedAt = 0
  #recent = new Set<Sha256>()
  #older = new Set<Sha256>()

  /** @param periodMs A promise holds at least this long. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  add(blob: Sha256): void {
    this.#recent.add(blob)
  }

  has(blob: Sha256): boolean {
    return this.#recent.has(blob) || this.#older.has(blob)
  }

  /** Forgets promises that are old enough. */
  expire(now: number): void {
    if (now - this.#turnedAt < this.#periodMs) return
    this.#older = this.#recent
    this.#recent = new Set()
    this.#turnedAt = now
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }
}
