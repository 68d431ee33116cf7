import { open, readdir, stat, statfs, type FileHandle } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Failure } from '../../contract/failure.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { diskFileSystem, readIfThere } from '../../lib/durable-file.ts'
import type { NamedTexts } from '../blobs.ts'
import { commonFolder, identityOf, isCommonFile } from '../blobs/common.ts'
import { fileOfText, textIn } from '../blobs/file-blobs.ts'
import { documentOf, fileOf, projectIdOf, startsFile } from '../documents/document-files.ts'
import { requireKnownFormat } from '../format.ts'
import { readInventory, type ReadInventory } from '../inventory.ts'
import { streamNames } from '../records.ts'
import { checkListed } from './check-listed.ts'
import { CheckedPacks } from './check-packs.ts'
import { checkBodies, checkEarlierChangelog, checkRecords } from './check-records.ts'
import { checkRoot } from './check-root.ts'
import { diskUseOf, otherDiskUse, type DiskUse } from './disk-use.ts'
import { filesBelow, type FaultReport } from './reading.ts'

const packFolder = 'packs'
/** Grow while they are copied. */
const isOfStream = new RegExp(`^(?:${streamNames.join('|')})/`)
const isOfPack = new RegExp(`^${packFolder}/`)
/** Copied last: what others refer to must be there. */
const lastFile = fileOf('service')
const chunkBytes = 256 * 1024

/** A file to be copied. */
export interface CopiedFile {
  /** Below the folder of the project. */
  readonly path: string
  /** Bytes; told before they are read. */
  readonly size: number
  /** The same for all names of a file. */
  readonly identity: string
  /** To be read before the next file. */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** The texts of a project, of which whatever has the name of one is listed. */
export type ReadTexts = Pick<NamedTexts, 'list' | 'read'>

/** What lies in a data directory beside the repositories, for whoever only reads it: another process may work on it. */
export class DataDirectory {
  readonly #path: string
  readonly #whole = new Set<string>()

  constructor(path: string) {
    this.#path = path
  }

