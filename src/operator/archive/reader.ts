import { createHash, type Hash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Extract } from 'tar-stream'
import { Failure } from '../../contract/failure.ts'

export interface ReadEntry {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** To be read to its end before the next entry. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Hex; once the chunks are read. */
  sha256(): string
}

export function damagedArchive(problem: string, cause?: unknown): Failure {
  return new Failure('invalid_request', `The archive is not a whole backup: ${problem}.`, {
    hint: 'Copy it again from where it was made and compare the sizes, or take another backup. Nothing was restored.',
    cause,
  })
}

/**
 * The entries of a gzipped tar, one after the other. Throws Failure `invalid_request` for an archive that is cut or damaged,
 * with the byte up to which it was read; so do the chunks of an entry.
 *
 * @param onBroken told of that Failure first: whoever reads chunks may have an error of their own.
 */
export async function* readArchive(
  source: Readable,
  {
    signal = new AbortController().signal,
    onBroken,
  }: { readonly signal?: AbortSignal | undefined; readonly onBroken: (failure: Failure) => void },
): AsyncGenerator<ReadEntry> {
  const tar: Extract = extract()
  let at = 0
  let entryName: string | undefined
  const counted = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      at += chunk.length
      yield chunk
    }
  }
  const broken = (error: unknown): unknown => {
    signal.throwIfAborted()
    if (error instanceof Failure || !isArchiveError(error)) return error
    const where = entryName === undefined ? '' : `, in ${entryName}`
    const failure = damagedArchive(`it is cut or damaged at byte ${at}${where} (${error.message})`, error)
    onBroken(failure)
    return failure
  }
  const flow = pipeline(source, counted, createGunzip(), tar as unknown as NodeJS.WritableStream, { signal })
  // Looked at when the entries end, however they do.
  flow.catch(() => undefined)
  async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Hash): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    } catch (error) {
      throw broken(error)
    }
  }
  try {
    for await (const entry of tar) {
      const { name, size, type } = entry.header
      if (type !== 'file') throw damagedArchive(`${JSON.stringify(name)} is not a file`)
      const hash = createHash('sha256')
      entryName = name
      yield {
        name,
        size,
        chunks: hashed(entry as unknown as AsyncIterable<Uint8Array>, hash),
        sha256: () => hash.digest('hex'),
      }
    }
    await flow
  } catch (error) {
    throw broken(error)
  } finally {
    tar.destroy()
    source.destroy()
  }
}

/** What gunzip and the tar reader complain of; the disk's own errors have other codes. */
function isArchiveError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return (
    code.startsWith('Z_') ||
    code === 'ERR_STREAM_PREMATURE_CLOSE' ||
    /tar|unexpected end|premature|stream was destroyed|writable stream closed/i.test(error.message)
  )
}
