import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { isMissing, syncDirectory } from '../lib/disk.ts'
import { lockDirectory, type DirectoryLock } from '../storage/lock.ts'

/** What an otherwise empty directory may hold: a lock that is not held, and what file systems put at their root. */
const harmless = new Set(['.lock', 'lost+found'])
const draftPrefix = '.restoring-'

/** Where a data directory is built before it is one. */
export interface Destination {
  /** Where to build. */
  readonly draft: string
  /** Makes it the data directory, durably. */
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
  if (names !== null && names.some((name) => !harmless.has(name))) {
    throw new Failure('invalid_request', `${path} is not empty: a backup is restored only where nothing can be lost.`, {
      hint: 'Name another directory with --into, or move this one away.',
    })
  }
  const draftName = `${draftPrefix}${randomBytes(8).toString('hex')}`
  if (names === null || (names.length === 0 && !(await isMountPoint(path)))) {
    const draft = join(dirname(path), `${draftName}-${basename(path)}`)
    await mkdir(draft, { recursive: true, mode: 0o700 })
    return {
      draft,
      commit: () => replace(draft, path),
      discard: () => rm(draft, { recursive: true, force: true }),
    }
  }
  const lock = await lockDirectory(path)
  const draft = join(path, draftName)
  await mkdir(draft, { mode: 0o700 })
  return {
    draft,
    commit: () => moveIn(draft, lock),
    discard: async () => {
      await rm(draft, { recursive: true, force: true })
      await lock.release()
    },
  }
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

async function moveIn(draft: string, lock: DirectoryLock): Promise<void> {
  const { directory } = lock
  for (const name of await readdir(draft)) await rename(join(draft, name), join(directory, name))
  await rm(draft, { recursive: true })
  await syncDirectory(directory)
  await lock.release()
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
