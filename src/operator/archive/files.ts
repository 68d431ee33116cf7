import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { syncFile } from '../../lib/disk.ts'
import { diskFileSystem, replaceFileBy, UncertainWrite } from '../../lib/durable-file.ts'

const diskErrors: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EIO: 'the disk fails',
  EROFS: 'the file system takes no writes',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EPIPE: 'the program that was to read it has ended',
}

/**
 * Writes a file that is there whole and durable when this settles, or not at all; nobody else may read it. `-` is the
 * standard output.
 */
export async function writeArchive<T>(
  file: string,
  output: Writable,
  write: (sink: Writable) => Promise<T>,
): Promise<T> {
  try {
    return file === '-' ? await write(output) : await writeFile(resolve(file), write)
  } catch (error) {
    throw diskFailure(error, 'The archive')
  }
}

function writeFile<T>(path: string, write: (sink: Writable) => Promise<T>): Promise<T> {
  return replaceFileBy(diskFileSystem, path, async (draft) => {
    const sink = createWriteStream(draft, { flags: 'wx', mode: 0o600 })
    await once(sink, 'open').catch((cause: unknown) => {
      throw new Failure('invalid_request', `${path} cannot be written.`, {
        hint: 'Name a file in a directory that is there and that you may write to.',
        cause,
      })
    })
    const result = await write(sink)
    await syncFile(draft)
    return result
  })
}

/** Throws Failure `not_found`. */
export async function openArchive(file: string, input: Readable): Promise<Readable> {
  if (file === '-') return input
  const source = createReadStream(resolve(file))
  try {
    await once(source, 'open')
  } catch (cause) {
    throw new Failure('not_found', `${resolve(file)} cannot be read.`, { hint: 'Name the file of a backup.', cause })
  }
  return source
}

/** A Failure in the place of an error that is the disk's, or the receiver's; any other error as it is. */
export function diskFailure(thrown: unknown, what: string): unknown {
  const error = thrown instanceof UncertainWrite ? thrown.cause : thrown
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error
  const reason = diskErrors[error.code]
  if (error instanceof Failure || reason === undefined) return error
  return new Failure('unavailable', `${what} could not be written: ${reason}.`, {
    hint: 'Nothing half is left. Mend that and repeat the command.',
    cause: error,
  })
}
