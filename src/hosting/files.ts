import { randomBytes } from 'node:crypto'
import { open, readdir, rename, rm, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { syncDirectory } from '../lib/disk.ts'

/** Ends the names of files that are not complete yet; a crash leaves them, `sweepTemporary` takes them away. */
const temporarySuffix = '.tmp'

/**
 * Creates or replaces a file: readers see all of it or what was there before, also after kill -9 or a power cut.
 *
 * @param parts Written one after the other.
 * @throws The system's error; the file is then as it was.
 */
export async function writeDurably(path: string, parts: Iterable<Uint8Array | string>): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}${temporarySuffix}`)
  try {
    const handle = await open(temporary, 'wx')
    try {
      // `writeFile` on a handle goes on from the current position and repeats short writes.
      for (const part of parts) await handle.writeFile(part)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncDirectory(dirname(path))
}

/** Removes what crashed writers left in a directory. Only while nobody writes there. */
export async function sweepTemporary(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.endsWith(temporarySuffix)) await unlink(join(directory, name))
  }
}
