import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing, syncDirectory, writeNewFile } from '../lib/disk.ts'
import { diskFileSystem, isTemporary, replaceFile } from '../lib/durable-file.ts'
import type { Git } from './git/git.ts'
import { mendConfig, repositoryConfig } from './git/repository-config.ts'
import { endLeftoverCollection } from './objects/garbage-collection.ts'
import { incompletePacks, mendPacks, removeLeftovers } from './objects/leftovers.ts'
import { journalFile } from './refs/ref-journal.ts'
import { removeRefLocks } from './refs/ref-locks.ts'
import { Refs } from './refs/refs.ts'

export const repositoryHead = 'ref: refs/heads/main\n'

/**
 * Makes an empty bare repository, durable and all or nothing: it is made under another name and then renamed.
 *
 * @throws the file system’s ENOTEMPTY or EEXIST when the directory is taken.
 */
export async function createLayout(parent: string, name: string): Promise<void> {
  const draft = join(parent, `.new-${randomBytes(8).toString('hex')}`)
  try {
    for (const directory of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
      await mkdir(join(draft, directory), { recursive: true })
    await writeNewFile(join(draft, 'HEAD'), repositoryHead, 0o644)
    await writeNewFile(join(draft, 'config'), repositoryConfig, 0o644)
    for (const directory of ['objects/info', 'objects/pack', 'objects', 'refs/heads', 'refs/tags', 'refs', ''])
      await syncDirectory(join(draft, directory))
    await rename(draft, join(parent, name))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
  await syncDirectory(parent)
}

/**
 * Puts right what a killed process left in a repository before anybody works in it: locks, which would block every
 * later writer, refs of which only some have moved, half-written objects, packs without an index, pushes that never
 * arrived. A `git gc` that outlived the service that started it is ended first. HEAD and the settings are made what they
 * should be. Returns the paths that it changed. Runs no process but where a pack has no index, or refs have to move.
 */
export async function mendLayout(git: Git, directory: string): Promise<string[]> {
  await endLeftoverCollection(directory)
  const mended = [
    ...(await removeOwn(directory)),
    ...(await removeRefLocks(directory)),
    ...(await removeLeftovers(directory)),
    ...(await mendPacks(git, directory, await incompletePacks(directory))),
  ]
  if (await mendConfig(directory)) mended.push('config')
  if ((await readFile(join(directory, 'HEAD'), 'utf8').catch(nullIfMissing)) !== repositoryHead) {
    await replaceFile(diskFileSystem, join(directory, 'HEAD'), repositoryHead)
    mended.push('HEAD')
  }
  if (await settleRefs(git, directory)) mended.push(journalFile)
  return mended.sort()
}

async function settleRefs(git: Git, directory: string): Promise<boolean> {
  const refs = new Refs(git, directory)
  try {
    return await refs.settle()
  } finally {
    await refs.close()
  }
}

/** What lies beside HEAD. */
async function removeOwn(directory: string): Promise<string[]> {
  const names = await readdir(directory)
  const left = names.filter((name) => /^(?:gc\.pid|.*\.lock|tmp_config_.*)$/.test(name) || isTemporary(name))
  for (const name of left) await rm(join(directory, name), { force: true })
  return left
}
