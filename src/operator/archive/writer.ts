import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import type { Digests } from './format.ts'

/** Fast: packs of Git are compressed already, and pages shrink well at any level. */
const gzipLevel = 1

/** What goes into an entry. The size comes first in a tar, so it has to be known. */
export interface EntryContent {
  readonly size: number
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

export function textContent(text: string): EntryContent {
  const bytes = Buffer.from(text)
  return { size: bytes.length, chunks: [bytes] }
}

/** Writes a gzipped tar to a stream, no faster than that takes it. */
export class ArchiveWriter {
  readonly #pack: Pack = pack()
  readonly #broken = new AbortController()
  readonly #flow: Promise<void>
  #entries = 0
  #bytes = 0
  #archiveBytes = 0

  /**
   * @param sink is ended with the archive.
   * @param signal breaks it off.
   */
  constructor(sink: Writable, signal: AbortSignal = new AbortController().signal) {
    const gzip = createGzip({ level: gzipLevel })
    gzip.on('data', (chunk: Buffer) => (this.#archiveBytes += chunk.length))
    this.#flow = pipeline(Readable.from(this.#pack), gzip, sink, { signal })
    // Whoever adds the next entry hears of it.
    this.#flow.catch((error: unknown) => this.#broken.abort(error))
  }

  get entries(): number {
    return this.#entries
  }

  /** Of all entries so far. */
  get bytes(): number {
    return this.#bytes
  }

  /** What the sink was given so far. */
  get archiveBytes(): number {
    return this.#archiveBytes
  }

  /**
   * Adds an entry, and its digest to the list. Throws what the content throws or what is wrong with the stream; nothing
   * can be added after that.
   */
  async add(name: string, { size, chunks }: EntryContent, digests: Digests): Promise<void> {
    const { signal } = this.#broken
    signal.throwIfAborted()
    const hash = createHash('sha256')
    try {
      const sink = this.#pack.entry({ name, size, mode: 0o600 })
      const closed = once(sink, 'close', { signal })
      // Looked at below; what is wrong with the chunks comes first.
      closed.catch(() => undefined)
      for await (const chunk of chunks) {
        hash.update(chunk)
        if (!sink.write(chunk)) await once(sink, 'drain', { signal })
      }
      sink.end(null)
      await closed
    } catch (error) {
      signal.throwIfAborted()
      await this.abort(error)
      throw error
    }
    this.#entries += 1
    this.#bytes += size
    digests.add(name, hash.digest('hex'))
  }

  /** Resolves when the sink has everything. */
  async end(): Promise<void> {
    this.#pack.finalize()
    await this.#flow
  }

  /** Breaks the archive off. */
  async abort(reason: unknown): Promise<void> {
    this.#pack.destroy(reason instanceof Error ? reason : new Error(String(reason)))
    await Promise.allSettled([this.#flow])
  }
}

/** Cuts a stream into buffers of so many bytes; the last one is shorter. */
export async function* inParts(stream: AsyncIterable<Uint8Array>, bytes: number): AsyncGenerator<Buffer> {
  let chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    for (let from = 0; from < chunk.length;) {
      const piece = chunk.subarray(from, from + bytes - size)
      chunks.push(piece)
      size += piece.length
      from += piece.length
      if (size < bytes) continue
      yield Buffer.concat(chunks)
      chunks = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(chunks)
}
