import { join } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { diskFileSystem, flushEntry, removeFile, type FileSystem } from '../storage/durable-file.ts'
import { openLineFile, type LineFile, type Position } from '../storage/line-file.ts'
import { EntryIndex } from './entry-index.ts'
import type { EntryRecord, EntryTexts } from './entry.ts'
import { blank, gapsBetween } from './erase.ts'
import { copyTexts, fileNames, numberOf, readLine } from './log-files.ts'

/** A line of the entries file. The first names the file of the texts. */
type Line = { readonly format: 1; readonly texts: number } | { readonly put: EntryRecord } | { readonly delete: string }

/** Files smaller than this are not worth a compaction. */
const leastBytes = { entries: 256 * 1024, texts: 1024 * 1024 } as const

interface Files {
  readonly entries: LineFile
  readonly texts: LineFile
  readonly numbers: { readonly entries: number; readonly texts: number }
}

export interface EntryLogOptions {
  readonly fs?: FileSystem
  /** Told of an erasure that failed: it is tried again after the next change and when the log is opened. */
  readonly onError: (error: unknown) => void
}

/**
 * The changelog of one project on disk, in files of lines that are only appended to:
 *
 *     entries-<n>.jsonl   an entry's record each time that it changes: small, read whole when the changelog is opened
 *     texts-<m>.jsonl     its title, content and HTML: read one by one
 *
 * A change is there when its record is; its texts were durable before. Texts that nothing refers to any more and the
 * records of deleted entries are overwritten with blanks, at once: what was deleted is gone. Files that are mostly
 * garbage are written anew under the next number, and count from when the entries file has its name. While the log is
 * held, neither happens: all files only grow, and the beginnings of both are a log of their own.
 *
 * One writer at a time; readers at any time.
 */
export class EntryLog {
  readonly #directory: string
  readonly #fs: FileSystem
  readonly #onError: (error: unknown) => void
  #files: Files | null
  #index: EntryIndex
  /** Bytes of the texts that are referred to. */
  #liveTexts = 0
  /** Lines of each entry's records, the last one counts. */
  #lines = new Map<string, Position[]>()
  /** Places that are to be blanked. */
  readonly #garbage: { entries: Position[]; texts: Position[] } = { entries: [], texts: [] }
  #holds = 0
  #closed = false

  private constructor(directory: string, { fs = diskFileSystem, onError }: EntryLogOptions) {
    this.#directory = directory
    this.#fs = fs
    this.#onError = onError
    this.#files = null
    this.#index = new EntryIndex()
  }

  /** Reads the records. Nothing is written where there is no changelog yet. Throws Failure `unavailable`. */
  static async open(directory: string, options: EntryLogOptions): Promise<EntryLog> {
    const log = new EntryLog(directory, options)
    const newest = Math.max(0, ...(await fileNames(directory)).map((name) => numberOf(name, 'entries')))
    if (newest > 0) await log.#load(newest)
    return log
  }

  get index(): EntryIndex {
    return this.#index
  }

