import pLimit from 'p-limit'
import type { FileRoute, Redirect, Release, Route, Sha256 } from '../contract/release.ts'
import { BlobMissing, type BlobStore, type NamedTexts, type ProjectBlobs } from '../storage/blobs.ts'
import { AssetRecord, BlobLeases, markBlobs } from './kept-blobs.ts'
import {
  addBlobNames,
  decodeRelease,
  encodeRelease,
  partsOf,
  readList,
  readTable,
  type Encoded,
  type EncodedRelease,
  type Manifest,
} from './manifest.ts'
import { inSlices, type Steps } from '../lib/slices.ts'
import { RecentReleases } from './recent.ts'

export interface ProjectOptions {
  /** How long a release stays after it was made or last used, and how long a hashed asset after its last release. */
  readonly grace: { readonly releaseMs: number; readonly assetMs: number }
  /** Told before each durable step of a publish or a collection; a test ends the process there. */
  step(name: PublishStep): void
  /** Told of what cannot be read, and so counts as absent. */
  onDamage(error: unknown): void
}

export type PublishStep = 'pack' | 'assets' | 'manifest' | 'published' | 'collect-manifests' | 'collect-blobs'

/** What serving needs of a release. */
export interface RoutingTable {
  readonly shell: Sha256
  readonly routes: Readonly<Record<string, Route>>
  readonly redirects: readonly Redirect[]
  readonly base?: string | undefined
}

/** Of manifests’ roots, among a project’s texts. */
const folder = 'releases'
/** Memory of a release's root and of a lease: estimates that bound caches. */
const weights = { release: 200, lease: 100 } as const
/** Between two looks at all blobs when no release was dropped: what else is over by then is little. */
const sweepMs = 10 * 60_000
/** Bytes of releases that stay decoded. */
const recentBytes = 48 << 20

/** Names that one publish counts on while it runs. */
interface Pin {
  readonly base: string | null
  readonly blobs: ReadonlySet<Sha256>
}

/**
 * The releases of one project: blobs, also the parts of manifests; the roots of manifests as texts `releases/<id>`; and the
 * text `assets`, for pages older than the last deploy. A release is there when its root is; all it names was made durable
 * before. At most one object a project.
 */
export class Project {
  readonly #texts: NamedTexts
  readonly #options: ProjectOptions
  readonly #store: BlobStore
  readonly #assets: AssetRecord
  readonly #releases: Set<string>
  readonly #used = new Map<string, number>()
  readonly #leases: BlobLeases
  readonly #pins = new Set<Pin>()
  readonly #turn = pLimit(1)
  /** Pins of publishes that ended while a collection runs: its marks may be older than them. */
  #settledPins: Pin[] | null = null
  readonly #recent = new RecentReleases(recentBytes)
  /** When all blobs were looked at last. */
  #sweptAt = -Infinity

  private constructor(
    parts: ProjectBlobs & { readonly assets: AssetRecord; readonly releases: Set<string> },
    options: ProjectOptions,
  ) {
    this.#texts = parts.texts
    this.#options = options
    this.#store = parts.blobs
    this.#assets = parts.assets
    this.#releases = parts.releases
    this.#leases = new BlobLeases(options.grace.releaseMs)
  }

  static async open({ blobs, texts }: ProjectBlobs, options: ProjectOptions): Promise<Project> {
    const releases = new Set(await texts.list(folder))
    return new Project(
      { blobs, texts, assets: await AssetRecord.open(texts, (error) => options.onDamage(error)), releases },
      options,
    )
  }

  /** Memory that the object takes, in bytes, about. */
  get weight(): number {
    return (
      this.#store.weight +
      this.#assets.weight +
      this.#releases.size * weights.release +
      this.#leases.size * weights.lease +
      this.#recent.weight
    )
  }

