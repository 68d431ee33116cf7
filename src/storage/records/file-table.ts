import { Failure } from '../../contract/failure.ts'
import type { FileSystem } from '../../lib/durable-file.ts'
import type { RecordChange, RecordTable, TableOptions } from '../records.ts'
import { inSlices, isTurnOver, nextTurn, sorted } from '../../lib/slices.ts'
import { sealLine } from '../checksum.ts'
import type { ClaimsBelow } from '../inventory.ts'
import { linesOf, type Position, type Segment } from './segment-files.ts'
import { Segments } from './segments.ts'
import { eachOperation, parseLine, type LineLocation, type Operation } from './table-line.ts'

/** A record in memory; another object after each change. */
interface Entry<H> {
  readonly seq: number
  readonly head: H
  /** The line that has the head. */
  readonly headLine: LineLocation
  readonly body: { readonly line: LineLocation; readonly position: Position } | undefined
}

/** What is known of a segment. */
interface Content {
  /** Bytes, about, of the operations that count. */
  bytes: number
  /** How many operations were undone by later ones. */
  undone: number
}

export interface FileTableOptions extends TableOptions {
  readonly fs: FileSystem
  readonly inventory?: ClaimsBelow | undefined
  /** Told of an erasure that failed: it is tried again after the next change and when the table is opened. */
  readonly onError: (error: unknown) => void
}

/** What a segment may hold before the next one is begun. */
const segmentBytes = 1024 * 1024
/** The same where things are erased: a segment is read and written as a whole for one of them. */
const erasedSegmentBytes = 256 * 1024
/** A segment that is smaller is not worth being written anew where nothing need be erased. */
const leastBytes = 64 * 1024
/** What an operation takes beside the body, roughly. */
const operationBytes = 150

/**
 * A table in files of lines. A line is one write: a JSON array of operations, then for each body a tab and its JSON, so
 * that a write is there as a whole or not at all, and heads are read without bodies. A segment of which operations were
 * undone is written anew without them.
 */
export class FileTable<H, B> implements RecordTable<H, B> {
  readonly #segments: Segments
  readonly #options: FileTableOptions
  #entries = new Map<string, Entry<H>>()
  readonly #contents = new Map<Segment, Content>()
  #next = 1
  #damaged = 0
  #closed = false
  /** The last segment as it was opened, when some of its lines could not be read. */
  #mend: Segment | null = null
  #erasing: Promise<void> = Promise.resolve()
  /** Set by whoever holds the table: files only grow. */
  held = false

  private constructor(segments: Segments, options: FileTableOptions) {
    this.#segments = segments
    this.#options = options
  }

  static async open<H, B>(directory: string, options: FileTableOptions): Promise<FileTable<H, B>> {
    const maxBytes = options.erases === true ? erasedSegmentBytes : segmentBytes
    const segments = await Segments.open(directory, { ...options, maxBytes })
    const table = new FileTable<H, B>(segments, options)
    for (const segment of segments.list) await table.#load(segment, segment === segments.list.at(-1))
    await table.#sort()
    return table
  }

  get segments(): Segments {
    return this.#segments
  }

  get size(): number {
    return this.#entries.size
  }

  get damaged(): number {
    return this.#damaged
  }

  head(key: string): H | undefined {
    return this.#entries.get(key)?.head
  }

