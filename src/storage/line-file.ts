import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { diskFileSystem, flushEntry, makeDirectory, writeWhole, type FileSystem } from '../lib/durable-file.ts'
import { GroupCommit } from './group-commit.ts'

/** Where a line lies in its file, in bytes; the length is without the line's end. */
export interface Position {
  readonly offset: number
  readonly length: number
}

interface Waiting {
  readonly bytes: Buffer
  /** Lengths of the lines in `bytes`, each without its end. */
  readonly lengths: readonly number[]
  readonly resolve: (positions: readonly Position[]) => void
  readonly reject: (error: unknown) => void
}

const lineEnd = 0x0a
const chunkBytes = 64 * 1024

/**
 * Opens a file of lines, making it and its directories where they are missing. What a crash left of a last line, which
 * nobody was told is kept, is cut off.
 *
 * Throws Failure `unavailable` when the disk fails.
 */
export async function openLineFile(path: string, fs: FileSystem = diskFileSystem): Promise<LineFile> {
  try {
    await makeDirectory(fs, dirname(path))
    const file = await fs.open(path, 'a+', 0o600)
    try {
      const { size } = await file.stat()
      const whole = await endOfLastLine(file, size)
      if (whole < size) await cutTo(file, whole)
      // An empty one may have been made just now.
      if (whole === 0) await flushEntry(fs, path)
      return new LineFile(file, { path, size: whole })
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (cause) {
    throw notStored(cause)
  }
}

/**
 * An append-only file of lines for one process. Lines that come while a write is under way share the next one and its
 * flush (group commit). Readers see only what is on disk for good.
 */
export class LineFile {
  readonly path: string
  readonly #file: FileHandle
  #size: number
  /** Beyond `#size` there may be the rest of a write that failed. */
  #torn = false
  readonly #waiting = new GroupCommit<Waiting>((batch) => this.#commit(batch))
  #closed = false

  /** @param state.size Where the last whole line ends. Use openLineFile. */
  constructor(file: FileHandle, { path, size }: { readonly path: string; readonly size: number }) {
    this.#file = file
    this.path = path
    this.#size = size
  }

  /** Bytes that are on disk for good. */
  get size(): number {
    return this.#size
  }

  /**
   * Resolves with the lines' places when they are on disk for good; lines of one call stay together. Throws Failure
   * `unavailable` when the disk fails: none of them is in the file then, and a later append is as good as ever.
   */
  async append(lines: readonly string[]): Promise<readonly Position[]> {
    if (this.#closed) throw new Error(`${this.path} is closed`)
    if (lines.some((line) => line.includes('\n'))) throw new Error('a line must not hold a line feed')
    if (lines.length === 0) return []
    return new Promise((resolve, reject) => {
      this.#waiting.add({
        bytes: Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8'),
        lengths: lines.map((line) => Buffer.byteLength(line, 'utf8')),
        resolve,
        reject,
      })
    })
  }

  /** The text at a place that append or scan gave. */
  async read({ offset, length }: Position): Promise<string> {
    if (offset + length > this.#size)
      throw new RangeError(`${this.path} has ${this.#size} bytes, not ${offset + length}`)
    const bytes = await readAt(this.#file, offset, length)
    return bytes.toString('utf8')
  }

  /** Gives every line there is now, oldest first. */
  async scan(onLine: (text: string, position: Position) => void): Promise<void> {
    const end = this.#size
    let rest: Buffer = Buffer.alloc(0)
    for (let offset = 0; offset < end;) {
      const chunk = await readAt(this.#file, offset, Math.min(chunkBytes, end - offset))
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const start = offset - rest.length
      let from = 0
      for (let at = bytes.indexOf(lineEnd); at !== -1; at = bytes.indexOf(lineEnd, from)) {
        onLine(bytes.toString('utf8', from, at), { offset: start + from, length: at - from })
        from = at + 1
      }
      rest = bytes.subarray(from)
      offset += chunk.length
    }
  }

  /** Ends when what was appended has settled. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    await this.#waiting.idle()
    await this.#file.close()
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    let offset = this.#size
    try {
      await this.#write(Buffer.concat(batch.map(({ bytes }) => bytes)))
    } catch (cause) {
      for (const waiting of batch) waiting.reject(notStored(cause))
      return
    }
    for (const { lengths, resolve } of batch) {
      const positions = lengths.map((length) => {
        const position = { offset, length }
        offset += length + 1
        return position
      })
      resolve(positions)
    }
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#torn) await this.#mend()
    try {
      await writeWhole(this.#file, bytes, this.path)
      await this.#file.datasync()
    } catch (error) {
      this.#torn = true
      await this.#tryToMend()
      throw error
    }
    this.#size += bytes.length
  }

  /** Takes away what a failed write left; until that is done nothing is appended. */
  async #mend(): Promise<void> {
    await cutTo(this.#file, this.#size)
    this.#torn = false
  }

  /** Best effort: the write's own error matters more, and the next write begins with it again. */
  async #tryToMend(): Promise<boolean> {
    return this.#mend().then(
      () => true,
      () => false,
    )
  }
}

async function cutTo(file: FileHandle, size: number): Promise<void> {
  await file.truncate(size)
  await file.sync()
}

async function endOfLastLine(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - chunkBytes)
    const at = (await readAt(file, start, end - start)).lastIndexOf(lineEnd)
    if (at !== -1) return start + at + 1
    end = start
  }
  return 0
}

async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length;) {
    const { bytesRead } = await file.read(bytes, done, length - done, offset + done)
    if (bytesRead === 0) throw new Error(`the file ended ${length - done} bytes early`)
    done += bytesRead
  }
  return bytes
}

function notStored(cause: unknown): Failure {
  return new Failure('unavailable', 'The change could not be stored.', {
    hint: 'Nothing was changed. Try again; when it goes on, the service’s disk is full or failing.',
    retryAfter: 5,
    cause,
  })
}