  has(blob: Sha256): boolean {
    if (!this.#store.has(blob)) return false
    this.#leases.add(blob)
    return true
  }

  async store(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void> {
    for (const blob of blobs.keys()) this.#leases.add(blob)
    await this.#store.put(blobs)
  }

  async publish(release: Release, blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void> {
    assertReleaseId(release.id)
    const { latest } = this.#recent
    // Its parts are taken over without a look: one of them may have been found damaged.
    const base = latest !== null && this.#isWhole(latest) ? latest : null
    const names = new Set<Sha256>()
    // Before the first wait: a collection meanwhile must not take the base away.
    const unpin = this.#pin({ base: base?.manifest.id ?? null, blobs: names })
    try {
      const encoded = await inSlices(encodeRelease(release, base))
      const { manifest, parts } = encoded
      await inSlices(addNewNames(names, { shell: release.shell, blobs, parts }))
      await inSlices(this.#assertComplete(encoded, blobs))
      this.#options.step('pack')
      await this.#store.put(new Map([...blobs, ...parts]))
      this.#options.step('assets')
      await this.#assets.add(release.routes, encoded.changedRoutes)
      this.#options.step('manifest')
      await this.#texts.write(nameOf(release.id), JSON.stringify(manifest))
      this.#options.step('published')
      this.#releases.add(release.id)
      this.#recent.put({ release, manifest, keys: encoded.keys })
      this.#use(release.id)
    } finally {
      unpin()
    }
  }

  /** Null, too, when it cannot be read any more, or names a blob that is not there: whoever builds it again replaces it. */
  async read(id: string): Promise<Release | null> {
    if (!this.#releases.has(id)) return null
    this.#use(id)
    try {
      const encoded = this.#recent.get(id) ?? (await this.#decode(id))
      const lacking = await inSlices(this.#lacking(encoded))
      if (lacking !== undefined) throw new BlobMissing(lacking, `the packs of release ${id}`)
      return encoded.release
    } catch (error) {
      // The disk may do it the next time; bytes that have changed will not.
      if (error instanceof Error && 'code' in error) throw error
      this.#options.onDamage(error)
      this.#recent.delete(id)
      return null
    }
  }

  /** The first blob of a release that is not there. */
  *#lacking({ release, manifest }: Encoded): Steps<Sha256 | undefined> {
    for (const blob of [release.shell, ...partsOf(manifest)]) if (!this.#store.has(blob)) return blob
    for (const path in release.routes) {
      yield
      const route = release.routes[path]
      if (route !== undefined && !this.#store.has(route.blob)) return route.blob
    }
    return undefined
  }

  async #decode(id: string): Promise<Encoded> {
    const read = (blob: Sha256): Promise<Buffer> => this.#store.read(blob)
    const decoded = await decodeRelease(await this.#manifest(id), { read, base: this.#recent.latest })
    this.#recent.put(decoded)
    return decoded
  }

  /** Reads all blobs; those that are damaged count as absent from then on. Returns how many. */
  async verify(): Promise<number> {
    return (await this.#store.verify()).length
  }

  async dropDamaged(keep: ReadonlySet<string>): Promise<readonly string[]> {
    const dropped: string[] = []
    for (const id of this.#releases) if (!keep.has(id) && (await this.read(id)) === null) dropped.push(id)
    for (const id of dropped) {
      this.#releases.delete(id)
      this.#recent.delete(id)
    }
    if (dropped.length > 0) await this.#texts.remove(dropped.map(nameOf))
    await this.#assets.forget((blob) => !this.#store.has(blob))
    return dropped
  }

  #isWhole({ manifest }: Encoded): boolean {
    return this.#releases.has(manifest.id) && [...partsOf(manifest)].every((part) => this.#store.has(part))
  }

  /** What serving needs of a release; null when it is not kept. */
  async routing(id: string): Promise<{ readonly table: RoutingTable; readonly weight: number } | null> {
    if (!this.#releases.has(id)) return null
    this.#use(id)
    const known = this.#recent.peek(id)
    if (known !== undefined) return { table: known.release, weight: weights.release }
    const manifest = await this.#manifest(id)
    const read = (blob: Sha256): Promise<Buffer> => this.#store.read(blob)
    const { table, bytes } = await readTable(manifest, 'routes', { read })
    const redirects = await readList(manifest, 'redirects', { read })
    const shell = manifest.fields['shell'] as Sha256
    const base = manifest.fields['base'] as string | undefined
    return {
      table: { shell, routes: table as RoutingTable['routes'], redirects: redirects as Redirect[], base },
      weight: bytes * 3,
    }
  }

  /** A hashed asset of any release that was ever live here, until its time is over. */
  asset(path: string): FileRoute | undefined {
    const route = this.#assets.find(path)
    return route !== undefined && this.#store.has(route.blob) ? route : undefined
  }

  blob(blob: Sha256, range?: { readonly start: number; readonly end: number }): Promise<Buffer> {
    return this.#store.read(blob, range)
  }

  keeps(id: string): boolean {
    return this.#releases.has(id)
  }

  collect(keep: ReadonlySet<string>, now: Date): Promise<{ releases: number; bytes: number }> {
    return this.#turn(async () => {
      this.#settledPins = []
      try {
        return await this.#collect(keep, now.getTime())
      } finally {
        for (const pin of this.#settledPins) this.#pins.delete(pin)
        this.#settledPins = null
      }
    })
  }

  async #collect(keep: ReadonlySet<string>, now: number): Promise<{ releases: number; bytes: number }> {
    this.#leases.expire(now)
    const manifests = new Map<string, Manifest>()
    for (const id of this.#releases) manifests.set(id, await this.#manifest(id))
    const dropped: string[] = []
    for (const [id, manifest] of manifests) {
      if (keep.has(id) || !this.#isOver(id, manifest, now)) continue
      // Out of the set before the first wait: no publish takes it as its base any more.
      this.#releases.delete(id)
      this.#used.delete(id)
      manifests.delete(id)
      dropped.push(id)
    }
    for (const id of dropped) this.#recent.delete(id)
    this.#options.step('collect-manifests')
    if (dropped.length > 0) await this.#texts.remove(dropped.map(nameOf))
    // A deploy is cleaned up behind, and that reads each part of each release: of a large site as much work as the deploy.
    else if (now - this.#sweptAt < sweepMs) return { releases: 0, bytes: 0 }
    const named = await markBlobs(manifests.values(), (blob) => this.#store.read(blob))
    await this.#assets.expire(named, now, this.#options.grace.assetMs)
    this.#options.step('collect-blobs')
    const assets = new Set(this.#assets.blobs())
    const bytes = await this.#store.retain(
      (blob) => named.has(blob) || assets.has(blob) || this.#isLeasedOrPinned(blob),
    )
    this.#sweptAt = now
    return { releases: dropped.length, bytes }
  }

  #isOver(id: string, manifest: Manifest, now: number): boolean {
    for (const pin of this.#pins) if (pin.base === id) return false
    const made = Date.parse(String(manifest.fields['createdAt']))
    return now - Math.max(Number.isNaN(made) ? 0 : made, this.#used.get(id) ?? 0) > this.#options.grace.releaseMs
  }

  #isLeasedOrPinned(blob: Sha256): boolean {
    if (this.#leases.has(blob)) return true
    for (const pin of this.#pins) if (pin.blobs.has(blob)) return true
    return false
  }

  #pin(pin: Pin): () => void {
    this.#pins.add(pin)
    return () => {
      if (this.#settledPins === null) this.#pins.delete(pin)
      else this.#settledPins.push(pin)
    }
  }

  /** Notes that a release is in use, so that a collection leaves it alone for a while. */
  #use(id: string): void {
    this.#used.set(id, Date.now())
  }

  /** Throws when a reader would meet a blob that is not there. What the base has unchanged is there. */
  *#assertComplete({ release, changedRoutes }: EncodedRelease, blobs: ReadonlyMap<Sha256, Uint8Array>): Steps<void> {
    const need = (blob: Sha256, by: string): void => {
      if (!blobs.has(blob) && !this.#store.has(blob))
        throw new Error(`Release ${release.id}: blob ${blob} of ${by} is neither given nor kept`)
    }
    need(release.shell, 'the shell')
    for (const path of changedRoutes) {
      yield
      const route = release.routes[path]
      if (route !== undefined) need(route.blob, path)
    }
  }

  async #manifest(id: string): Promise<Manifest> {
    const known = this.#recent.peek(id)
    if (known !== undefined) return known.manifest
    const text = await this.#texts.read(nameOf(id))
    if (text === null) throw new Error(`the manifest of release ${id} is gone`)
    return JSON.parse(text) as Manifest
  }
}

/**
 * Adds names of the blobs that a publish needs for the first time: its shell, the blobs and parts that come with it, and
 * what those parts name. Every other blob is named by the release that it is based on, and is kept with that.
 */
function* addNewNames(
  names: Set<Sha256>,
  {
    shell,
    blobs,
    parts,
  }: {
    readonly shell: Sha256
    readonly blobs: ReadonlyMap<Sha256, Uint8Array>
    readonly parts: ReadonlyMap<Sha256, Uint8Array>
  },
): Steps<void> {
  names.add(shell)
  for (const blob of blobs.keys()) names.add(blob)
  for (const [name, part] of parts) {
    names.add(name)
    yield* addBlobNames(names, part)
  }
}

function nameOf(id: string): string {
  return `${folder}/${id}`
}

/** Release ids become names of texts. */
function assertReleaseId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)) throw new Error(`${JSON.stringify(id)} is not a release id`)
}
