import { unknownCursor } from '../../contract/failure.ts'
import { isTurnOver, nextTurn } from '../../lib/slices.ts'
import type { LogOptions, PageQuery, RecordLog, RecordPage } from '../records.ts'
import { linesOf, type Segment } from './segment-files.ts'
import { Segments, type SegmentOptions } from './segments.ts'

/** Parts that a full log is divided into: one goes at a time, and a page reads one as a whole. */
const segmentCount = 8
const dayMs = 24 * 60 * 60 * 1000

/** A log in files of lines: a line is a record. */
export class FileLog<T> implements RecordLog<T> {
  readonly #segments: Segments
  readonly #maxBytes: number
  readonly #timeOf: ((record: T) => string) | undefined
  /** When the first record of the last segment was made. */
  #begun: string | undefined

  private constructor(segments: Segments, { maxBytes, timeOf }: LogOptions<T>) {
    this.#segments = segments
    this.#maxBytes = maxBytes
    this.#timeOf = timeOf
  }

  static async open<T>(
    directory: string,
    options: LogOptions<T>,
    disk: Omit<SegmentOptions, 'maxBytes'>,
  ): Promise<FileLog<T>> {
    const maxBytes = Math.ceil(options.maxBytes / segmentCount)
    const log = new FileLog<T>(await Segments.open(directory, { ...disk, maxBytes }), options)
    const last = log.#segments.list.at(-1)
    if (options.timeOf !== undefined && last !== undefined) log.#begun = (await log.#timesOf(last)).at(0)
    return log
  }

  get segments(): Segments {
    return this.#segments
  }

  async append(record: T): Promise<void> {
    this.#beginNewDay(record)
    await this.#segments.append(JSON.stringify(record))
    await this.tidy()
  }

  /** Set by whoever holds the log: nothing is dropped. */
  held = false

  async page({ before, limit, where, within, most = Infinity }: PageQuery<T>): Promise<RecordPage<T>> {
    const end = before === undefined ? null : decodeCursor(before)
    const records: T[] = []
    let last: string | undefined
    let looked: string | undefined
    let count = 0
    for (const segment of this.#segments.list.toReversed()) {
      if (end !== null && segment.number > end.segment) continue
      const bytes = await this.#segments.bytesOf(segment)
      const stop = end?.segment === segment.number ? end.offset : bytes.length
      for await (const { record: found, offset } of recordsBackwards(bytes.subarray(0, stop))) {
        const record = found as T
        if (within !== undefined && !within(record)) return { records }
        if (count === most && looked !== undefined) return { records, next: looked }
        count += 1
        looked = `${segment.number.toString(36)}-${offset.toString(36)}`
        if (where !== undefined && !where(record)) continue
        if (records.length === limit && last !== undefined) return { records, next: last }
        records.push(record)
        last = looked
      }
    }
    return { records }
  }

  async expire(before: string): Promise<void> {
    if (this.held) return
    for (const segment of this.#segments.list) {
      const newest = (await this.#timesOf(segment)).at(-1)
      if (newest !== undefined && newest >= before) return
      await this.#segments.drop(segment)
    }
  }

  /** Drops what is too much. Best effort: a record must not be refused for it, and the next one brings it up again. */
  async tidy(): Promise<void> {
    while (!this.held && this.#isTooLarge()) {
      const [oldest] = this.#segments.list
      const isDropped = await this.#segments.drop(oldest).then(
        () => true,
        () => false,
      )
      if (!isDropped) return
    }
  }

  #isTooLarge(): boolean {
    const { list } = this.#segments
    return list.length > 1 && list.reduce((sum, { size }) => sum + size, 0) > this.#maxBytes
  }

  /** A segment holds what was made within a day, so that what is old can be dropped. */
  #beginNewDay(record: T): void {
    if (this.#timeOf === undefined) return
    const time = this.#timeOf(record)
    const isOver = this.#begun !== undefined && Date.parse(time) - Date.parse(this.#begun) >= dayMs
    if (isOver) this.#segments.beginNew()
    if (isOver || this.#begun === undefined) this.#begun = time
  }

  /** Times of the oldest and the newest record of a segment; none where it has none. */
  async #timesOf(segment: Segment): Promise<readonly string[]> {
    const timeOf = this.#timeOf
    if (timeOf === undefined) throw new Error(`the records of ${this.#segments.directory} have no time`)
    const times: string[] = []
    for await (const { record } of recordsBackwards(await this.#segments.bytesOf(segment)))
      times.push(timeOf(record as T))
    return times.sort()
  }
}

/** The records of whole lines, newest first. */
async function* recordsBackwards(bytes: Buffer): AsyncGenerator<{ record: unknown; offset: number }> {
  const lines = []
  for (const line of linesOf(bytes)) {
    if (isTurnOver()) await nextTurn()
    lines.push(line)
  }
  for (const { start, end, damaged } of lines.toReversed()) {
    if (isTurnOver()) await nextTurn()
    if (damaged) continue
    const record = parsed(bytes.toString('utf8', start, end))
    if (record !== undefined) yield { record, offset: start }
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

function decodeCursor(cursor: string): { readonly segment: number; readonly offset: number } {
  const [, segment, offset] = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})$/.exec(cursor) ?? []
  if (segment !== undefined && offset !== undefined)
    return { segment: Number.parseInt(segment, 36), offset: Number.parseInt(offset, 36) }
  throw unknownCursor()
}
