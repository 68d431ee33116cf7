import { readFile } from 'node:fs/promises'
import pLimit from 'p-limit'
import type { FileRoute, Route, Sha256 } from '../contract/release.ts'
import { isMissing } from '../lib/disk.ts'
import { writeDurably } from './files.ts'

/** A hashed asset and, once no kept release names it, since when (milliseconds). */
interface KeptAsset {
  readonly route: FileRoute
  readonly unnamedSince?: number
}

/**
 * Every hashed asset that a project ever published and that has not run out: a reader whose page is older than the
 * last deploy still gets its scripts and styles. One JSON file, replaced as a whole; it seldom changes.
 */
export class AssetRecord {
  readonly #path: string
  readonly #kept: Map<string, KeptAsset>
  /** One write at a time, so that the last one has everything. */
  readonly #turn = pLimit(1)
  /** Memory is ahead of the disk, also after a write that failed. */
  #dirty = false

  private constructor(path: string, kept: Map<string, KeptAsset>) {
    this.#path = path
    this.#kept = kept
  }

  static async open(path: string): Promise<AssetRecord> {
    try {
      return new AssetRecord(path, new Map(JSON.parse(await readFile(path, 'utf8')) as [string, KeptAsset][]))
    } catch (error) {
      if (!isMissing(error)) throw error
      return new AssetRecord(path, new Map())
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

  async #write(): Promise<void> {
    if (!this.#dirty) return
    await this.#turn(async () => {
      if (!this.#dirty) return
      this.#dirty = false
      try {
        await writeDurably(this.#path, [JSON.stringify([...this.#kept])])
      } catch (error) {
        this.#dirty = true
        throw error
      }
    })
  }
}
