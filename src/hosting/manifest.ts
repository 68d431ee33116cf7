import type { Release, Sha256 } from '../contract/release.ts'
import { sha256Steps } from '../lib/digest.ts'
import { parseOwnJson } from '../lib/own-json.ts'
import { jsonBytes } from '../lib/json-writer.ts'
import { inSlices, sorted, type Steps } from '../lib/slices.ts'

/**
 * How a release is kept: a small root file that names content-addressed parts.
 *
 * The tables of a release (routes, pages) have an entry a page, so the whole of it grows with the site, but a deploy
 * changes a few entries. Each table is split into chunks by a hash of the key; a chunk is a blob like any other. A
 * release after a one-page change shares all chunks but a few with the one before, so writing it costs the change.
 * Lists are one part each; what is left stays in the root.
 */
export interface Manifest {
  readonly storage: 1
  readonly id: string
  /** Chunks of the release's objects, by field: the entry with key `k` is in chunk `bucketOf(k, chunks.length)`. */
  readonly tables: Readonly<Record<string, readonly Sha256[]>>
  /** Blobs of the release's arrays, by field. */
  readonly lists: Readonly<Record<string, Sha256>>
  /** All other fields. */
  readonly fields: Readonly<Record<string, unknown>>
}

type Table = Readonly<Record<string, unknown>>

/** Entries of a chunk on average: small enough to write often, large enough that the root stays short. */
const chunkEntries = 48
const maxChunks = 512

/** A release with its manifest: what the next one is compared with. */
export interface Encoded {
  readonly release: Release
  readonly manifest: Manifest
  /** Keys of the tables by chunk. */
  readonly keys: Readonly<Record<string, Buckets>>
}

/** Keys of a table by the chunk that they are in. */
type Buckets = readonly (readonly string[])[]

export interface EncodedRelease extends Encoded {
  /** The parts that the base lacks. */
  readonly parts: ReadonlyMap<Sha256, Uint8Array>
  /** Routes that are not in the base, or differ there. */
  readonly changedRoutes: readonly string[]
}

/** @param base An earlier release of the project, whose parts are all kept; null when there is none. */
export function* encodeRelease(release: Release, base: Encoded | null): Steps<EncodedRelease> {
  const parts = new Map<Sha256, Uint8Array>()
  const keep: Keep = function* (value) {
    const bytes = (yield* jsonBytes(value)) ?? Buffer.alloc(0)
    const name = yield* sha256Steps(bytes)
    parts.set(name, bytes)
    return name
  }
  const tables: Record<string, readonly Sha256[]> = {}
  const lists: Record<string, Sha256> = {}
  const fields: Record<string, unknown> = {}
  const keys: Record<string, Buckets> = {}
  let changedRoutes: readonly string[] = []
  for (const [field, value] of Object.entries(release)) {
    const before: unknown = base === null ? undefined : (base.release as unknown as Table)[field]
    if (Array.isArray(value)) {
      const known = base?.manifest.lists[field]
      const isSame = known !== undefined && Array.isArray(before) && (yield* sameList(value, before))
      lists[field] = isSame ? known : yield* keep(value)
    } else if (typeof value === 'object' && value !== null) {
      const chunks = base?.manifest.tables[field]
      const known = chunks === undefined ? null : { table: before as Table, chunks, keys: base?.keys[field] ?? [] }
      const encoded = yield* encodeTable(value as Table, known, keep)
      tables[field] = encoded.chunks
      keys[field] = encoded.keys
      if (field === 'routes') changedRoutes = encoded.changed
    } else if (value !== undefined) {
      fields[field] = value
    }
  }
  return { release, manifest: { storage: 1, id: release.id, tables, lists, fields }, keys, parts, changedRoutes }
}

interface KnownTable {
  readonly table: Table
  readonly chunks: readonly Sha256[]
  readonly keys: Buckets
}

/** Keeps a value as a part. */
type Keep = (value: unknown) => Steps<Sha256>