  /** Ids of all projects, sorted. */
  async projects(): Promise<string[]> {
    const documents = (await readdir(this.#path)).map(documentOf).filter((name) => name !== null)
    return documents
      .map(projectIdOf)
      .filter((projectId) => projectId !== null)
      .sort()
  }

  /** Text of the file of a document; null where there is none. */
  documentText(document: string): Promise<string | null> {
    return readIfThere(diskFileSystem, join(this.#path, fileOf(document)))
  }

  /** What the disk gives for projects: see `diskUseOf`. */
  diskUse(projectIds: readonly string[]): Promise<ReadonlyMap<string, DiskUse>> {
    return diskUseOf(this.#path, projectIds)
  }

  /** As `diskUse`, for all that is no project’s; and what of the file system is free, and how large it is. */
  async space(projectIds: readonly string[]): Promise<{ others: number; free: number; size: number }> {
    const { bavail, blocks, bsize } = await statfs(this.#path)
    return { others: await otherDiskUse(this.#path, projectIds), free: bavail * bsize, size: blocks * bsize }
  }

  /** What belongs into a backup beside the projects, by the names of its files; the service's own document comes last. */
  async *serviceTexts(): AsyncGenerator<readonly [file: string, text: string]> {
    const files = (await readdir(this.#path)).filter((file) => isServiceFile(file) && file !== lastFile)
    for (const file of [...files.sort(), lastFile]) {
      // A document may be gone by now, and nobody may have signed up yet.
      const text = await readIfThere(diskFileSystem, join(this.#path, file))
      if (text !== null) yield [file, text]
    }
  }

  /** Bytes of the files of a project that grow, by their paths. */
  async streamLengths(projectId: string): Promise<Record<string, number>> {
    const lengths: Record<string, number> = {}
    const folder = join(this.#path, projectId)
    for (const name of streamNames)
      for (const path of await filesBelow(folder, name)) lengths[path] = (await stat(join(folder, path))).size
    return lengths
  }

  /**
   * All files of a project that is held: releases, records, published files. A release is in a pack before its manifest
   * is there: packs come last, so none is missing that a manifest names. A file that is gone was pruned: nothing refers
   * to it.
   *
   * @param lengths what `streamLengths` said of the files that grow: they are copied so far.
   */
  async *files(projectId: string, lengths: Readonly<Record<string, number>>): AsyncGenerator<CopiedFile> {
    const folder = join(this.#path, projectId)
    const rest = (await filesBelow(folder)).filter((path) => !isOfPack.test(path) && !isOfStream.test(path))
    for (const path of rest) yield* copied(folder, path)
    for (const [path, size] of Object.entries(lengths)) yield* copied(folder, path, size)
    for (const path of await filesBelow(folder, packFolder)) yield* copied(folder, path)
  }

  /** Files that many projects have among their packs, by names of their own. */
  async *commonFiles(): AsyncGenerator<CopiedFile> {
    const folder = join(this.#path, commonFolder)
    for (const name of await filesBelow(folder)) if (isCommonFile(name)) yield* copied(folder, name)
  }

  texts(projectId: string): ReadTexts {
    const folder = join(this.#path, projectId)
    const suffix = fileOfText('')
    return {
      list: async (below) => {
        const paths = (await filesBelow(folder, below)).filter((path) => path.endsWith(suffix))
        return paths.map((path) => path.slice(below.length + 1, -suffix.length))
      },
      // Of one that is damaged nothing is there.
      read: async (name) => {
        const content = await readIfThere(diskFileSystem, join(folder, fileOfText(name)))
        return content === null ? null : (textIn(content) ?? '')
      },
    }
  }

  /** Reads all published files of a project. */
  checkPacks(projectId: string, report: FaultReport): Promise<CheckedPacks> {
    return CheckedPacks.read({ folder: join(this.#path, projectId), packFolder, whole: this.#whole }, report)
  }

  /** Looks whether the records of all streams of a project can be read. */
  async checkRecords(projectId: string, report: FaultReport): Promise<void> {
    const folder = join(this.#path, projectId)
    await checkRecords(folder, report)
    await checkBodies(folder, { name: 'changelog', body: 'the texts of entry' }, report)
    await checkEarlierChangelog(folder, report)
  }

  /** Text of a file of a repository; null where there is none. */
  repositoryText(projectId: string, file: 'HEAD' | 'config'): Promise<string | null> {
    return readIfThere(diskFileSystem, join(this.#path, `${projectId}.git`, file))
  }

  /** What must be there. To be read before what it is compared with: what is to go leaves it first. */
  inventory(): Promise<ReadInventory> {
    return readInventory(this.#path)
  }

  /** Looks whether the files of a project are there that must be. */
  checkListed(projectId: string, inventory: ReadInventory, report: FaultReport): Promise<void> {
    return checkListed(this.#path, projectId, { inventory, report })
  }

  /** Looks at everything that is no project's. Returns how many documents it read. */
  checkRoot(inventory: ReadInventory, report: FaultReport): Promise<number> {
    return checkRoot(this.#path, inventory, report)
  }
}

/** Throws Failure `not_found`, `unavailable` for one that a newer version has written. Locking makes a directory; a mistyped one must not be made. */
export async function requireDirectory(path: string): Promise<void> {
  const found = await stat(resolve(path)).catch(() => null)
  if (found?.isDirectory() === true) return requireKnownFormat(resolve(path))
  throw new Failure('not_found', `There is no data directory ${path}.`, {
    hint: 'Set DATA_DIR to the one that the service is started with, or name it with --data.',
  })
}

/** Whether a file beside the projects' belongs into a backup. */
export function isServiceFile(file: string): boolean {
  if (file === startsFile) return true
  const document = documentOf(file)
  return document !== null && projectIdOf(document) === null
}

/** @param size Bytes that belong to the copy; without it all. */
async function* copied(folder: string, path: string, size?: number): AsyncGenerator<CopiedFile> {
  const handle = await open(join(folder, path), 'r').catch(nullIfMissing)
  if (handle === null) return
  try {
    const found = await handle.stat()
    const bytes = size ?? found.size
    yield { path, size: bytes, identity: identityOf(found), chunks: bytesOf(handle, bytes) }
  } finally {
    await handle.close()
  }
}

/**
 * The beginning of a file. Its size was told before: of a file that is cut meanwhile, which only takes away what was
 * never acknowledged, zeros make up for the rest.
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
