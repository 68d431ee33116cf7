import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sha256 } from '../../contract/release.ts'
import { sha256 } from '../../lib/digest.ts'
import { isMissing, nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import { inSlices, isTurnOver, nextTurn, type Steps } from '../../lib/slices.ts'
import { diskFileSystem, replaceFile, sweepTemporary } from '../../lib/durable-file.ts'
import { BlobMissing, type BlobStore, type ByteRange } from '../blobs.ts'
import { encodePack, entryBytes, nullIfShort, readFully, readPackIndex, type PackEntry } from './pack-format.ts'

const packSuffix = '.pack'
/** A pack is rewritten when less of it than this is wanted. */
const liveShare = 0.5
/** Packs under this many bytes are small; more than so many small ones become one, or opening a project gets slow. */
const smallBytes = 1 << 20
const smallPacks = 48
/** Bytes that one rewrite holds in memory; what is beyond waits for the next collection. */
const rewriteBytes = 64 << 20
/** Memory of one index entry: a name of 64 characters, a location, their slots in the maps. */
const entryWeight = 240

interface Pack {
  readonly path: string
  readonly bytes: number
  readonly entries: readonly PackEntry[]
}

interface BlobLocation {
  readonly pack: Pack
  readonly offset: number
  readonly length: number
}

/** Blobs on the local disk: one append-only pack a `put`, one look-up table in memory. */
export class PackStore implements BlobStore {
  readonly #directory: string
  readonly #packs = new Set<Pack>()
  readonly #locations = new Map<Sha256, BlobLocation>()

  private constructor(directory: string) {
    this.#directory = directory
  }

  /**
   * Reads the index of every pack and removes what crashed writers left. Only one store may be open on a directory.
   *
   * @param warn Told about packs that are not whole; their blobs count as absent.
   */
  /** Before it is written into: makes the directory, and removes what killed processes left there. */
  static async prepare(directory: string): Promise<void> {
    if ((await mkdir(directory, { recursive: true })) !== undefined) await syncDirectory(dirname(directory))
    await sweepTemporary(diskFileSystem, directory)
  }

  static async open(directory: string, warn: (message: string) => void): Promise<PackStore> {
    const store = new PackStore(directory)
    for (const name of ((await readdir(directory).catch(nullIfMissing)) ?? []).sort()) {
      if (!name.endsWith(packSuffix)) continue
      const path = join(directory, name)
      const handle = await open(path, 'r')
      try {
        const index = await readPackIndex(handle)
        if (index === null) warn(`The pack ${path} is not whole and is ignored`)
        else store.#add({ path, ...index })
      } finally {
        await handle.close()
      }
    }
    return store
  }

  get weight(): number {
    let entries = 0
    for (const pack of this.#packs) entries += pack.entries.length
    return entries * entryWeight
  }

  has(blob: Sha256): boolean {
    return this.#locations.has(blob)
  }

  async read(blob: Sha256, range?: ByteRange): Promise<Buffer> {
    for (;;) {
      const location = this.#locations.get(blob)
      if (location === undefined) throw new BlobMissing(blob, this.#directory)
      try {
        return await this.#readAt(blob, location, range)
      } catch (error) {
        // A rewrite may have moved the blob between the look-up and the opening of its pack.
        if (!isMissing(error) || this.#locations.get(blob) === location) throw error
      }
    }
  }

  async #readAt(blob: Sha256, location: BlobLocation, range: ByteRange | undefined): Promise<Buffer> {
    const handle = await open(location.pack.path, 'r')
    try {
      if (range !== undefined) return await readFully(handle, location.offset + range.start, range.end - range.start)
      const bytes = await readFully(handle, location.offset, location.length).catch(nullIfShort)
      if (bytes !== null && sha256(bytes) === blob) return bytes
      // Whoever builds it again is not told that it is there.
      if (this.#locations.get(blob) === location) this.#locations.delete(blob)
      throw new BlobMissing(blob, `${location.pack.path}: its bytes have changed`)
    } finally {
      await handle.close()
    }
  }

  async verify(): Promise<readonly Sha256[]> {
    const damaged: Sha256[] = []
    for (const blob of this.#locations.keys()) {
      try {
        await this.read(blob)
      } catch (error) {
        if (!(error instanceof BlobMissing)) throw error
        damaged.push(blob)
      }
    }
    return damaged
  }

  async put(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void> {
    const fresh = new Map<Sha256, Uint8Array>()
    for (const [blob, content] of blobs) if (!this.#locations.has(blob)) fresh.set(blob, content)
    if (fresh.size > 0) this.#add(await this.#write(fresh))
  }

  async #write(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<Pack> {
    const { entries, parts, bytes } = encodePack(blobs)
    const path = join(this.#directory, randomUUID() + packSuffix)
    await replaceFile(diskFileSystem, path, parts)
    return { path, bytes, entries }
  }

  #add(pack: Pack): void {
    this.#packs.add(pack)
    for (const { blob, offset, length } of pack.entries) this.#locations.set(blob, { pack, offset, length })
  }

  async retain(wanted: (blob: Sha256) => boolean): Promise<number> {
    const { dead, rewrite } = await inSlices(this.#plan(wanted))
    const moved = new Map<Sha256, Uint8Array>()
    for (const pack of rewrite) {
      const live = pack.entries.filter((entry) => this.#isLive(pack, entry, wanted))
      const handle = await open(pack.path, 'r')
      try {
        for (const { blob, offset, length } of live) moved.set(blob, await readFully(handle, offset, length))
      } finally {
        await handle.close()
      }
    }
    const written = moved.size > 0 ? await this.#write(moved) : null
    if (written !== null) this.#add(written)
    // For each no wait between the last question and the removal from the table: a publish cannot slip in.
    const gone: Pack[] = []
    for (const pack of [...dead, ...rewrite]) {
      if (isTurnOver()) await nextTurn()
      if (this.#forget(pack, wanted)) gone.push(pack)
    }
    for (const pack of gone) await unlink(pack.path)
    if (gone.length > 0) await syncDirectory(this.#directory)
    return gone.reduce((sum, pack) => sum + pack.bytes, 0) - (written?.bytes ?? 0)
  }

  /** Packs with nothing to keep, and those to write anew. */
  *#plan(wanted: (blob: Sha256) => boolean): Steps<{ dead: Pack[]; rewrite: Pack[] }> {
    const dead: Pack[] = []
    const rewrite: Pack[] = []
    const small: Pack[] = []
    let room = rewriteBytes
    for (const pack of this.#packs) {
      let live = 0
      let count = 0
      for (const entry of pack.entries) {
        yield
        if (!this.#isLive(pack, entry, wanted)) continue
        live += entry.length + entryBytes
        count += 1
      }
      if (count === 0) dead.push(pack)
      else if (live < pack.bytes * liveShare && live <= room) {
        rewrite.push(pack)
        room -= live
      } else if (pack.bytes < smallBytes) small.push(pack)
    }
    if (small.length > smallPacks) rewrite.push(...small.slice(0, Math.floor(room / smallBytes)))
    return { dead, rewrite }
  }

  #isLive(pack: Pack, entry: PackEntry, wanted: (blob: Sha256) => boolean): boolean {
    return this.#locations.get(entry.blob)?.pack === pack && wanted(entry.blob)
  }

  /** Takes a pack out of the table unless a blob that only it has is wanted (again). */
  #forget(pack: Pack, wanted: (blob: Sha256) => boolean): boolean {
    const own = pack.entries.filter((entry) => this.#locations.get(entry.blob)?.pack === pack)
    if (own.some((entry) => wanted(entry.blob))) return false
    for (const { blob } of own) this.#locations.delete(blob)
    this.#packs.delete(pack)
    return true
  }
}
