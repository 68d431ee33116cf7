import { createHash, randomBytes } from 'node:crypto'
import { mkdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { deflate, deflateSync } from 'node:zlib'
import { hasCode, isMissing, nullIfMissing, syncDirectory, writeNewFile } from '../../lib/disk.ts'
import { eachInTurns, isTurnOver, nextTurn } from '../../lib/slices.ts'
import type { Git } from '../git/git.ts'
import type { Oid } from '../repository.ts'
import type { ObjectSource, ObjectType } from './objects.ts'

/**
 * Up to here objects are written loose, each fsynced in parallel, without a process; a one-page deploy is 4 or 5.
 * More become one pack: two fsyncs instead of hundreds, and `index-pack --strict` as a second check of names and links.
 */
const looseAtMost = 24

const packTypes: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 }
/** Below this size the thread pool costs more than the compression; two dozen of them are a few milliseconds. */
const inlineBytes = 16 * 1024
/** To make ready zlib’s usual state, of 256 KB, takes ten times as long as to compress so much: the least is 3 KB. */
const tinyBytes = 512
const tinyState = { windowBits: 9, memLevel: 1 }
/** How often a folder is made for a file: gc removes it when it finds it empty. */
const tries = 20

/** Objects that are read and compressed at once for a pack: they may be large. */
const encodedAtOnce = 8

const deflateInPool = promisify(deflate)

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
  await eachInTurns(
    oids,
    async (oid) => {
      const { type, body } = await source.object(oid)
      const compressed = await compress(body)
      parts.push(entryHeader(packTypes[type], body.length), compressed)
    },
    encodedAtOnce,
  )
  const hash = createHash('sha1')
  for (const part of parts) {
    if (isTurnOver()) await nextTurn()
    hash.update(part)
  }
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

/** zlib, on this thread for small input and in the thread pool for large. */
export function compress(bytes: Uint8Array): Uint8Array | Promise<Uint8Array> {
  if (bytes.length > inlineBytes) return deflateInPool(bytes)
  // Without a size, 16 KB are kept for each result: gigabytes for many small files.
  const chunkSize = bytes.length + 64
  return deflateSync(bytes, bytes.length <= tinyBytes ? { chunkSize, ...tinyState } : { chunkSize })
}

/** Where a loose object lies below `objects/`. */
export function looseName(oid: Oid): string {
  return `${oid.slice(0, 2)}/${oid.slice(2)}`
}

/**
 * Writes files that never change under names made of their content, all of them durable on return: each to a temporary
 * file, fsynced, renamed; then every directory once. A file appears whole or not at all, and in the order given: an
 * object never before those that it names, which a collection might look for at once.
 *
 * @param root directory of the files and of the temporary ones; file names may have one folder, made when missing.
 */
export async function writeDurable(root: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const folders = new Set([...files.keys()].map((name) => dirname(name)))
  // Git’s own prefix: `git gc` clears such leftovers too.
  const waiting = new Map([...files.keys()].map((name) => [name, `tmp_obj_${randomBytes(8).toString('hex')}`]))
  let madeFolder = false
  try {
    await allSettled([...files].map(([name, bytes]) => writeNewFile(join(root, waiting.get(name) ?? ''), bytes, 0o444)))
    for (const [name, temporary] of waiting) {
      if (await moveInto(join(root, temporary), join(root, name))) madeFolder = true
      waiting.delete(name)
    }
  } catch (error) {
    for (const temporary of waiting.values()) await unlink(join(root, temporary)).catch(nullIfMissing)
    throw error
  }
  await Promise.all([...folders].map((folder) => syncFolder(join(root, folder))))
  if (madeFolder) await syncDirectory(root)
}

/** Rejects when all have ended, so that nothing is written afterwards. */
async function allSettled(works: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

/** Returns whether it had to make the folder. */
async function moveInto(temporary: string, path: string): Promise<boolean> {
  for (let made = false, tried = 1; ; tried++) {
    try {
      await rename(temporary, path)
      return made
    } catch (error) {
      // gc removes folders that it has emptied, also one that was made just now.
      if (!isMissing(error) || tried === tries) throw error
      await makeFolder(dirname(path))
      // Also when another writer did: that it is there may not be on disk yet.
      made = true
    }
  }
}

/**
 * Not `recursive`: that looks at a folder that is there, fails when gc removes it in between, and would make a
 * repository that is gone.
 */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error
  })
}

/** A folder that is gone by now was emptied by gc, which has moved its objects into a pack that it made durable. */
async function syncFolder(path: string): Promise<void> {
  await syncDirectory(path).catch(nullIfMissing)
}