function* encodeTable(
  table: Table,
  before: KnownTable | null,
  keep: Keep,
): Steps<{ readonly chunks: readonly Sha256[]; readonly keys: Buckets; readonly changed: readonly string[] }> {
  const names = Object.keys(table)
  const count = chunkCount(names.length)
  const known = before?.chunks.length === count ? before : null
  const changed = before === null ? names : yield* changedKeys(table, before.table, names)
  const buckets =
    known === null ? yield* bucketsOf(names, count) : yield* updated(known.keys, table, { names, changed })
  const dirty = known === null ? null : dirtyBuckets(known.keys, buckets, changed)
  const chunks: Sha256[] = []
  for (const [bucket, keys] of buckets.entries()) {
    yield
    const unchanged = dirty?.has(bucket) === false ? known?.chunks[bucket] : undefined
    // Pairs, not an object: no key can be mistaken for `__proto__`, and the order is ours.
    const pairs = unchanged ?? (yield* sorted(keys, compare)).map((key) => [key, table[key]])
    chunks.push(typeof pairs === 'string' ? pairs : yield* keep(pairs))
  }
  return { chunks, keys: buckets, changed }
}

/** The order of `Array.sort`. */
function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function* changedKeys(table: Table, before: Table, names: readonly string[]): Steps<string[]> {
  const changed: string[] = []
  for (const name of names) {
    yield
    if (!sameEntry(table, before, name)) changed.push(name)
  }
  return changed
}

function sameEntry(table: Table, before: Table, key: string): boolean {
  const [now, then] = [table[key], before[key]]
  return now === then ? now !== undefined : Object.hasOwn(before, key) && sameJson(now, then)
}

function* bucketsOf(keys: readonly string[], count: number): Steps<Buckets> {
  const buckets = Array.from({ length: count }, (): string[] => [])
  for (const key of keys) {
    yield
    buckets[bucketOf(key, count)]?.push(key)
  }
  return buckets
}

/** The buckets after a change; those that nothing touched are the same arrays. Only changed keys are hashed. */
function* updated(
  before: Buckets,
  table: Table,
  { names, changed }: { readonly names: readonly string[]; readonly changed: readonly string[] },
): Steps<Buckets> {
  const added = new Map<number, string[]>()
  // Of the buckets that are looked into: whoever chooses the keys can put them all into one.
  const sets = new Map<number, ReadonlySet<string>>()
  const count = before.length
  let size = 0
  for (const bucket of before) size += bucket.length
  for (const key of changed) {
    yield
    const bucket = bucketOf(key, count)
    const there = sets.get(bucket) ?? new Set(before[bucket])
    sets.set(bucket, there)
    if (there.has(key)) continue
    const list = added.get(bucket)
    if (list === undefined) added.set(bucket, [key])
    else list.push(key)
    size += 1
  }
  // Nothing is missing when the numbers agree, and then no bucket has to be looked through.
  const complete = size === names.length
  const after: (readonly string[])[] = []
  for (const [bucket, keys] of before.entries()) {
    yield
    const kept = complete ? keys : keys.filter((key) => Object.hasOwn(table, key))
    const more = added.get(bucket)
    if (more !== undefined) after.push([...kept, ...more])
    else after.push(kept.length === keys.length ? keys : kept)
  }
  return after
}

function dirtyBuckets(before: Buckets, after: Buckets, changed: readonly string[]): ReadonlySet<number> {
  const dirty = new Set(changed.map((key) => bucketOf(key, after.length)))
  for (const [bucket, keys] of after.entries()) if (keys !== before[bucket]) dirty.add(bucket)
  return dirty
}

function chunkCount(entries: number): number {
  let count = 1
  while (count < maxChunks && count * chunkEntries < entries) count *= 2
  return count
}

/** FNV-1a over UTF-16 code units: cheap, and the same on every machine. `count` is a power of two. */
function bucketOf(key: string, count: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return (hash ^ (hash >>> 15)) & (count - 1)
}

/** Where the parts of a release are read. */
export interface PartSource {
  readonly read: (blob: Sha256) => Promise<Buffer>
  /** Another release of the project: what both have is not read again, and is then the same object in both. */
  readonly base?: Encoded | null
}

