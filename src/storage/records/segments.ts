import { basename } from 'node:path'
import pLimit from 'p-limit'
import { Failure } from '../../contract/failure.ts'
import { isMissing, nullIfMissing, takesNoMoreChanges } from '../../lib/disk.ts'
import {
  flushEntry,
  makeDirectory,
  removeFile,
  replaceFile,
  writeWhole,
  type FileSystem,
} from '../../lib/durable-file.ts'
import { lineSealBytes, sealLine } from '../checksum.ts'
import { GroupCommit } from '../group-commit.ts'
import type { ClaimsBelow } from '../inventory.ts'
import { cut, findSegments, lineEnd, nextPath, segmentPath, type Position, type Segment } from './segment-files.ts'

interface Waiting {
  readonly line: Buffer
  readonly written: (position: Position) => void
  readonly failed: (error: unknown) => void
}

/**
 * The files of one stream: lines in numbered files of bounded size, in a directory of their own, for one process.
 * `00000003.jsonl` is the third; written anew it is `00000003-1.jsonl`, then `00000003-2.jsonl`: a name never stands for
 * other bytes, so that readers need no lock. No file stays open.
 */
export class Segments {
  readonly directory: string
  readonly #fs: FileSystem
  readonly #maxBytes: number
  readonly #waiting = new GroupCommit<Waiting>((batch) => this.#turn(() => this.#commit(batch)))
  /** Writing, pausing, rewriting and dropping exclude each other. */
  readonly #turn = pLimit(1)
  #list: Segment[]
  /** The last segment may end with the rest of a write that failed. */
  #torn = false
  /** The next line begins a new segment. */
  #full = false
  readonly #claims: ClaimsBelow | undefined
  #isWriting: boolean
  readonly #lost: string[] = []
  /** Numbers up to here were used. */
  #last: number
  /** Files that were written anew under other names, and are still there. */
  readonly #former = new Set<string>()

  private constructor(directory: string, list: Segment[], options: SegmentOptions) {
    this.directory = directory
    this.#list = list
    this.#fs = options.fs
    this.#maxBytes = options.maxBytes
    this.#claims = options.inventory
    this.#isWriting = options.readOnly !== true
    this.#last = list.at(-1)?.number ?? 0
  }

  /** The directory need not be there: the first line makes it. Throws Failure `unavailable` when the disk fails. */
  static async open(directory: string, options: SegmentOptions): Promise<Segments> {
    const list = await findSegments(directory, options)
    const segments = new Segments(directory, list, options)
    const last = list.at(-1)
    if (last !== undefined) {
      const bytes = await options.fs.readFile(last.path)
      const whole = bytes.lastIndexOf(lineEnd) + 1
      // What a crash left of a last line, which nobody was told is kept.
      if (whole < last.size && whole >= segments.#least(last.path) && options.readOnly !== true)
        await cut(options.fs, last.path, whole).catch((cause: unknown) => refuse(cause))
      last.size = whole
    }
    segments.#compare()
    return segments
  }

  /** What the inventory has and the disk does not; nothing is written behind it, so that it can still be told. */
  get lost(): readonly string[] {
    return this.#lost
  }

  /** Bytes of a segment that are known to have been acknowledged. */
  acknowledged(segment: Segment): number {
    return this.#least(segment.path)
  }

  /** Oldest first. */
  get list(): readonly Segment[] {
    return this.#list
  }

  /** Lines that come while a write is under way share the next one and its flush. Throws Failure `unavailable`. */
  async append(text: string): Promise<Position> {
    if (!this.#isWriting) throw takesNoMoreChanges()
    return new Promise((written, failed) => {
      this.#waiting.add({ line: Buffer.from(sealLine(text), 'utf8'), written, failed })
    })
  }

  /** Another process may write from now on. */
  stopWriting(): void {
    this.#isWriting = false
  }

  /** The bytes of all whole lines of a segment; none when it is gone. */
  async bytesOf(segment: Segment): Promise<Buffer> {
    // A write under way is not there for readers yet.
    const { size } = segment
    try {
      return (await this.#fs.readFile(segment.path)).subarray(0, size)
    } catch (error) {
      if (isMissing(error)) return Buffer.alloc(0)
      throw error
    }
  }

  /** Null when the segment was written anew or dropped meanwhile. */
  async read({ segment, offset, length }: Position): Promise<Buffer | null> {
    const file = await this.#fs.open(segment.path, 'r').catch(nullIfMissing)
    if (file === null) return null
    try {
      const bytes = Buffer.allocUnsafe(length)
      for (let done = 0; done < length;) {
        const { bytesRead } = await file.read(bytes, done, length - done, offset + done)
        if (bytesRead === 0) throw new Error(`${segment.path} ended ${length - done} bytes early`)
        done += bytesRead
      }
      return bytes
    } finally {
      await file.close()
    }
  }

  /** The next line goes into a new segment. */
  beginNew(): void {
    this.#full = true
  }

  /**
   * Writes a segment anew.
   *
   * @param work gets its bytes; what it gives takes their place when `done` is called. No line of any segment is written
   * meanwhile. Without lines the segment goes.
   */
  async rewrite(
    segment: Segment,
    work: (bytes: Buffer) => string,
    done: (next: Segment | null) => void,
  ): Promise<void> {
    await this.#turn(async () => {
      const index = this.#list.indexOf(segment)
      if (index === -1) return
      const text = work(await this.bytesOf(segment))
      if (text === '') {
        await this.#remove(segment)
        done(null)
        return
      }
      const path = nextPath(segment.path)
      await replaceFile(this.#fs, path, text)
      const next = { number: segment.number, path, size: Buffer.byteLength(text, 'utf8') }
      this.#list = this.#list.with(index, next)
      this.#torn &&= index < this.#list.length - 1
      this.#former.add(segment.path)
      this.#note(next)
      done(next)
    })
    await this.removeFormer()
  }

  /** Whether there are files that were written anew and could not be removed yet. */
  get hasFormer(): boolean {
    return this.#former.size > 0
  }

  async removeFormer(): Promise<void> {
    await this.#forget([...this.#former])
    for (const path of this.#former) {
      await removeFile(this.#fs, path)
      this.#former.delete(path)
    }
  }

  async drop(segment: Segment | undefined): Promise<void> {
    if (segment !== undefined) await this.#turn(() => this.#remove(segment))
  }

  /** Runs work while nothing is written. */
  whileStill<T>(work: () => Promise<T>): Promise<T> {
    return this.#turn(work)
  }

  /** When nothing is under way any more. */
  async idle(): Promise<void> {
    await this.#waiting.idle()
    await this.#turn(() => Promise.resolve())
  }

  /** Bytes that the inventory has of a file. */
  #least(path: string): number {
    return this.#claims?.claims.least(this.#claims.prefix + basename(path)) ?? 0
  }

  #note({ path, size }: Segment): void {
    this.#claims?.claims.note(this.#claims.prefix + basename(path), size)
  }

  async #forget(paths: readonly string[]): Promise<void> {
    await this.#claims?.claims.forget(paths.map((path) => this.#claims?.prefix + basename(path)))
  }

