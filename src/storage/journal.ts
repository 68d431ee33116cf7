import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unknownCursor } from '../contract/cursor.ts'
import { isMissing } from '../lib/disk.ts'
import { diskFileSystem, removeFile, type FileSystem } from '../lib/durable-file.ts'
import { openLineFile, type LineFile } from './line-file.ts'

/** Records in the order in which they came; see openJournal. */
export interface Journal<T> {
  /** Durable when it settles; appends that wait share one flush. Throws Failure `unavailable` when the disk fails. */
  append(record: T): Promise<void>
  /**
   * A page, newest first.
   *
   * @param options.before `next` of the page before; records that came since do not show. Throws Failure
   * `invalid_request` for one that no page gave.
   * @param options.where Others are left out. Looking for them may read the whole journal.
   */
  readBackwards(options: ReadBackwards<T>): Promise<{ records: T[]; next?: string }>
  /**
   * Drops files of which every record is older than a time, and lets what comes go into a new file when the current one
   * has records from before another time, so that it can be dropped in its turn. Needs `timeOf`.
   */
  expire(limits: ExpireLimits): Promise<void>
  /** Ends when what was appended has settled. */
  close(): Promise<void>
}

/** Times as `timeOf` gives them. */
export interface ExpireLimits {
  readonly dropBefore: string
  readonly cutBefore: string
}

export interface ReadBackwards<T> {
  readonly before?: string | undefined
  readonly limit: number
  readonly where?: ((record: T) => boolean) | undefined
}

export interface JournalOptions<T = unknown> {
  /** Bytes after which a new file is begun. A page reads a file as a whole. */
  readonly maxSegmentBytes: number
  /** Files that are kept; the oldest goes when one more is begun. */
  readonly maxSegments: number
  /** When a record was made; a text that sorts by time. Records come in about this order. */
  readonly timeOf?: (record: T) => string
  readonly fs?: FileSystem
}

/** Where a record begins: the number of its segment and bytes from the start of it. */
interface Place {
  readonly segment: number
  readonly offset: number
}

const segmentName = /^(\d{8,15})\.jsonl$/

/**
 * Opens a journal: JSON lines in numbered files (segments) in a directory of its own, for one process. It need not be
 * there: the first append makes it.
 */
export async function openJournal<T>(directory: string, options: JournalOptions<T>): Promise<Journal<T>> {
  return new SegmentedJournal<T>(directory, await segmentsOf(directory), options)
}