  *heads(): IterableIterator<readonly [key: string, head: H]> {
    for (const [key, { head }] of this.#entries) yield [key, head]
  }

  bodyBytes(key: string): number {
    return this.#entries.get(key)?.body?.position.length ?? 0
  }

  async read(key: string): Promise<{ readonly head: H; readonly body: B | undefined } | undefined> {
    for (;;) {
      const entry = this.#entries.get(key)
      if (entry === undefined) return undefined
      const { head, body } = entry
      if (body === undefined) return { head, body: undefined }
      const bytes = await this.#segments.read(body.position)
      // Several large ones may come in one turn.
      if (isTurnOver()) await nextTurn()
      if (bytes !== null) return { head, body: JSON.parse(bytes.toString('utf8')) as B }
      // Its segment was written anew: it is somewhere else now, or gone.
      if (this.#entries.get(key) === entry) throw new Error(`the record ${key} of ${this.#segments.directory} is gone`)
    }
  }

  async write(changes: readonly RecordChange<H, B>[]): Promise<void> {
    // Only the removal of the project closes a table that somebody uses.
    if (this.#closed) throw new Failure('not_found', 'The project was removed.')
    if (changes.length === 0) return
    const { operations, bodies } = this.#operationsOf(changes)
    const heads = JSON.stringify(operations)
    const { segment, offset } = await this.#segments.append([heads, ...bodies].join('\t'))
    // Lines are appended in the order of their writes, and each settles in a tick of its own in that order.
    this.#apply(operations, { segment, offset }, Buffer.byteLength(heads, 'utf8'))
    await this.tidy()
  }

  /** Takes away what was undone: at once, or where it pays. What the disk refuses is left for the next time. */
  tidy(): Promise<void> {
    if (this.held || !this.#isUntidy()) return this.#erasing
    this.#erasing = this.#erasing.then(() => this.#erase())
    return this.#erasing
  }

  /** Whoever still has it cannot write any more. What is empty leaves no file. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#segments.idle()
    await this.#erasing
    if (this.size > 0 || this.held) return
    for (const segment of this.#segments.list) await this.#segments.drop(segment)
  }

  #operationsOf(changes: readonly RecordChange<H, B>[]): { operations: Operation<H>[]; bodies: string[] } {
    const bodies: string[] = []
    const keys = new Set(changes.map((change) => ('delete' in change ? change.delete : change.put)))
    if (keys.size < changes.length) throw new Error('a write changes a record twice')
    const operations = changes.map((change): Operation<H> => {
      if ('delete' in change) return { delete: change.delete }
      const { put: key, head, body } = change
      const seq = this.#entries.get(key)?.seq ?? this.#next++
      if (body === undefined) return { seq, key, head }
      const text = JSON.stringify(body)
      bodies.push(text)
      return { seq, key, head, body: Buffer.byteLength(text, 'utf8') }
    })
    return { operations, bodies }
  }

  /** Does in memory what a line says. @param headBytes bytes of the operations in it. */
  #apply(operations: readonly Operation<H>[], line: LineLocation, headBytes: number): void {
    const content = this.#contentOf(line.segment)
    eachOperation(operations, { line, headBytes }, (operation, position) => {
      if ('delete' in operation) {
        this.#undo(this.#entries.get(operation.delete))
        this.#entries.delete(operation.delete)
        return
      }
      const { seq, key, head } = operation
      const before = this.#entries.get(key)
      if (position !== undefined) this.#undo(before)
      else if (before !== undefined && before.headLine !== before.body?.line) this.#bury(before.headLine, undefined)
      const body = position === undefined ? before?.body : { line, position }
      content.bytes += sizeOf(position)
      this.#next = Math.max(this.#next, seq + 1)
      this.#entries.set(key, { seq, head, headLine: line, body })
    })
  }

  /** The operations that a record is made of count no more. */
  #undo(entry: Entry<H> | undefined): void {
    if (entry === undefined) return
    const { headLine, body } = entry
    if (headLine !== body?.line) this.#bury(headLine, undefined)
    if (body !== undefined) this.#bury(body.line, body.position)
  }

  #bury({ segment }: LineLocation, body: Position | undefined): void {
    const content = this.#contentOf(segment)
    content.bytes -= sizeOf(body)
    content.undone += 1
  }

  #contentOf(segment: Segment): Content {
    let content = this.#contents.get(segment)
    if (content === undefined) this.#contents.set(segment, (content = { bytes: 0, undone: 0 }))
    return content
  }

