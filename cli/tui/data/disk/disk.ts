import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export interface DiskEntry {
  readonly name: string
  readonly size: number
  readonly modifiedAt: Date
}

/** The files that are kept on this machine; tests put a failing disk here. Errors are those of `node:fs`. */
export interface Disk {
  /**
   * Makes or replaces a file, wholly or not at all; the folder, too. Only the person can read them.
   * @param options.durable it withstands a power cut when this resolves
   */
  replace(
    path: string,
    parts: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options: { readonly durable: boolean },
  ): Promise<void>
  /** @param length bytes from the beginning; without it, all. Undefined where there is no such file. */
  read(path: string, length?: number): Promise<Buffer | undefined>
  /** Files of a folder; none where there is no such folder. */
  list(directory: string): Promise<DiskEntry[]>
  folders(directory: string): Promise<string[]>
  /** In one step. False: somebody else took or removed it before. */
  move(from: string, to: string): Promise<boolean>
  /** A file that is not there is fine. */
  remove(path: string): Promise<void>
  /** Clears away what killed writers left below a folder long ago, and folders with nothing in them. */
  sweep(directory: string): Promise<void>
  /** Notes that a file was used now. */
  touch(path: string): Promise<void>
}

function isMissing(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  // A home that is a file has nothing kept in it, either.
  return code === 'ENOENT' || code === 'ENOTDIR'
}

function orIfMissing<T>(other: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return other
    throw error
  }
}

/** A name is durable only when its folder is flushed, too. Windows cannot, and does not need to. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function makeFolder(path: string, durable: boolean): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 })
  if (first === undefined || !durable) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushFolder(dirname(made))
}

/** What is younger may be a file that is written now. */
const sweepAfterMs = 60 * 60_000

async function sweep(directory: string): Promise<void> {
  const isOld = async (path: string): Promise<boolean> => {
    const info = await stat(path).catch(orIfMissing(undefined))
    return info !== undefined && Date.now() - info.mtimeMs > sweepAfterMs
  }
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(orIfMissing([]))) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) {
      const wasOld = await isOld(path)
      await sweep(path)
      // One with something in it stays.
      if (wasOld) await rmdir(path).catch(() => undefined)
    } else if (entry.name.startsWith('.') && entry.name.endsWith('.tmp') && (await isOld(path))) {
      await rm(path, { force: true })
    }
  }
}

export const nodeDisk: Disk = {
  async replace(path, parts, { durable }) {
    await makeFolder(dirname(path), durable)
    const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
    try {
      const file = await open(temporary, 'wx', 0o600)
      try {
        for await (const part of parts) await file.writeFile(part)
        if (durable) await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined)
      throw error
    }
    if (durable) await flushFolder(dirname(path))
  },
  async read(path, length) {
    if (length === undefined) return readFile(path).catch(orIfMissing(undefined))
    const file = await open(path, 'r').catch(orIfMissing(undefined))
    if (file === undefined) return undefined
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  },
  async list(directory) {
    const entries = await readdir(directory, { withFileTypes: true }).catch(orIfMissing([]))
    const names = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name)
    const found: DiskEntry[] = []
    for (const name of names) {
      const info = await stat(join(directory, name)).catch(orIfMissing(undefined))
      if (info !== undefined) found.push({ name, size: info.size, modifiedAt: info.mtime })
    }
    return found
  },
  async folders(directory) {
    const entries = await readdir(directory, { withFileTypes: true }).catch(orIfMissing([]))
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  },
  async move(from, to) {
    const moved = await rename(from, to).then(() => true, orIfMissing(false))
    if (moved) await flushFolder(dirname(to))
    return moved
  },
  async remove(path) {
    await rm(path, { force: true })
    await flushFolder(dirname(path)).catch(orIfMissing(undefined))
  },
  sweep,
  async touch(path) {
    const now = new Date()
    await utimes(path, now, now).catch(orIfMissing(undefined))
  },
}
