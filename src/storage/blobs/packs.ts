import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Sha256 } from '../../contract/release.ts'
import { sha256 } from '../../lib/digest.ts'
import { isMissing, nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import { inSlices, isTurnOver, nextTurn, type Steps } from '../../lib/slices.ts'
import { diskFileSystem, replaceFile, sweepTemporary } from '../../lib/durable-file.ts'
import { BlobMissing, type BlobStore, type ByteRange } from '../blobs.ts'
import type { CommonBlobs } from './common.ts'
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
  /** A name of a file that other projects have, too. */
  readonly isCommon: boolean
}

interface BlobLocation {
  readonly pack: Pack
  readonly offset: number
  readonly length: number
}

/** Blobs on the local disk: one append-only pack a `put`, one look-up table in memory. */
export class PackStore implements BlobStore {
  readonly #directory: string
  readonly #common: CommonBlobs | undefined
  readonly #packs = new Set<Pack>()
  readonly #locations = new Map<Sha256, BlobLocation>()

  private constructor(directory: string, common: CommonBlobs | undefined) {
    this.#directory = directory
    this.#common = common
  }

  /** Before it is written into: makes the directory, and removes what killed processes left there. */
  static async prepare(directory: string): Promise<void> {
    if ((await mkdir(directory, { recursive: true })) !== undefined) await syncDirectory(dirname(directory))
    await sweepTemporary(diskFileSystem, directory)
  }

  /**
   * Reads the index of every pack. Only one store may be open on a directory.
   *
   * @param warn Told about packs that are not whole; their blobs count as absent.
   */
  static async open(directory: string, warn: (message: string) => void, common?: CommonBlobs): Promise<PackStore> {
    const store = new PackStore(directory, common)
    const shared: Pack[] = []
    for (const name of ((await readdir(directory).catch(nullIfMissing)) ?? []).sort()) {
      if (!name.endsWith(packSuffix)) continue
      const path = join(directory, name)
      const handle = await open(path, 'r')
      try {
        const index = await readPackIndex(handle)
        const isCommon = common?.has(await handle.stat()) === true
        if (index === null) warn(`The pack ${path} is not whole and is ignored`)
        else if (isCommon) shared.push({ path, ...index, isCommon })
        else store.#add({ path, ...index, isCommon })
      } finally {
        await handle.close()
      }
    }
    // Of a blob that the project has a copy of as well, the copy is the one to go.
    for (const pack of shared) store.#add(pack)
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
      if (location.pack.isCommon) this.#common?.doubt(blob)
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
    const added: Pack[] = []
    for (const [blob, content] of blobs) {
      // What is awaited beneath may be there at once: then it is no turn of the event loop.
      if (isTurnOver()) await nextTurn()
      if (this.#locations.has(blob)) continue
      const pack = this.#common?.isCommon(blob) === true ? await this.#link(blob) : null
      if (pack === null) fresh.set(blob, content)
      else added.push(pack)
    }
    const hasCommon = added.length > 0
    // It flushes the directory, and what was linked into it before.
    if (fresh.size > 0) added.push(await this.#write(fresh))
    else if (hasCommon) await syncDirectory(this.#directory)
    for (const pack of added) this.#add(pack)
    if (hasCommon) await this.#dropReplaced()
  }

  /** Removes packs of which others have all: a damaged common file, and one of two that were linked at once. */
  async #dropReplaced(): Promise<void> {
    for (const pack of this.#packs) {
      const isReplaced = ({ blob }: PackEntry): boolean => {
        const location = this.#locations.get(blob)
        return location !== undefined && location.pack !== pack
      }
      if (pack.entries.every(isReplaced) && this.#packs.delete(pack)) await unlink(pack.path)
    }
  }

  /** Null for a blob that is the project's own. */
  async #link(blob: Sha256): Promise<Pack | null> {
    const path = this.#newPath()
    const linked = (await this.#common?.link(blob, path)) ?? null
    return linked && { path, ...linked, isCommon: true }
  }

  async #write(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<Pack> {
    const { entries, parts, bytes } = encodePack(blobs)
    const path = this.#newPath()
    await replaceFile(diskFileSystem, path, parts)
    return { path, bytes, entries, isCommon: false }
  }

  #newPath(): string {
    return join(this.#directory, randomUUID() + packSuffix)
  }

  #add(pack: Pack): void {
    this.#packs.add(pack)
    for (const { blob, offset, length } of pack.entries) this.#locations.set(blob, { pack, offset, length })
  }

  async retain(wanted: (blob: Sha256) => boolean): Promise<number> {
    await this.#adopt(wanted)
    const { dead, rewrite } = await inSlices(this.#plan(wanted))
    const moved = new Map<Sha256, Uint8Array>()
    for (const pack of rewrite) {
      const live = pack.entries.filter((entry) => this.#isLive(pack, entry, wanted))
      if (live.length === 0) continue
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
    const own = gone.filter((pack) => !pack.isCommon)
    const swept = own.length < gone.length ? ((await this.#common?.sweep()) ?? 0) : 0
    return own.reduce((sum, pack) => sum + pack.bytes, swept) - (written?.bytes ?? 0)
  }

  /** Copies of what is common are dropped: of the time before it was, or made by whoever moved the directory. */
  async #adopt(wanted: (blob: Sha256) => boolean): Promise<void> {
    const linked: Pack[] = []
    for (const blob of this.#common?.names() ?? []) {
      if (this.#locations.get(blob)?.pack.isCommon !== false || !wanted(blob)) continue
      const pack = await this.#link(blob)
      if (pack !== null) linked.push(pack)
    }
    if (linked.length > 0) await syncDirectory(this.#directory)
    for (const pack of linked) this.#add(pack)
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
      else if (pack.isCommon) continue
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
    if (!this.#packs.has(pack)) return false
    const own = pack.entries.filter((entry) => this.#locations.get(entry.blob)?.pack === pack)
    if (own.some((entry) => wanted(entry.blob))) return false
    for (const { blob } of own) this.#locations.delete(blob)
    this.#packs.delete(pack)
    return true
  }
}