  /** The record of an entry as it is now, with its texts; undefined where there is none (any more). */
  async read(id: string): Promise<{ record: EntryRecord; texts: EntryTexts } | undefined> {
    for (;;) {
      const record = this.#index.get(id)
      const file = this.#files?.texts
      if (record === undefined || file === undefined) return undefined
      const text = await readLine(file, record.place)
      // A writer may have replaced or deleted it meanwhile, and blanked it.
      if (this.#index.get(id) !== record) continue
      return text === undefined ? undefined : { record, texts: JSON.parse(text) as EntryTexts }
    }
  }

  /**
   * Adds an entry or replaces it, durably. Without texts it keeps those that it has.
   * Throws Failure `unavailable` when the disk fails; nothing has changed then.
   */
  async put(given: Omit<EntryRecord, 'place'>, texts?: EntryTexts): Promise<EntryRecord> {
    // Only the removal of the project closes a log that somebody uses.
    if (this.#closed) throw new Failure('not_found', 'The project was removed.')
    const { entries, texts: file } = (this.#files ??= await this.#create())
    const before = this.#index.get(given.id)
    const [place = before?.place] = texts === undefined ? [] : await file.append([JSON.stringify(texts)])
    if (place === undefined) throw new Error(`the entry ${given.id} has no texts`)
    const record: EntryRecord = { ...given, place }
    try {
      this.#note(record.id, await entries.append([lineOf({ put: record })]))
    } catch (error) {
      if (texts !== undefined) this.#garbage.texts.push(place)
      await this.#erase()
      throw error
    }
    this.#index.put(record)
    if (texts !== undefined) {
      this.#liveTexts += place.length - (before?.place.length ?? 0)
      if (before !== undefined) this.#garbage.texts.push(before.place)
    }
    await this.#erase()
    return record
  }

  /** Deletes an entry for good. Throws Failure `unavailable` when the disk fails; it is still there then. */
  async delete(id: string): Promise<void> {
    const before = this.#index.get(id)
    if (this.#files === null || before === undefined) return
    await this.#files.entries.append([lineOf({ delete: id })])
    this.#index.remove(id)
    this.#liveTexts -= before.place.length
    this.#garbage.texts.push(before.place)
    this.#garbage.entries.push(...(this.#lines.get(id) ?? []))
    this.#lines.delete(id)
    await this.#erase()
  }

  /** From now on files only grow, until each hold is released. One that writes has to have ended. */
  hold(): void {
    this.#holds += 1
  }

  /** Makes up for what did not happen while the log was held. */
  async release(): Promise<void> {
    this.#holds -= 1
    await this.#erase()
    await this.compact()
  }

  /** Writes a file anew of which more than half is garbage. Say so after every change. */
  async compact(): Promise<void> {
    if (this.#files === null || this.#holds > 0) return
    const { entries, texts } = this.#files
    const liveEntries = this.#index.size * averageRecordBytes
    const wornTexts = texts.size > leastBytes.texts && this.#liveTexts < texts.size / 2
    const wornEntries = entries.size > leastBytes.entries && liveEntries < entries.size / 2
    if (wornTexts) await this.#rewrite(true)
    else if (wornEntries) await this.#rewrite(false)
  }

  /** Nobody holds it any more. */
  async close(): Promise<void> {
    this.#closed = true
    this.#holds = 0
    await this.#erase()
    const files = this.#files
    this.#files = null
    await files?.entries.close()
    await files?.texts.close()
  }

  async #create(): Promise<Files> {
    const entries = await openLineFile(this.#path('entries', 1), this.#fs)
    try {
      const texts = await openLineFile(this.#path('texts', 1), this.#fs)
      if (entries.size === 0) await entries.append([lineOf({ format: 1, texts: 1 })])
      return { entries, texts, numbers: { entries: 1, texts: 1 } }
    } catch (error) {
      await entries.close()
      throw error
    }
  }

  async #load(number: number): Promise<void> {
    const entries = await openLineFile(this.#path('entries', number), this.#fs)
    const records = new Map<string, EntryRecord>()
    let texts = 1
    await entries.scan((text, position) => {
      if (text.startsWith(erased)) {
        if (text.trim() !== '') this.#garbage.entries.push(position)
        return
      }
      const line = JSON.parse(text) as Line
      if ('format' in line) {
        texts = line.texts
      } else if ('put' in line) {
        records.set(line.put.id, line.put)
        this.#note(line.put.id, [position])
      } else {
        records.delete(line.delete)
        this.#garbage.entries.push(...(this.#lines.get(line.delete) ?? []))
        this.#lines.delete(line.delete)
      }
    })
    if (entries.size === 0) await entries.append([lineOf({ format: 1, texts })])
    const file = await openLineFile(this.#path('texts', texts), this.#fs)
    this.#files = { entries, texts: file, numbers: { entries: number, texts } }
    this.#index = new EntryIndex(records.values())
    const places = [...records.values()].map(({ place }) => place)
    for (const { length } of places) this.#liveTexts += length
    // A crash may have come between a change and its erasing, and between a text and its record.
    this.#garbage.texts = gapsBetween(places, file.size)
    await this.#erase()
    await this.#sweep()
  }

  #note(id: string, lines: readonly Position[]): void {
    const known = this.#lines.get(id)
    if (known === undefined) this.#lines.set(id, [...lines])
    else known.push(...lines)
  }

  /** Overwrites what nothing refers to any more. What the disk refuses is left for the next time. */
  async #erase(): Promise<void> {
    if (this.#files === null || this.#holds > 0) return
    const { entries, texts } = this.#files
    const garbage = this.#garbage
    try {
      await blank(this.#fs, texts.path, garbage.texts)
      garbage.texts = []
      // A power cut may leave any part of a line: its first byte, which is on disk before, says that it is none.
      const beginnings = garbage.entries.map(({ offset }) => ({ offset, length: erased.length }))
      await blank(this.#fs, entries.path, beginnings)
      await blank(this.#fs, entries.path, garbage.entries)
      garbage.entries = []
    } catch (error) {
      this.#onError(error)
    }
  }

  /** Writes the entries file anew, and with it the texts where they are worn. */
  async #rewrite(withTexts: boolean): Promise<void> {
    const old = this.#files
    if (old === null) return
    const numbers = {
      entries: old.numbers.entries + 1,
      texts: old.numbers.texts + (withTexts ? 1 : 0),
    }
    const records = [...this.#index.values()]
    const texts = withTexts
      ? await copyTexts(old.texts, records, { fs: this.#fs, path: this.#path('texts', numbers.texts) })
      : null
    const moved = texts?.records ?? records
    const lines = [lineOf({ format: 1, texts: numbers.texts }), ...moved.map((put) => lineOf({ put }))]
    const path = this.#path('entries', numbers.entries)
    const unfinished = `${path}.new`
    await removeFile(this.#fs, unfinished)
    const draft = await openLineFile(unfinished, this.#fs)
    const [, ...positions] = await draft.append(lines)
    await draft.close()
    // From here on the new files count.
    await this.#fs.rename(unfinished, path)
    await flushEntry(this.#fs, path)
    const entries = await openLineFile(path, this.#fs)
    this.#files = { entries, texts: texts?.file ?? old.texts, numbers }
    this.#lines = new Map(moved.map(({ id }, index) => [id, positions.slice(index, index + 1)]))
    this.#garbage.entries = []
    if (texts !== null) {
      this.#index = new EntryIndex(moved)
      this.#garbage.texts = []
    }
    await old.entries.close()
    if (texts !== null) await old.texts.close()
    await this.#sweep()
  }

  /** Removes files that do not count (any more). */
  async #sweep(): Promise<void> {
    const { entries, texts } = this.#files?.numbers ?? { entries: 0, texts: 0 }
    const kept = new Set([this.#path('entries', entries), this.#path('texts', texts)])
    for (const name of await fileNames(this.#directory)) {
      const path = join(this.#directory, name)
      if (!kept.has(path)) await removeFile(this.#fs, path)
    }
  }

  #path(kind: 'entries' | 'texts', number: number): string {
    return join(this.#directory, `${kind}-${number}.jsonl`)
  }
}

/** What a line begins with that is no more. */
const erased = ' '
/** A rough figure: what a record takes as a line. */
const averageRecordBytes = 250

function lineOf(line: Line): string {
  return JSON.stringify(line)
}
