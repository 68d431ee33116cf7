import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { Failure } from '../../contract/failure.ts'
import { syncDirectory, syncFile } from '../../lib/disk.ts'
import { diskFailure } from '../disk-failure.ts'

/** The process's own streams, which `-` names. */
export interface StandardStreams {
  readonly input: Readable
  readonly output: Writable
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

async function writeFile<T>(path: string, write: (sink: Writable) => Promise<T>): Promise<T> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`)
  try {
    const sink = createWriteStream(draft, { flags: 'wx', mode: 0o600 })
    await once(sink, 'open').catch((cause: unknown) => {
      throw new Failure('invalid_request', `${path} cannot be written.`, {
        hint: 'Name a file in a directory that is there and that you may write to.',
        cause,
      })
    })
    const result = await write(sink)
    await syncFile(draft)
    await rename(draft, path)
    await syncDirectory(dirname(path))
    return result
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
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