  #compare(): void {
    const sizes = new Map(this.#list.map(({ path, size }) => [basename(path), size]))
    const newest = this.#last
    for (const [name, least] of this.#claims?.claims.below(this.#claims.prefix) ?? []) {
      const file = basename(name)
      const size = sizes.get(file)
      if (size !== undefined && size >= least) continue
      this.#lost.push(size === undefined ? `${name} is missing` : `${name} has ${size} of ${least} bytes`)
      const number = Number.parseInt(file, 10)
      this.#last = Math.max(this.#last, number)
      this.#full ||= number >= newest
    }
    for (const segment of this.#list) this.#note(segment)
  }

  async #remove(segment: Segment): Promise<void> {
    await this.#forget([segment.path])
    await removeFile(this.#fs, segment.path)
    this.#torn &&= this.#list.at(-1) !== segment
    this.#list = this.#list.filter((other) => other !== segment)
  }

  /** A large batch takes several segments: none grows far beyond its bound. */
  async #commit(batch: readonly Waiting[]): Promise<void> {
    for (let done = 0; done < batch.length;) {
      let segment: Segment
      let offset: number
      let some: readonly Waiting[]
      try {
        segment = await this.#current()
        offset = segment.size
        some = batch.slice(done, done + this.#countOf(batch.slice(done), offset))
        await this.#write(segment, Buffer.concat(some.map(({ line }) => line)))
      } catch (cause) {
        for (const { failed } of batch.slice(done)) failed(notStored(cause))
        return
      }
      for (const { line, written } of some) {
        written({ segment, offset, length: line.length - 1 - lineSealBytes })
        offset += line.length
      }
      done += some.length
    }
  }

  /** How many lines go into a segment of a size: at least one, and none once it is full. */
  #countOf(batch: readonly Waiting[], size: number): number {
    let count = 0
    for (let bytes = size; count < batch.length && (count === 0 || bytes < this.#maxBytes); count++)
      bytes += batch[count]?.line.length ?? 0
    return count
  }

  /** The segment that the next line goes into, without the rest of a write that failed. */
  async #current(): Promise<Segment> {
    const last = this.#list.at(-1)
    if (last !== undefined && this.#torn) {
      await cut(this.#fs, last.path, last.size)
      this.#torn = false
    }
    if (last !== undefined && last.size < this.#maxBytes && !this.#full) return last
    const number = this.#last + 1
    const path = segmentPath(this.directory, number)
    const segment = { number, path, size: 0 }
    await makeDirectory(this.#fs, this.directory)
    await (await this.#fs.open(path, 'a', 0o600)).close()
    await flushEntry(this.#fs, path)
    this.#list = [...this.#list, segment]
    this.#last = number
    this.#full = false
    return segment
  }

  async #write(segment: Segment, bytes: Buffer): Promise<void> {
    try {
      const file = await this.#fs.open(segment.path, 'a', 0o600)
      try {
        await writeWhole(file, bytes, segment.path)
        await file.datasync()
      } finally {
        await file.close()
      }
    } catch (error) {
      this.#torn = true
      // Now, if the disk allows: what was refused should not be found after a crash. Else before the next line.
      await cut(this.#fs, segment.path, segment.size).then(
        () => (this.#torn = false),
        () => undefined,
      )
      throw error
    }
    segment.size += bytes.length
    this.#note(segment)
  }
}

export interface SegmentOptions {
  readonly fs: FileSystem
  /** After which a new segment is begun. */
  readonly maxBytes: number
  readonly inventory?: ClaimsBelow | undefined
  /** What a killed process left stays, and is passed over. */
  readonly readOnly?: boolean
}

function refuse(cause: unknown): never {
  throw notStored(cause)
}

function notStored(cause: unknown): Failure {
  if (cause instanceof Failure) return cause
  return new Failure('unavailable', 'The change could not be stored.', {
    hint: 'Nothing was changed. Try again; when it goes on, the service’s disk is full or failing.',
    retryAfter: 5,
    cause,
  })
}
