import pLimit from 'p-limit'
import type { FileRoute, Route, Sha256 } from '../contract/release.ts'
import type { NamedTexts } from '../storage/blobs.ts'
import { inSlices } from '../lib/slices.ts'
import { addBlobNames, type Manifest, partsOf } from './manifest.ts'

/** A hashed asset and, once no kept release names it, since when (milliseconds). */
interface KeptAsset {
  readonly route: FileRoute
  readonly unnamedSince?: number
}

const name = 'assets'

/**
 * Every hashed asset that a project ever published and that has not run out: a reader whose page is older than the
 * last deploy still gets its scripts and styles. One text, replaced as a whole; it seldom changes.
 */
export class AssetRecord {
  readonly #texts: NamedTexts
  readonly #kept: Map<string, KeptAsset>
  /** One write at a time, so that the last one has everything. */
  readonly #turn = pLimit(1)
  /** Memory is ahead of the disk, also after a write that failed. */
  #dirty = false

  private constructor(texts: NamedTexts, kept: Map<string, KeptAsset>) {
    this.#texts = texts
    this.#kept = kept
  }

  /** @param onDamage told of a text that cannot be read: it counts as absent, and deploys fill it again. */
  static async open(texts: NamedTexts, onDamage: (error: unknown) => void): Promise<AssetRecord> {
    try {
      const text = (await texts.read(name)) ?? '[]'
      return new AssetRecord(texts, new Map(JSON.parse(text) as [string, KeptAsset][]))
    } catch (error) {
      onDamage(error)
      return new AssetRecord(texts, new Map())
    }
  }

  find(path: string): FileRoute | undefined {
    return this.#kept.get(path)?.route
  }

  *blobs(): Generator<Sha256> {
    for (const { route } of this.#kept.values()) yield route.blob
  }

  get weight(): number {
    return this.#kept.size * 500
  }

  /** Adds those of the routes that are hashed assets. Durable; writes only when there are new ones. */
  async add(routes: Readonly<Record<string, Route>>, paths: Iterable<string>): Promise<void> {
    for (const path of paths) {
      const route = routes[path]
      if (route?.kind !== 'file' || route.immutable !== true) continue
      const known = this.#kept.get(path)
      if (known?.route.blob === route.blob && known.unnamedSince === undefined) continue
      this.#kept.set(path, { route })
      this.#dirty = true
    }
    await this.#write()
  }

  /** Notes which assets no kept release names, and drops those whose time is over. Durable. */
  async expire(named: ReadonlySet<Sha256>, now: number, graceMs: number): Promise<void> {
    for (const [path, { route, unnamedSince }] of this.#kept) {
      if (named.has(route.blob)) {
        if (unnamedSince === undefined) continue
        this.#kept.set(path, { route })
      } else if (unnamedSince === undefined) {
        this.#kept.set(path, { route, unnamedSince: now })
      } else if (now - unnamedSince > graceMs) {
        this.#kept.delete(path)
      } else continue
      this.#dirty = true
    }
    await this.#write()
  }

  /** Forgets assets that are lost. Durable. */
  async forget(isLost: (blob: Sha256) => boolean): Promise<void> {
    for (const [path, { route }] of this.#kept) {
      if (!isLost(route.blob)) continue
      this.#kept.delete(path)
      this.#dirty = true
    }
    await this.#write()
  }

  async #write(): Promise<void> {
    if (!this.#dirty) return
    await this.#turn(async () => {
      if (!this.#dirty) return
      this.#dirty = false
      try {
        await this.#texts.write(name, JSON.stringify([...this.#kept]))
      } catch (error) {
        this.#dirty = true
        throw error
      }
    })
  }
}

/** Blobs that releases name: their parts, and all that the parts name. A part that many releases share is read once. */
export async function markBlobs(
  manifests: Iterable<Manifest>,
  read: (blob: Sha256) => Promise<Buffer>,
): Promise<Set<Sha256>> {
  const marked = new Set<Sha256>()
  for (const manifest of manifests) {
    await inSlices(addBlobNames(marked, Buffer.from(JSON.stringify(manifest.fields))))
    for (const part of partsOf(manifest)) {
      if (marked.has(part)) continue
      marked.add(part)
      await inSlices(addBlobNames(marked, await read(part)))
    }
  }
  return marked
}

/** Blobs that are kept although no release names them yet: those that were stored, or that `has` said yes to, lately. */
export class BlobLeases {
  readonly #periodMs: number
  #turnedAt = 0
  #recent = new Set<Sha256>()
  #older = new Set<Sha256>()

  /** @param periodMs A lease holds at least this long. */
  constructor(periodMs: number) {
    this.#periodMs = periodMs
  }

  add(blob: Sha256): void {
    this.#recent.add(blob)
  }

  has(blob: Sha256): boolean {
    return this.#recent.has(blob) || this.#older.has(blob)
  }

  /** Forgets leases that have expired. */
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
