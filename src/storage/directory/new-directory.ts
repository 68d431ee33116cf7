import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import pLimit from 'p-limit'
import { Failure } from '../../contract/failure.ts'
import { hasCode, isMissing, nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import { commonFolder } from '../blobs/common.ts'
import { documentOf, fileOf, startsFile } from '../documents/document-files.ts'
import { DamagedDocument, decode } from '../documents/envelope.ts'
import { openInventory } from './survey.ts'
import { isInUse, lockDirectory } from '../lock.ts'

/** What an otherwise empty directory may hold: a lock that is not held, and what file systems put at their root. */
const harmless = (name: string): boolean => name === '.lock' || name === 'lost+found' || name.startsWith(draftPrefix)
const draftPrefix = '.restoring-'
/** What a draft's name begins with. */
const draftName = /^\.restoring-[0-9a-f]{16}/
/** Flushes that wait at a time: small files need not wait for each other. */
const concurrency = 16

/** Where a data directory is built before it is one. */
export interface Destination {
  /** Where to build. */
  readonly draft: string
  /** Makes it the data directory, durably. When that fails what was built stays; the Failure says where. */
  commit(): Promise<void>
  /** Leaves things as they were. */
  discard(): Promise<void>
}

/**
 * Prepares a place for a data directory. It is built beside and renamed, so that it is there whole or not at all; inside
 * a directory that cannot be replaced, a mount point, its parts are moved in at the end.
 *
 * Throws Failure `invalid_request` when the directory is not empty, `unavailable` when it is in use.
 */
export async function prepareDestination(directory: string): Promise<Destination> {
  const path = resolve(directory)
  const names = await namesIn(path)
  if (names !== null && names.some((name) => !harmless(name))) {
    throw new Failure('invalid_request', `${path} is not empty: a backup is restored only where nothing can be lost.`, {
      hint: 'Name another directory with --into, or move this one away.',
    })
  }
  const unique = `${draftPrefix}${randomBytes(8).toString('hex')}`
  if (names === null || (names.length === 0 && !(await isMountPoint(path)))) {
    await removeLeft(dirname(path), `-${basename(path)}`)
    const draft = join(dirname(path), `${unique}-${basename(path)}`)
    // Whoever restores next sees by the lock that somebody is at work here.
    const lock = await lockDirectory(draft)
    return {
      draft,
      commit: async () => {
        try {
          await replace(draft, path)
        } finally {
          await lock.release()
        }
      },
      discard: async () => {
        await rm(draft, { recursive: true, force: true })
        await lock.release()
      },
    }
  }
  const lock = await lockDirectory(path)
  await removeLeft(path, '')
  const draft = join(path, unique)
  await mkdir(draft, { mode: 0o700 })
  return {
    draft,
    commit: async () => {
      try {
        await moveIn(draft, path)
      } finally {
        await lock.release()
      }
    },
    discard: async () => {
      await rm(draft, { recursive: true, force: true })
      await lock.release()
    },
  }
}

/** Removes what restores left that were killed. @param ending of their names: beside it there may be other directories. */
async function removeLeft(folder: string, ending: string): Promise<void> {
  for (const name of (await readdir(folder).catch(nullIfMissing)) ?? []) {
    if (!draftName.test(name) || name.replace(draftName, '') !== ending) continue
    const lock = await lockDirectory(join(folder, name)).catch((error: unknown) => {
      if (isInUse(error)) return null
      throw error
    })
    if (lock === null) continue
    await rm(join(folder, name), { recursive: true, force: true })
    await lock.release()
  }
}

/** Throws Failure `unavailable` for a directory in which a restore did not come to its end: what is there is not whole. */
export async function refuseUnfinished(directory: string): Promise<void> {
  const left = (await readdir(directory)).find((name) => name.startsWith(draftPrefix))
  if (left === undefined) return
  throw new Failure('unavailable', `A restore into ${directory} did not come to its end: ${left} is left of it.`, {
    hint: 'Empty the directory, and restore the backup again.',
  })
}

async function replace(draft: string, path: string): Promise<void> {
  try {
    // Takes the place of an empty directory; one that was filled meanwhile stays.
    await rename(draft, path)
  } catch (cause) {
    throw new Failure('invalid_request', `${path} came into use while the backup was restored.`, {
      hint: `All of it is in ${draft}. Move it to where it belongs, or remove it.`,
      cause,
    })
  }
  await syncDirectory(dirname(path))
}

/** The draft goes last: while it is there no service starts on a part of the data. */
async function moveIn(draft: string, path: string): Promise<void> {
  try {
    for (const name of await readdir(draft)) await rename(join(draft, name), join(path, name))
    await syncDirectory(path)
    await rm(draft, { recursive: true })
    await syncDirectory(path)
  } catch (cause) {
    throw new Failure('unavailable', `The restored data could not be moved into ${path}: some of it may be there.`, {
      hint: `The rest is in ${draft}. Empty the directory, see that its disk takes writes, and restore the backup again.`,
      cause,
    })
  }
}

async function isMountPoint(path: string): Promise<boolean> {
  const [own, above] = await Promise.all([stat(path), stat(dirname(path))])
  return own.dev !== above.dev
}

async function namesIn(path: string): Promise<string[] | null> {
  try {
    return await readdir(path)
  } catch (error) {
    if (isMissing(error)) return null
    throw new Failure('invalid_request', `${path} cannot be used as a directory.`, {
      hint: 'Name another directory with --into.',
      cause: error,
    })
  }
}

/**
 * Whether a text can be that of a file beside the projects' folders; also one that is damaged, as it may have been when
 * the backup was made. Throws Failure `unavailable` for a document that a newer version has written.
 */
export function isTextOf(file: string, text: string): boolean {
  const document = documentOf(file)
  if (document === null) return file === startsFile && /^\d+\n$/.test(text)
  try {
    decode(text, document, file)
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error
  }
  return true
}

/** Writes the files of a new data directory; all of them are durable when `end` has settled. */
export class NewFiles {
  readonly #root: string
  readonly #folders = new Set<string>()
  readonly #limit = pLimit(concurrency)
  readonly #flushes = new Set<Promise<void>>()
  #failed: { readonly error: unknown } | null = null

  constructor(root: string) {
    this.#root = root
    this.#folders.add(root)
  }

  /** Throws when the file is there already, and what the disk throws. */
  async write(path: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    if (this.#failed !== null) throw this.#failed.error
    await this.#makeFolder(dirname(join(this.#root, path)))
    const file = await open(join(this.#root, path), 'wx', 0o600)
    try {
      // Repeats short writes, and fails when the disk is full.
      for await (const chunk of chunks) await file.writeFile(chunk)
    } catch (error) {
      await file.close()
      throw error
    }
    const flush = this.#limit(async () => {
      try {
        await file.sync()
      } finally {
        await file.close()
      }
    })
    const noted = flush.catch((error: unknown) => {
      this.#failed ??= { error }
    })
    this.#flushes.add(noted)
    void noted.finally(() => this.#flushes.delete(noted))
    if (this.#flushes.size >= 2 * concurrency) await Promise.race(this.#flushes)
  }

  /** @param path Below the folder of the project, as a backup says it. */
  async writeOfProject(projectId: string, path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await this.write(join(projectId, path), chunks)
  }

  /** A file that many projects have, for `linkCommon`. */
  async writeCommon(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    await this.write(join(commonFolder, file), chunks)
  }

  /**
   * Gives a project a common file, under a name of its own. Returns false where there is no such file.
   *
   * @param path Below the folder of the project.
   */
  async linkCommon(file: string, projectId: string, path: string): Promise<boolean> {
    const from = join(this.#root, commonFolder, file)
    const to = join(projectId, path)
    await this.#makeFolder(dirname(join(this.#root, to)))
    try {
      await link(from, join(this.#root, to))
    } catch (error) {
      if (isMissing(error)) return false
      if (hasCode(error, 'EEXIST')) throw error
      // It has as many names as the file system gives a file: a copy is as good.
      await this.write(to, createReadStream(from))
    }
    return true
  }

  /** Removes what was written of a project. */
  async discard(projectId: string): Promise<void> {
    await this.end()
    for (const name of [projectId, fileOf(`project/${projectId}`)])
      await rm(join(this.#root, name), { recursive: true, force: true })
  }

  /** All files are there: says so in the inventory. */
  async complete(): Promise<void> {
    await this.end()
    await (await openInventory(this.#root)).close()
  }

  async end(): Promise<void> {
    await Promise.all(this.#flushes)
    if (this.#failed !== null) throw this.#failed.error
    for (const folder of this.#folders) await syncDirectory(folder)
    this.#folders.clear()
    this.#folders.add(this.#root)
  }

  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return
    await mkdir(folder, { recursive: true, mode: 0o700 })
    for (let at = folder; at.length > this.#root.length; at = dirname(at)) this.#folders.add(at)
  }
}
