import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { syncDirectory } from '../../lib/disk.ts'
import { writeDurable } from './durable.ts'
import type { Git } from '../git/git.ts'
import type { ObjectType } from './objects.ts'
import type { Oid } from '../repository.ts'
import { compress, looseName } from './staging.ts'

/** Where new objects wait. */
export interface ObjectSource {
  /** Type and content, for a pack. */
  object(oid: Oid): Promise<{ readonly type: ObjectType; readonly body: Uint8Array }>
  /** The compressed file of a loose object, as it lies in `objects/`. */
  looseFile(oid: Oid): Promise<Uint8Array>
}

/**
 * Up to here objects are written loose, each fsynced in parallel, without a process; a one-page deploy is 4 or 5.
 * More become one pack: two fsyncs instead of hundreds, and `index-pack --strict` as a second check of names and links.
 */
const looseAtMost = 24

const packTypes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }
/** The event loop gets a turn after so many bytes of compression. */
const turnBytes = 256 * 1024

/** Writes new objects into a repository; durable on return. */
export async function writeObjects(
  git: Git,
  directory: string,
  source: ObjectSource,
  oids: readonly Oid[],
): Promise<void> {
  if (oids.length === 0) return
  if (oids.length <= looseAtMost) {
    const files = await Promise.all(oids.map(async (oid) => [looseName(oid), await source.looseFile(oid)] as const))
    return writeDurable(join(directory, 'objects'), new Map(files))
  }
  const pack = await encodePack(source, oids)
  await git.check(['index-pack', '--stdin', '--strict'], { directory, input: pack })
  await syncDirectory(join(directory, 'objects', 'pack'))
}

/** https://git-scm.com/docs/gitformat-pack, version 2, without deltas: those are made by maintenance. */
async function encodePack(source: ObjectSource, oids: readonly Oid[]): Promise<Buffer> {
  const header = Buffer.alloc(12)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(oids.length, 8)
  const parts: Uint8Array[] = [header]
  let sinceTurn = 0
  for (const oid of oids) {
    const { type, body } = await source.object(oid)
    parts.push(entryHeader(packTypes[type], body.length), await compress(body))
    sinceTurn += body.length + 1024
    if (sinceTurn < turnBytes) continue
    sinceTurn = 0
    await nextTurn()
  }
  const hash = createHash('sha1')
  for (const part of parts) hash.update(part)
  return Buffer.concat([...parts, hash.digest()])
}

function entryHeader(type: number, size: number): Buffer {
  const bytes = [(type << 4) | (size & 15)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 127)
  }
  return Buffer.from(bytes)
}
