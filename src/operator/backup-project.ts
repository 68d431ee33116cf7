import { once } from 'node:events'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Snapshot } from '../contract/operator.ts'
import { nullIfMissing } from '../lib/disk.ts'
import { streamNames } from '../storage/records.ts'
import type { EntryContent } from './archive/writer.ts'
import { filesBelow, type DataDirectory } from './data-directory.ts'

const packs = 'packs/'
/** What is copied as far as the snapshot goes. */
const isStream = new RegExp(`^(?:${streamNames.join('|')})/`)
const chunkBytes = 256 * 1024

/** One thread and a bounded window: the service needs the machine, too. Deltas that there are are taken as they are. */
const packSettings = ['-c', 'pack.threads=1', '-c', 'pack.windowMemory=64m', '-c', 'core.deltaBaseCacheLimit=16m']

/** A Git pack of all objects that a project's refs reach; nothing where there is no ref. Throws when git fails. */
export async function* reachableObjects(
  { directory, git }: DataDirectory,
  { slug, refs }: Snapshot,
): AsyncGenerator<Buffer> {
  if (refs === null || refs.length === 0) return
  const args = [...packSettings, 'pack-objects', '--revs', '--stdout', '--delta-base-offset', '--quiet']
  const child = git.start(args, join(directory, `${slug}.git`))
  const closed = once(child, 'close') as Promise<[code: number | null]>
  // Looked at below: the output ends first.
  closed.catch(() => undefined)
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  // Git may end without reading all; its exit code says why.
  child.stdin.on('error', () => child.stdin.destroy())
  child.stdin.end([...new Set(refs.map(([, oid]) => oid))].join('\n') + '\n')
  try {
    for await (const chunk of child.stdout) yield chunk as Buffer
    const [code] = await closed
    if (code !== 0) throw new Error(`git pack-objects of ${slug} ended with code ${code}: ${stderr.trim()}`)
  } finally {
    child.kill()
  }
}

/** Adds an entry of the project to the archive. */
export type AddEntry = (name: string, content: EntryContent) => Promise<void>

interface HeldProject {
  /** The data directory. */
  readonly directory: string
  readonly snapshot: Snapshot
}

/**
 * Adds the files of a held project: releases, published files, records. A release is in a pack before its
 * manifest is there: packs are listed last, so none is missing that a manifest names.
 */
export async function addProjectFiles({ directory, snapshot }: HeldProject, add: AddEntry): Promise<void> {
  const { slug, grown } = snapshot
  const root = join(directory, slug)
  const isWanted = (path: string): boolean => !path.startsWith(packs) && !isStream.test(path)
  const files = (await filesBelow(root)).filter(isWanted)
  for (const path of files) await addFile({ root, path, name: `files/${path}` }, add)
  for (const [path, size] of Object.entries(grown)) await addFile({ root, path, name: `files/${path}`, size }, add)
  const last = await filesBelow(root, packs.slice(0, -1))
  for (const path of last) await addFile({ root, path, name: `files/${path}` }, add)
}

interface CopiedFile {
  readonly root: string
  /** Below the root. */
  readonly path: string
  /** In the archive. */
  readonly name: string
  /** Bytes that belong to the snapshot; without it all. */
  readonly size?: number
}

/** A file that is gone was pruned: nothing refers to it. */
async function addFile({ root, path, name, size }: CopiedFile, add: AddEntry): Promise<void> {
  const handle = await open(join(root, path), 'r').catch(nullIfMissing)
  if (handle === null) return
  try {
    const bytes = size ?? (await handle.stat()).size
    await add(name, { size: bytes, chunks: bytesOf(handle, bytes) })
  } finally {
    await handle.close()
  }
}

/**
 * The beginning of a file. The size of an entry is told before its content: of a file that is cut meanwhile, which only
 * takes away what was never acknowledged, zeros make up for the rest.
 */
async function* bytesOf(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let done = 0; done < size;) {
    const { buffer, bytesRead } = await handle.read(
      Buffer.allocUnsafe(Math.min(chunkBytes, size - done)),
      0,
      null,
      done,
    )
    const chunk = bytesRead === 0 ? buffer.fill(0) : buffer.subarray(0, bytesRead)
    yield chunk
    done += chunk.length
  }
}
