import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, readdir, rename, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isMissing } from './disk.ts'

/** Some of what version 0.1 wrote has twelve digits. */
const temporaryName = /^\..+\.[0-9a-f]{12}(?:[0-9a-f]{4})?\.tmp$/
/** Small parts are joined to this many bytes before they are written: fewer calls, bounded memory. */
const batchBytes = 1 << 20

/** The part of node:fs/promises that durable writing needs; tests put a failing disk here. */
export interface FileSystem {
  readonly open: typeof open
  readonly readFile: typeof readFile
  readonly rename: typeof rename
  readonly unlink: typeof unlink
  readonly link: typeof link
}

export const diskFileSystem: FileSystem = { open, readFile, rename, unlink, link }

/** The directory entry changed but its flush failed: nobody knows what a power cut would leave. */
export class UncertainWrite extends Error {
  override readonly name = 'UncertainWrite'
}

/** Whether a file name is one that a killed writer may have left. */
export function isTemporary(file: string): boolean {
  return temporaryName.test(file)
}

/**
 * Replaces a file so that after a crash or power cut it is wholly old or wholly new, and new once this has settled.
 * Throws the disk's error with the old file in place, or UncertainWrite.
 *
 * @param content Parts are written one after the other.
 */
export async function replaceFile(fs: FileSystem, path: string, content: string | Iterable<Uint8Array>): Promise<void> {
  const parts = typeof content === 'string' ? [Buffer.from(content, 'utf8')] : content
  await replaceFileBy(fs, path, (temporary) => writeFlushed(fs, temporary, parts))
}

/**
 * As `replaceFile`.
 *
 * @param write makes the file at the path that it is given, and its bytes durable.
 */
export async function replaceFileBy<T>(
  fs: FileSystem,
  path: string,
  write: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  let result: T
  try {
    result = await write(temporary)
    await fs.rename(temporary, path)
  } catch (error) {
    // The write's own error matters more, and the next start sweeps what stays.
    await fs.unlink(temporary).catch(() => undefined)
    throw error
  }
  await flushEntry(fs, path)
  return result
}

/** Removes what killed writers left in a directory. Only while nobody writes there. */
export async function sweepTemporary(fs: FileSystem, directory: string): Promise<void> {
  for (const name of await readdir(directory)) if (isTemporary(name)) await fs.unlink(join(directory, name))
}

/** Removes a file for good; a file that is not there is fine. */
export async function removeFile(fs: FileSystem, path: string): Promise<void> {
  try {
    await fs.unlink(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await flushEntry(fs, path)
}

/** The text of a file, or null where there is none. */
export async function readIfThere(fs: FileSystem, path: string): Promise<string | null> {
  try {
    return await fs.readFile(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Makes a directory, with those above it that are missing, for good. Nobody but the service's user may look into it. */
export async function makeDirectory(fs: FileSystem, path: string): Promise<void> {
  const wanted = resolve(path)
  const first = await mkdir(wanted, { recursive: true, mode: 0o700 })
  if (first === undefined) return
  for (let made = wanted; made.length >= first.length; made = dirname(made)) await flushEntry(fs, made)
}

/** Writes all of the bytes at the file's place; throws when the disk takes only a part. */
export async function writeWhole(file: FileHandle, bytes: Uint8Array, path: string): Promise<void> {
  // A full disk shows itself as a short write first and as an error only on the next one.
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done)
    if (bytesWritten === 0) throw new Error(`the disk took only ${done} of ${bytes.length} bytes of ${path}`)
    done += bytesWritten
  }
}

async function writeFlushed(fs: FileSystem, path: string, parts: Iterable<Uint8Array>): Promise<void> {
  const file = await fs.open(path, 'wx', 0o600)
  try {
    for (const part of joined(parts)) await writeWhole(file, part, path)
    await file.sync()
  } finally {
    await file.close()
  }
}

function* joined(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let batch: Uint8Array[] = []
  let size = 0
  for (const part of parts) {
    batch.push(part)
    size += part.length
    if (size < batchBytes) continue
    yield batch.length === 1 ? part : Buffer.concat(batch)
    batch = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(batch)
}

/** The name of a file, new or gone, is durable only when its directory is flushed too. Throws UncertainWrite. */
export async function flushEntry(fs: FileSystem, path: string): Promise<void> {
  try {
    const directory = await fs.open(dirname(path), 'r')
    try {
      await directory.sync()
    } finally {
      await directory.close()
    }
  } catch (cause) {
    throw new UncertainWrite(`the directory of ${path} could not be flushed`, { cause })
  }
}