/** Reads one table of a release. The object has no prototype. `bytes`: what was read. */
export async function readTable(
  manifest: Manifest,
  field: string,
  { read, base = null }: PartSource,
): Promise<{ readonly table: Table; readonly keys: Buckets; readonly bytes: number }> {
  const chunks = manifest.tables[field] ?? []
  const known = base?.manifest.tables[field]
  const shared = (bucket: number): boolean => known?.length === chunks.length && known[bucket] === chunks[bucket]
  const readOwn = async (chunk: Sha256, bucket: number) => (shared(bucket) ? null : read(chunk))
  const theirs = (base?.release as unknown as Record<string, Table> | undefined)?.[field] ?? {}
  return inSlices(joinChunks(await Promise.all(chunks.map(readOwn)), { theirs, keys: base?.keys[field] ?? [] }))
}

/** @param chunks null for one that the base has. */
function* joinChunks(
  chunks: readonly (Buffer | null)[],
  base: { readonly theirs: Table; readonly keys: Buckets },
): Steps<{ readonly table: Table; readonly keys: Buckets; readonly bytes: number }> {
  const table = Object.create(null) as Record<string, unknown>
  const keys: (readonly string[])[] = []
  let bytes = 0
  for (const [bucket, chunk] of chunks.entries()) {
    const known = chunk === null ? (base.keys[bucket] ?? []) : []
    for (const name of known) {
      yield
      table[name] = base.theirs[name]
    }
    if (chunk === null) {
      keys.push(known)
      continue
    }
    bytes += chunk.length
    const entries = (yield* parseOwnJson(chunk)) as [string, unknown][]
    for (const [name, value] of entries) table[name] = value
    keys.push(entries.map(([name]) => name))
  }
  return { table, keys, bytes }
}

export async function readList(
  manifest: Manifest,
  field: string,
  { read, base = null }: PartSource,
): Promise<readonly unknown[]> {
  const blob = manifest.lists[field]
  if (blob === undefined) return []
  if (base !== null && base.manifest.lists[field] === blob)
    return (base.release as unknown as Record<string, readonly unknown[]>)[field] ?? []
  return (await inSlices(parseOwnJson(await read(blob)))) as unknown[]
}

/** Puts a release together again. */
export async function decodeRelease(manifest: Manifest, source: PartSource): Promise<Encoded> {
  const release: Record<string, unknown> = { ...manifest.fields }
  const keys: Record<string, Buckets> = {}
  for (const field of Object.keys(manifest.lists)) release[field] = await readList(manifest, field, source)
  for (const field of Object.keys(manifest.tables)) {
    const part = await readTable(manifest, field, source)
    release[field] = part.table
    keys[field] = part.keys
  }
  return { release: release as unknown as Release, manifest, keys }
}

/** Names of the parts that make up a release. */
export function* partsOf(manifest: Manifest): Generator<Sha256> {
  yield* Object.values(manifest.lists)
  for (const chunks of Object.values(manifest.tables)) yield* chunks
}

/** Bytes of a part that are searched without a pause, and the length of a name in quotes. */
const searchedBytes = 1 << 20
const nameLength = 66

/** Adds the names of blobs in a part, which may be large. */
export function* addBlobNames(names: Set<Sha256>, part: Uint8Array): Steps<void> {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  for (let at = 0; at < bytes.length; at += searchedBytes) {
    yield 'large'
    for (const name of blobNames(bytes.toString('latin1', at, at + searchedBytes + nameLength))) names.add(name)
  }
}

/**
 * Names of blobs in a text. A manifest's records are opaque to hosting and may gain fields, so every quoted run of 64
 * hex digits counts as a name: at worst a blob is kept that nobody needs.
 */
export function* blobNames(text: string): Generator<Sha256> {
  for (const match of text.matchAll(/"([0-9a-f]{64})"/g)) if (match[1] !== undefined) yield match[1]
}

/** Deep equality of JSON values. The same object is equal without a look inside, which makes unchanged parts free. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => sameJson(item, b[i]))
  let keys = 0
  for (const key in a) {
    keys += 1
    if (!Object.hasOwn(b, key) || !sameJson(a[key as keyof typeof a], b[key as keyof typeof b])) return false
  }
  return Object.keys(b).length === keys
}

function* sameList(a: readonly unknown[], b: readonly unknown[]): Steps<boolean> {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (const [index, item] of a.entries()) {
    yield
    if (!sameJson(item, b[index])) return false
  }
  return true
}