  async #load(segment: Segment, isLast: boolean): Promise<void> {
    const bytes = await this.#segments.bytesOf(segment)
    const acknowledged = this.#segments.acknowledged(segment)
    let damaged = 0
    let torn = 0
    for (const { start, end, damaged: changed } of linesOf(bytes)) {
      if (isTurnOver()) await nextTurn()
      const line = changed ? null : parseLine<H>(bytes, { start, end }, isLast)
      if (line === null) {
        damaged += 1
        if (end > acknowledged) torn += 1
      } else this.#apply(line.operations, { segment, offset: start }, line.headBytes)
    }
    this.#damaged += damaged
    // Most likely the rest of a write that a power cut ended: nobody was told that it is kept. Damage stays, to be told.
    if (torn > 0 && torn === damaged && isLast) this.#mend = segment
  }

  /** By the order in which the keys came first: later lines of a key that is still there do not move it. */
  async #sort(): Promise<void> {
    let last = 0
    for (const { seq } of this.#entries.values()) {
      if (seq < last) {
        this.#entries = new Map(await inSlices(sorted([...this.#entries], ([, a], [, b]) => a.seq - b.seq)))
        return
      }
      last = seq
    }
  }

  #isUntidy(): boolean {
    const isWorn = this.#segments.list.some((segment) => this.#isWorn(segment))
    return isWorn || this.#mend !== null || this.#segments.hasFormer
  }

  #isWorn(segment: Segment): boolean {
    const { bytes, undone } = this.#contentOf(segment)
    if (this.#options.erases === true) return undone > 0
    return segment.size > leastBytes && bytes < segment.size / 4
  }

  async #erase(): Promise<void> {
    try {
      await this.#segments.removeFormer()
      const mend = this.#mend
      if (mend !== null) await this.#rewrite(mend, false)
      this.#mend = null
      for (const segment of this.#segments.list) if (this.#isWorn(segment) && !this.held) await this.#rewrite(segment)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Writes a segment anew with what counts. */
  async #rewrite(segment: Segment, keepsDamaged = true): Promise<void> {
    const lines: { readonly operations: Operation<H>[]; readonly text: string; readonly headBytes: number }[] = []
    const work = (bytes: Buffer): string => {
      const older = this.#segments.list.slice(0, this.#segments.list.indexOf(segment))
      const deletionsCount = older.some((other) => this.#contentOf(other).undone > 0)
      for (const { start, end, damaged } of linesOf(bytes)) {
        const parsed = damaged ? null : parseLine<H>(bytes, { start, end }, !keepsDamaged)
        if (parsed === null) {
          // Its seal does not agree, so that it can be told from a record.
          const text = `${bytes.toString('utf8', start, end)}\t#damaged.\n`
          if (keepsDamaged) lines.push({ operations: [], text, headBytes: 0 })
          continue
        }
        const at = { segment, offset: start }
        const operations: Operation<H>[] = []
        const bodies: string[] = []
        eachOperation(parsed.operations, { line: at, headBytes: parsed.headBytes }, (operation, position) => {
          if ('delete' in operation ? !deletionsCount : !this.#counts(operation, at)) return
          operations.push(operation)
          if (position !== undefined)
            bodies.push(bytes.toString('utf8', position.offset, position.offset + position.length))
        })
        if (operations.length === 0) continue
        const heads = JSON.stringify(operations)
        const text = sealLine([heads, ...bodies].join('\t'))
        lines.push({ operations, text, headBytes: Buffer.byteLength(heads, 'utf8') })
      }
      return lines.map(({ text }) => text).join('')
    }
    await this.#segments.rewrite(segment, work, (next) => {
      this.#contents.delete(segment)
      let offset = 0
      for (const { operations, text, headBytes } of lines) {
        if (next !== null) this.#move(operations, { segment: next, offset }, headBytes)
        offset += Buffer.byteLength(text, 'utf8')
      }
    })
  }

  /** Whether a put of a line is the last one of its head or its body. */
  #counts(
    { key, body }: Exclude<Operation<H>, { readonly delete: string }>,
    { segment, offset }: LineLocation,
  ): boolean {
    const entry = this.#entries.get(key)
    const line = body === undefined ? entry?.headLine : entry?.body?.line
    return line?.segment === segment && line.offset === offset
  }

  /** Notes where operations are that were written anew. */
  #move(operations: readonly Operation<H>[], line: LineLocation, headBytes: number): void {
    const content = this.#contentOf(line.segment)
    eachOperation(operations, { line, headBytes }, (operation, position) => {
      if ('delete' in operation) return
      const entry = this.#entries.get(operation.key)
      if (entry === undefined) return
      content.bytes += sizeOf(position)
      const headLine = position === undefined || entry.headLine === entry.body?.line ? line : entry.headLine
      const body = position === undefined ? entry.body : { line, position }
      this.#entries.set(operation.key, { ...entry, headLine, body })
    })
  }
}

function sizeOf(body: Position | undefined): number {
  return operationBytes + (body?.length ?? 0)
}
