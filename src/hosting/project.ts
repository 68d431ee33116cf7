import { mkdir, readFile, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pLimit from 'p-limit'
import type { FileRoute, Redirect, Release, Route, Sha256 } from '../contract/release.ts'
import { syncDirectory } from '../lib/disk.ts'
import { AssetRecord } from './assets.ts'
import type { BlobStore } from './blobs.ts'
import { Promised, markBlobs } from './collect.ts'
import { sweepTemporary, writeDurably } from './files.ts'
import type { ProjectReleases } from './hosting.ts'
import {
  blobNames,
  decodeRelease,
  encodeRelease,
  readList,
  readTable,
  type EncodedRelease,
  type Manifest,
} from './manifest.ts'
import { PackStore } from './packs.ts'
import { RecentReleases } from './recent.ts'

export interface ProjectOptions {
  /** How long a release stays after it was made or last used, and how long a hashed asset after its last release. */
  readonly grace: { readonly releaseMs: number; readonly assetMs: number }
  warn(message: string): void
  /** Told before each durable step of a publish or a collection; a test ends the process there. */
  step(name: PublishStep): void
}

export type PublishStep = 'pack' | 'assets' | 'manifest' | 'published' | 'collect-manifests' | 'collect-blobs'

/** What serving needs of a release. */
export interface RoutingTable {
  readonly shell: Sha256
  readonly routes: Readonly<Record<string, Route>>
  readonly redirects: readonly Redirect[]
}

const manifestSuffix = '.json'
/** Memory of a release's root and of a promise: estimates that bound caches. */
const weights = { release: 200, promise: 100 } as const
/** Bytes of releases that stay decoded. */
const recentBytes = 48 << 20

/** Names that one publish counts on while it runs. */
interface Pin {
  readonly base: string | null
  readonly blobs: ReadonlySet<Sha256>
}

/**
 * The releases of one project on the local disk:
 *
 *     packs/<uuid>.pack     blobs, also the parts of manifests
 *     releases/<id>.json    roots of manifests
 *     assets.json           hashed assets, for pages older than the last deploy
 *
 * A release is there when its root is; all it names was made durable before. At most one object a directory.
 */
export class Project implements ProjectReleases {
  readonly #directory: string
  readonly #options: ProjectOptions
  readonly #store: BlobStore
  readonly #assets: AssetRecord
  readonly #releases: Set<string>
  readonly #used = new Map<string, number>()
  readonly #promised: Promised
  readonly #pins = new Set<Pin>()
  readonly #turn = pLimit(1)
  /** Pins of publishes that ended while a collection runs: its marks may be older than them. */
  #settledPins: Pin[] | null = null
  readonly #recent = new RecentReleases(recentBytes)

  private constructor(
    directory: string,
    parts: { readonly store: BlobStore; readonly assets: AssetRecord; readonly releases: Set<string> },
    options: ProjectOptions,
  ) {
    this.#directory = directory
    this.#options = options
    this.#store = parts.store
    this.#assets = parts.assets
    this.#releases = parts.releases
    this.#promised = new Promised(options.grace.releaseMs)
  }

  static async open(directory: string, options: ProjectOptions): Promise<Project> {
    const releases = join(directory, 'releases')
    if ((await mkdir(releases, { recursive: true })) !== undefined) {
      await syncDirectory(directory)
      await syncDirectory(dirname(directory))
    }
    await sweepTemporary(directory)
    await sweepTemporary(releases)
    const names = (await readdir(releases)).filter((name) => name.endsWith(manifestSuffix))
    return new Project(
      directory,
      {
        store: await PackStore.open(join(directory, 'packs'), (message) => options.warn(message)),
        assets: await AssetRecord.open(join(directory, 'assets.json')),
        releases: new Set(names.map((name) => name.slice(0, -manifestSuffix.length))),
      },
      options,
    )
  }

  /** Memory that the object takes, in bytes, about. */
  get weight(): number {
    return (
      this.#store.weight +
      this.#assets.weight +
      this.#releases.size * weights.release +
      this.#promised.size * weights.promise +
      this.#recent.weight
    )
  }

  has(blob: Sha256): boolean {
    if (!this.#store.has(blob)) return false
    this.#promised.add(blob)
    return true
  }

  async store(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void> {
    for (const blob of blobs.keys()) this.#promised.add(blob)
    await this.#store.put(blobs)
  }

  async publish(release: Release, blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void> {
    assertReleaseId(release.id)
    const { latest } = this.#recent
    const base = latest !== null && this.#releases.has(latest.manifest.id) ? latest : null
    const encoded = encodeRelease(release, base)
    const { manifest, parts } = encoded
    this.#assertComplete(encoded, blobs)
    const unpin = this.#pin({ base: base?.manifest.id ?? null, blobs: newNames(release, blobs, parts) })
    try {
      this.#options.step('pack')
      await this.#store.put(new Map([...blobs, ...parts]))
      this.#options.step('assets')
      await this.#assets.add(release.routes, encoded.changedRoutes)
      this.#options.step('manifest')
      await writeDurably(this.#manifestPath(release.id), [JSON.stringify(manifest)])
      this.#options.step('published')
      this.#releases.add(release.id)
      this.#recent.put({ release, manifest, keys: encoded.keys })
      this.#use(release.id)
    } finally {
      unpin()
    }
  }

  async read(id: string): Promise<Release | null> {
    if (!this.#releases.has(id)) return null
    this.#use(id)
    const known = this.#recent.get(id)
    if (known !== undefined) return known.release
    const manifest = await this.#manifest(id)
    const read = (blob: Sha256): Promise<Buffer> => this.#store.read(blob)
    const decoded = await decodeRelease(manifest, { read, base: this.#recent.latest })
    this.#recent.put(decoded)
    return decoded.release
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
    return {
      table: { shell, routes: table as RoutingTable['routes'], redirects: redirects as Redirect[] },
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
    this.#promised.expire(now)
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
    for (const id of dropped) await rm(this.#manifestPath(id), { force: true })
    if (dropped.length > 0) await syncDirectory(join(this.#directory, 'releases'))
    const named = await markBlobs(manifests.values(), (blob) => this.#store.read(blob))
    await this.#assets.expire(named, now, this.#options.grace.assetMs)
    this.#options.step('collect-blobs')
    const assets = new Set(this.#assets.blobs())
    const bytes = await this.#store.retain((blob) => named.has(blob) || assets.has(blob) || this.#isPromised(blob))
    return { releases: dropped.length, bytes }
  }

  #isOver(id: string, manifest: Manifest, now: number): boolean {
    for (const pin of this.#pins) if (pin.base === id) return false
    const made = Date.parse(String(manifest.fields['createdAt']))
    return now - Math.max(Number.isNaN(made) ? 0 : made, this.#used.get(id) ?? 0) > this.#options.grace.releaseMs
  }

  #isPromised(blob: Sha256): boolean {
    if (this.#promised.has(blob)) return true
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
  #assertComplete({ release, changedRoutes }: EncodedRelease, blobs: ReadonlyMap<Sha256, Uint8Array>): void {
    const need = (blob: Sha256, by: string): void => {
      if (!blobs.has(blob) && !this.#store.has(blob))
        throw new Error(`Release ${release.id}: blob ${blob} of ${by} is neither given nor kept`)
    }
    need(release.shell, 'the shell')
    for (const path of changedRoutes) {
      const route = release.routes[path]
      if (route !== undefined) need(route.blob, path)
    }
  }

  #manifestPath(id: string): string {
    return join(this.#directory, 'releases', id + manifestSuffix)
  }

  async #manifest(id: string): Promise<Manifest> {
    const known = this.#recent.peek(id)
    if (known !== undefined) return known.manifest
    return JSON.parse(await readFile(this.#manifestPath(id), 'utf8')) as Manifest
  }
}

/** What a publish adds, and what it newly names; all else its base names, too. */
function newNames(
  release: Release,
  blobs: ReadonlyMap<Sha256, Uint8Array>,
  parts: ReadonlyMap<Sha256, Uint8Array>,
): ReadonlySet<Sha256> {
  const names = new Set<Sha256>([release.shell, ...blobs.keys(), ...parts.keys()])
  for (const part of parts.values()) for (const blob of blobNames(Buffer.from(part).toString('latin1'))) names.add(blob)
  return names
}

/** Release ids become file names. */
function assertReleaseId(id: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)) throw new Error(`${JSON.stringify(id)} is not a release id`)
}
