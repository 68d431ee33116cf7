import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export const zero = '0'.repeat(40)

/** A pkt-line. */
export const line = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text
/** Capabilities of the first command. */
export const options = '\0 report-status side-band-64k object-format=sha1 agent=test/1'

/** An object of a pack; of a delta, how many objects before it its base is. */
type PackedObject =
  | { readonly type: 1 | 2 | 3 | 4; readonly body: Buffer }
  | { readonly type: 6; readonly body: Buffer; readonly back: number }

/** A pack of objects as they are given, sound or not. */
export function packOf(objects: readonly PackedObject[]): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1')
  header.writeUInt32BE(objects.length, 8)
  const parts: Buffer[] = [header]
  const offsets: number[] = []
  let offset = header.length
  for (const [index, object] of objects.entries()) {
    const { type, body } = object
    const bytes = [(type << 4) | (body.length & 15), ...sizeBytes(body.length >> 4)]
    if (bytes.length > 1) bytes[0]! |= 0x80
    const base = type === 6 ? distanceBytes(offset - (offsets[index - object.back] ?? 0)) : []
    const entry = Buffer.concat([Buffer.from([...bytes, ...base]), deflateSync(body)])
    offsets.push(offset)
    offset += entry.length
    parts.push(entry)
  }
  const pack = Buffer.concat(parts)
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()])
}

/** Seven bits a byte, the lowest first; nothing for 0. */
function sizeBytes(size: number): number[] {
  const bytes: number[] = []
  for (let rest = size; rest > 0; rest = Math.floor(rest / 128)) bytes.push(rest > 127 ? (rest & 127) | 0x80 : rest)
  return bytes
}

/** https://git-scm.com/docs/gitformat-pack, “offset encoding”. */
function distanceBytes(distance: number): number[] {
  const bytes = [distance & 127]
  for (let rest = distance >> 7; rest > 0; rest >>= 7) bytes.unshift((--rest & 127) | 0x80)
  return bytes
}

/** A delta that puts pieces of its base in a row: https://git-scm.com/docs/gitformat-pack, “deltified representation”. */
function repeatDelta(baseSize: number, sizes: readonly number[]): Buffer {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const copies = sizes.flatMap((size) => [0xf0, size & 255, (size >> 8) & 255, (size >> 16) & 255])
  return Buffer.from([...sizeBytes(baseSize), ...sizeBytes(total), ...copies])
}

/** A pack of some 3 KB whose objects are 5 GB. */
export function deltaBomb(): Buffer {
  const base = Buffer.alloc(60_000)
  const sizes = [60_000 * 16, 60_000 * 16 * 16, 60_000_000]
  const levels = sizes.map((size, i) => {
    const before = sizes[i - 1] ?? base.length
    const copies = Array.from({ length: Math.floor(size / before) }, () => before)
    const body = repeatDelta(
      before,
      [...copies, size % before].filter((n) => n > 0),
    )
    return { type: 6 as const, back: 1, body }
  })
  const bombs = Array.from({ length: 80 }, (_, i) => ({
    type: 6 as const,
    back: i + 1,
    body: repeatDelta(60_000_000, [15_000_000, 15_000_000, 15_000_000, 14_000_000 - i]),
  }))
  return packOf([{ type: 3, body: base }, ...levels, ...bombs])
}
