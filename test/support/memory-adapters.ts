import type { Release } from '../../src/contract/release.ts'
import type { ProjectReleases } from '../../src/hosting/hosting.ts'
import type { Lease, Store } from '../../src/storage/store.ts'

/** Documents of one process, and locks that end with it. */
export class MemoryStore implements Pick<Store, 'read' | 'mutate' | 'list' | 'acquire' | 'release'> {
  readonly documents = new Map<string, unknown>()
  readonly #held = new Set<string>()
  #fence = 0

  async read<T>(name: string): Promise<Readonly<T> | undefined> {
    return structuredClone(this.documents.get(name)) as T | undefined
  }

  async mutate<T, R>(
    name: string,
    change: (draft: T | undefined) => { document: T | undefined; result: R },
  ): Promise<R> {
    const { document: changed, result } = change(structuredClone(this.documents.get(name)) as T | undefined)
    if (changed === undefined) this.documents.delete(name)
    else this.documents.set(name, structuredClone(changed))
    return result
  }

  async list(prefix = ''): Promise<readonly string[]> {
    return [...this.documents.keys()].filter((name) => name.startsWith(prefix)).sort()
  }

  async acquire(name: string, lock: string): Promise<Lease | null> {
    const key = `${name} ${lock}`
    if (this.#held.has(key)) return null
    this.#held.add(key)
    return { document: name, name: lock, fence: (this.#fence += 1) }
  }

  async release(lease: Lease): Promise<void> {
    this.#held.delete(`${lease.document} ${lease.name}`)
  }

  /** As the next process finds them. */
  reopened(): MemoryStore {
    const next = new MemoryStore()
    for (const [name, content] of this.documents) next.documents.set(name, structuredClone(content))
    return next
  }
}

export class MemoryReleases implements ProjectReleases {
  readonly releases = new Map<string, Release>()
  readonly #blobs = new Map<string, Uint8Array>()

  has(blob: string): boolean {
    return this.#blobs.has(blob)
  }

  async store(blobs: ReadonlyMap<string, Uint8Array>): Promise<void> {
    for (const [name, bytes] of blobs) this.#blobs.set(name, bytes)
  }

  async publish(release: Release, blobs: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.store(blobs)
    if (this.releases.has(release.id)) throw new Error(`the release ${release.id} is there already`)
    this.releases.set(release.id, release)
  }

  keeps(id: string): boolean {
    return this.releases.has(id)
  }

  async read(id: string): Promise<Release | null> {
    return this.releases.get(id) ?? null
  }

  async collect(keep: ReadonlySet<string>): Promise<{ releases: number; bytes: number }> {
    const dropped = [...this.releases.keys()].filter((id) => !keep.has(id))
    for (const id of dropped) this.releases.delete(id)
    return { releases: dropped.length, bytes: 0 }
  }

  /** What a release shows at a path. */
  text(id: string, path: string): string | undefined {
    const route = this.releases.get(id)?.routes[path]
    const bytes = route?.kind === 'file' ? this.#blobs.get(route.blob) : undefined
    return bytes === undefined ? undefined : Buffer.from(bytes).toString()
  }
}
