import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { expect } from 'vitest'
import { basic, type GitService } from './git-service.ts'

export const zero = '0'.repeat(40)

/** Nothing has come into the empty repository. */
export async function expectUntouched({ repository, errors }: GitService): Promise<void> {
  const objects = await readdir(join(repository.directory, 'objects'), { recursive: true })
  expect(objects.filter((name) => !['info', 'pack'].includes(name))).toEqual([])
  expect(await repository.listRefs('refs/')).toEqual(new Map())
  expect(await repository.fsck()).toEqual([])
  expect(errors).toEqual([])
}

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
export function repeatDelta(baseSize: number, sizes: readonly number[]): Buffer {
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const copies = sizes.flatMap((size) => [0xf0, size & 255, (size >> 8) & 255, (size >> 16) & 255])
  return Buffer.from([...sizeBytes(baseSize), ...sizeBytes(total), ...copies])
}

/** Sends a push as it is given. */
export const post = (service: GitService, payload: string | Buffer, headers: Record<string, string> = {}) =>
  service.app.inject({
    method: 'POST',
    url: '/git/docs.git/git-receive-pack',
    headers: { authorization: basic, 'content-type': 'application/x-git-receive-pack-request', ...headers },
    payload,
  })
