import { randomBytes } from 'node:crypto'
import { mkdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode, isMissing, nullIfMissing, syncDirectory, writeNewFile } from '../../lib/disk.ts'

const tries = 20

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
      if (await place(join(root, temporary), join(root, name))) madeFolder = true
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
async function place(temporary: string, path: string): Promise<boolean> {
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
