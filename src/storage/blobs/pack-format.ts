import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { Sha256 } from '../../contract/release.ts'

/**
 * A pack: blobs one after the other, an index, a trailer.
 *
 *     magic (8) · blob · blob · … · index · trailer
 *     index entry: SHA-256 (32), offset (6), length (6)
 *     trailer: offset of the index (6), number of entries (4), SHA-256 of the index (32), magic (8)
 *
 * The trailer is written last: a pack without a good one was never finished, and is ignored. Numbers are big-endian.
 */
const magic = Buffer.from('QPACK\0\0\x01', 'latin1')
/** What a blob costs beside its bytes. */
export const entryBytes = 44
const trailerBytes = 50
export interface PackEntry {
  readonly blob: Sha256
  readonly offset: number
  readonly length: number
}

/** Lays out blobs as a pack: what to write in order, and where each blob will be. */
export function encodePack(blobs: ReadonlyMap<Sha256, Uint8Array>): {
  readonly entries: readonly PackEntry[]
  readonly parts: Iterable<Uint8Array>
  /** Of the whole pack. */
  readonly bytes: number
} {
  const entries: PackEntry[] = []
  let offset = magic.length
  for (const [blob, content] of blobs) {
    entries.push({ blob, offset, length: content.length })
    offset += content.length
  }
  return {
    entries,
    parts: packParts(blobs, entries, offset),
    bytes: offset + entries.length * entryBytes + trailerBytes,
  }
}

function* packParts(
  blobs: ReadonlyMap<Sha256, Uint8Array>,
  entries: readonly PackEntry[],
  end: number,
): Generator<Uint8Array> {
  yield magic
  yield* blobs.values()
  const index = Buffer.alloc(entries.length * entryBytes)
  entries.forEach((entry, i) => {
    index.write(entry.blob, i * entryBytes, 'hex')
    index.writeUIntBE(entry.offset, i * entryBytes + 32, 6)
    index.writeUIntBE(entry.length, i * entryBytes + 38, 6)
  })
  yield index
  const trailer = Buffer.alloc(trailerBytes)
  trailer.writeUIntBE(end, 0, 6)
  trailer.writeUInt32BE(entries.length, 6)
  createHash('sha256').update(index).digest().copy(trailer, 10)
  magic.copy(trailer, 42)
  yield trailer
}

/** The index of a pack, or null when the pack is not whole. */
export async function readPackIndex(
  handle: FileHandle,
): Promise<{ readonly entries: readonly PackEntry[]; readonly bytes: number } | null> {
  const { size } = await handle.stat()
  if (size < magic.length + trailerBytes) return null
  const trailer = await readFully(handle, size - trailerBytes, trailerBytes)
  const offset = trailer.readUIntBE(0, 6)
  const count = trailer.readUInt32BE(6)
  const whole = trailer.subarray(42).equals(magic) && offset + count * entryBytes + trailerBytes === size
  if (!whole) return null
  const index = await readFully(handle, offset, count * entryBytes)
  if (!createHash('sha256').update(index).digest().equals(trailer.subarray(10, 42))) return null
  const entries: PackEntry[] = []
  for (let at = 0; at < index.length; at += entryBytes) {
    entries.push({
      blob: index.toString('hex', at, at + 32),
      offset: index.readUIntBE(at + 32, 6),
      length: index.readUIntBE(at + 38, 6),
    })
  }
  return { entries, bytes: size }
}

/** The file ended before what was to be read did. */
class ShortFile extends Error {}

/** For `catch` of `readFully`: null where the file ends too early. */
export function nullIfShort(error: unknown): null {
  if (error instanceof ShortFile) return null
  throw error
}

/** Exactly `length` bytes from `position`. Throws when the file ends before. */
export async function readFully(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(length)
  let done = 0
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, position + done)
    if (bytesRead === 0)
      throw new ShortFile(`The file ends at byte ${position + done}, ${length - done} bytes are missing`)
    done += bytesRead
  }
  return buffer
}
