import type { Sha256, AssetRecord } from '../../contract/release.ts'
import { sha256, sha256Steps } from '../../lib/digest.ts'
import { eachInTurns, inSlices, type Steps } from '../../lib/slices.ts'
import type { BuildRequest } from '../builder.ts'
import { dimensionsOf, isPicture } from './dimensions.ts'
import { isPointer } from './lfs.ts'
import type { Classified } from './plan.ts'

/** Bytes that a build holds before it hands them to the store: a large site must not lie in memory whole. */
const maxHeldBytes = 8 * 1024 * 1024
/** Files read at once: enough to keep the object store busy, few enough to bound memory beside what is new. */
const readers = 8

/** A blob of the site: its name, and how many bytes it has. */
export interface StoredBlob {
  readonly blob: Sha256
  readonly size: number
}

export interface BlobDestination {
  /** The blob is stored already. */
  has(blob: Sha256): boolean
  /** Reads a blob that is stored. */
  blob(blob: Sha256): Promise<Uint8Array>
  /** Stores blobs before the build ends; without it all are handed back with the result. */
  store?(blobs: ReadonlyMap<Sha256, Uint8Array>): Promise<void>
  /** What is stored cannot be read again. */
  readonly trial?: true
}

/** Collects the blobs of a build that the store does not have. */
export class BlobSink {
  #held = new Map<Sha256, Uint8Array>()
  #heldBytes = 0
  /** On their way to the store. */
  #storing: ReadonlyMap<Sha256, Uint8Array> = new Map()
  #flushing: Promise<void> | undefined
  /** What this build reads again, and nobody else keeps. */
  readonly #readable = new Map<Sha256, Uint8Array>()
  readonly #destination: BlobDestination

  constructor(destination: BlobDestination) {
    this.#destination = destination
  }

  /** Blobs that are not stored yet. */
  get fresh(): ReadonlyMap<Sha256, Uint8Array> {
    return this.#held
  }

  add(bytes: Uint8Array): StoredBlob {
    const blob = sha256(bytes)
    this.addKnown(blob, bytes)
    return { blob, size: bytes.length }
  }

  /** As `add`, for what may be large. */
  *addSteps(bytes: Uint8Array): Steps<StoredBlob> {
    const blob = yield* sha256Steps(bytes)
    this.addKnown(blob, bytes)
    return { blob, size: bytes.length }
  }

  /** As `addSteps`, for what this build reads again: nothing of a trial is stored. */
  *addReadable(bytes: Uint8Array): Steps<StoredBlob> {
    const stored = yield* this.addSteps(bytes)
    if (this.#destination.trial === true) this.#readable.set(stored.blob, bytes)
    return stored
  }

  /** A blob whose hash is known already. */
  addKnown(blob: Sha256, bytes: Uint8Array): void {
    if (this.has(blob)) return
    this.#held.set(blob, bytes)
    this.#heldBytes += bytes.length
  }

  has(blob: Sha256): boolean {
    return this.#held.has(blob) || this.#storing.has(blob) || this.#destination.has(blob)
  }

  /** Reads a blob that this build has made, or that was there before. */
  async read(blob: Sha256): Promise<Buffer> {
    const bytes =
      this.#held.get(blob) ??
      this.#storing.get(blob) ??
      this.#readable.get(blob) ??
      (await this.#destination.blob(blob))
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Stores what is held once it is much. Whoever adds much waits for it. */
  async flushIfFull(): Promise<void> {
    while (this.#heldBytes >= maxHeldBytes && this.#destination.store !== undefined) {
      this.#flushing ??= this.#flush(this.#destination.store.bind(this.#destination))
      await this.#flushing
    }
  }

  async #flush(store: NonNullable<BlobDestination['store']>): Promise<void> {
    this.#storing = this.#held
    this.#held = new Map()
    this.#heldBytes = 0
    try {
      await store(this.#storing)
    } finally {
      this.#storing = new Map()
      this.#flushing = undefined
    }
  }
}

export type AssetRecords = Readonly<Record<string, AssetRecord>>

interface AssetResults {
  readonly sink: BlobSink
  readonly before: AssetRecords | undefined
  readonly records: Record<string, AssetRecord>
}

/** Takes over the records of assets that need not be read; returns the others. */
function* keepAssets(
  assets: Classified['assets'],
  { source, earlierAssets }: BuildRequest,
  { sink, before, records }: AssetResults,
): Steps<Unread[]> {
  const unread: Unread[] = []
  for (const { path, type } of assets) {
    yield
    const file = { path, type, oid: source.files.get(path) ?? '' }
    const record = keepable(before?.[path], file, sink) ?? keepable(earlierAssets?.[path], file, sink)
    if (record === undefined) unread.push(file)
    else records[path] = record
  }
  return unread
}

interface Unread {
  readonly path: string
  readonly oid: string
  /** Content type. */
  readonly type: string
}

function keepable(
  record: AssetRecord | undefined,
  { oid, type }: Pick<Unread, 'oid' | 'type'>,
  sink: BlobSink,
): AssetRecord | undefined {
  if (record?.oid !== oid || !sink.has(record.blob)) return undefined
  return record.dimensions === undefined && isPicture(type) ? undefined : record
}

/** Records of all assets. Only files whose blob id is new to the project are read; the others keep their record. */
export async function publishAssets(
  assets: Classified['assets'],
  request: BuildRequest,
  { sink, before }: { readonly sink: BlobSink; readonly before: AssetRecords | undefined },
): Promise<AssetRecords> {
  const records = Object.create(null) as Record<string, AssetRecord>
  const unread = await inSlices(keepAssets(assets, request, { sink, before, records }), request.signal)
  if (unread.length === 0) return records
  const byOid = new Map(Object.values(request.earlierAssets ?? {}).map((record) => [record.oid, record]))
  const read = async (file: Unread) => {
    request.signal?.throwIfAborted()
    const moved = keepable(byOid.get(file.oid), file, sink)
    records[file.path] = moved === undefined ? readAsset(file, await request.source.read(file.oid), sink) : { ...moved }
    await sink.flushIfFull()
  }
  await eachInTurns(unread, read, readers)
  return records
}

function readAsset({ oid, type }: Unread, bytes: Buffer, sink: BlobSink): AssetRecord {
  return {
    oid,
    ...sink.add(bytes),
    ...(isPointer(bytes) ? { pointer: true } : {}),
    ...(isPicture(type) ? { dimensions: dimensionsOf(bytes, type) } : {}),
  }
}
