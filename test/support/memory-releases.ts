import type { Release } from '#contract/release.ts'
import type { ProjectReleases } from '#hosting/hosting.ts'

/** The releases of one project. */
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

  async blob(blob: string): Promise<Buffer> {
    const bytes = this.#blobs.get(blob)
    if (bytes === undefined) throw new Error(`there is no blob ${blob}`)
    return Buffer.from(bytes)
  }

  async verify(): Promise<number> {
    return 0
  }

  async dropDamaged(): Promise<readonly string[]> {
    return []
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