class SegmentedJournal<T> implements Journal<T> {
  readonly #directory: string
  readonly #options: JournalOptions<T>
  readonly #fs: FileSystem
  /** Numbers, oldest first. */
  #segments: number[]
  #current: { readonly segment: number; readonly file: LineFile } | null = null
  /** Beginning a segment waits for the one before. */
  #turn: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(directory: string, segments: readonly number[], options: JournalOptions<T>) {
    this.#directory = directory
    this.#segments = [...segments]
    this.#options = options
    this.#fs = options.fs ?? diskFileSystem
  }

  async append(record: T): Promise<void> {
    if (this.#closed) throw new Error(`the journal ${this.#directory} is closed`)
    const line = JSON.stringify(record)
    const placed = this.#turn.then(async () => {
      const file = await this.#fileWithRoom()
      // The line is in the queue of its file before a later append may close it.
      return { settled: file.append([line]) }
    })
    this.#turn = placed.catch(() => undefined)
    await (
      await placed
    ).settled
  }

  async readBackwards({ before, limit, where }: ReadBackwards<T>): Promise<{ records: T[]; next?: string }> {
    const end = before === undefined ? null : decodeCursor(before)
    const records: T[] = []
    let last: Place | undefined
    for (const segment of this.#segments.filter((number) => end === null || number <= end.segment).toReversed()) {
      const bytes = await this.#bytesOf(segment)
      const stop = end?.segment === segment ? end.offset : bytes.length
      for (const { record: found, offset } of recordsBackwards(bytes.subarray(0, stop))) {
        const record = found as T
        if (where !== undefined && !where(record)) continue
        if (records.length === limit && last !== undefined) return { records, next: encodeCursor(last) }
        records.push(record)
        last = { segment, offset }
      }
    }
    return { records }
  }

  async expire(limits: ExpireLimits): Promise<void> {
    const expired = this.#turn.then(() => (this.#closed ? undefined : this.#expire(limits)))
    this.#turn = expired.catch(() => undefined)
    await expired
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#turn
    await this.#current?.file.close()
    this.#current = null
  }

  async #fileWithRoom(): Promise<LineFile> {
    const { maxSegmentBytes } = this.#options
    this.#current ??= await this.#open(this.#segments.at(-1) ?? 1)
    if (this.#current.file.size >= maxSegmentBytes) {
      await this.#begin(this.#current.segment + 1)
      await this.#tryToDropOldest()
    }
    return this.#current.file
  }

  async #begin(segment: number): Promise<void> {
    const before = this.#current
    this.#current = await this.#open(segment)
    await before?.file.close()
  }

  async #expire({ dropBefore, cutBefore }: ExpireLimits): Promise<void> {
    const last = this.#segments.at(-1)
    if (last === undefined) return
    const [oldest] = await this.#timesOf(last)
    if (oldest !== undefined && oldest < cutBefore) await this.#begin(last + 1)
    for (const segment of this.#segments.slice(0, -1)) {
      const newest = (await this.#timesOf(segment)).at(-1)
      if (newest !== undefined && newest >= dropBefore) return
      await this.#drop(segment)
    }
  }

  /** Times of the oldest and the newest record of a segment; none where it has none. */
  async #timesOf(segment: number): Promise<readonly string[]> {
    const { timeOf } = this.#options
    if (timeOf === undefined) throw new Error(`the records of ${this.#directory} have no time`)
    const times = [...recordsBackwards(await this.#bytesOf(segment))].map(({ record }) => timeOf(record as T)).sort()
    return times.length === 0 ? [] : [times[0] ?? '', times.at(-1) ?? '']
  }

  async #open(segment: number): Promise<{ segment: number; file: LineFile }> {
    const file = await openLineFile(this.#path(segment), this.#fs)
    if (this.#segments.at(-1) !== segment) this.#segments.push(segment)
    return { segment, file }
  }

  /** Best effort: a record must not be refused for it, and the next new segment brings it up again. */
  async #tryToDropOldest(): Promise<boolean> {
    return this.#dropOldest().then(
      () => true,
      () => false,
    )
  }

  async #dropOldest(): Promise<void> {
    while (this.#segments.length > this.#options.maxSegments) {
      const [oldest = 0] = this.#segments
      await this.#drop(oldest)
    }
  }

  async #drop(segment: number): Promise<void> {
    await removeFile(this.#fs, this.#path(segment))
    this.#segments = this.#segments.filter((number) => number !== segment)
  }

  /** What is on disk for good; nothing for a segment that was dropped meanwhile. */
  async #bytesOf(segment: number): Promise<Buffer> {
    const durable = this.#current?.segment === segment ? this.#current.file.size : undefined
    try {
      return (await this.#fs.readFile(this.#path(segment))).subarray(0, durable)
    } catch (error) {
      if (isMissing(error)) return Buffer.alloc(0)
      throw error
    }
  }

  #path(segment: number): string {
    return join(this.#directory, `${String(segment).padStart(8, '0')}.jsonl`)
  }
}

async function segmentsOf(directory: string): Promise<number[]> {
  try {
    const names = await readdir(directory)
    const numbers = names.map((name) => Number(segmentName.exec(name)?.[1] ?? Number.NaN))
    return numbers.filter((number) => !Number.isNaN(number)).toSorted((a, b) => a - b)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** The records of whole lines, newest first. */
function* recordsBackwards(bytes: Buffer): Generator<{ record: unknown; offset: number }> {
  for (let end = bytes.lastIndexOf('\n'); end > 0;) {
    const before = bytes.lastIndexOf('\n', end - 1)
    const record = parsed(bytes.toString('utf8', before + 1, end))
    if (record !== undefined) yield { record, offset: before + 1 }
    end = before
  }
}

/** undefined for what a power cut made of lines that nobody was told are kept: blocks reach the disk in any order. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function encodeCursor({ segment, offset }: Place): string {
  return `${segment.toString(36)}-${offset.toString(36)}`
}

function decodeCursor(cursor: string): Place {
  const [, segment, offset] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(cursor) ?? []
  if (segment !== undefined && offset !== undefined)
    return { segment: Number.parseInt(segment, 36), offset: Number.parseInt(offset, 36) }
  throw unknownCursor()
}
