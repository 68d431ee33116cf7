import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Makes the names in a directory durable: a rename or a new file is only in memory until then. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/**
 * Writes files that never change under names made of their content, all of them durable on return: each to a temporary
 * file, fsynced, renamed; then every directory once. A file appears whole or not at all.
 *
 * @param root directory of the files and of the temporary ones; file names may have one folder, made when missing.
 */
export async function writeDurable(root: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const folders = new Set([...files.keys()].map((name) => dirname(name)))
  const made = await Promise.all([...files].map(([name, bytes]) => writeOne(root, name, bytes)))
  await Promise.all([...folders].map((folder) => syncDirectory(join(root, folder))))
  if (made.includes(true)) await syncDirectory(root)
}

/** Returns whether it had to make the folder. */
async function writeOne(root: string, name: string, bytes: Uint8Array): Promise<boolean> {
  // Git’s own prefix: `git gc` clears such leftovers too.
  const temporary = join(root, `tmp_obj_${randomBytes(8).toString('hex')}`)
  try {
    const file = await open(temporary, 'wx', 0o444)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    return await place(temporary, join(root, name))
  } catch (error) {
    await unlink(temporary).catch((gone: NodeJS.ErrnoException) => {
      if (gone.code !== 'ENOENT') throw gone
    })
    throw error
  }
}

async function place(temporary: string, path: string): Promise<boolean> {
  try {
    await rename(temporary, path)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true })
    await rename(temporary, path)
    return true
  }
}
