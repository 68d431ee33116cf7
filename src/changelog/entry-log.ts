import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { diskFileSystem, flushEntry, hasCode, removeFile, type FileSystem } from '../metadata/durable-file.ts'
import { openLineFile, type LineFile, type Position } from '../metadata/line-file.ts'
import { EntryIndex } from './entry-index.ts'
import { blank } from './erase.ts'
import type { EntryRecord, EntryTexts } from './record.ts'

/** A line of the entries file. The first names the file of the texts. */
type Line = { readonly format: 1; readonly texts: number } | { readonly put: EntryRecord } | { readonly delete: string }

/** Files smaller than this are not worth a compaction. */
const leastBytes = { entries: 256 * 1024, texts: 1024 * 1024 } as const
/** Lines written at once when a file is compacted: bounds memory. */
const batchBytes = 4 * 1024 * 1024

interface Files {
  readonly entries: LineFile
  readonly texts: LineFile
  readonly numbers: { readonly entries: number; readonly texts: number }
}

/**
 * The changelog of one project on disk, in files of lines that are only appended to:
 *
 *     entries-<n>.jsonl   an entry's record each time that it changes: small, read whole when the changelog is opened
 *     texts-<m>.jsonl     its title, content and HTML: read one by one
 *
 * A change is there when its record is; its texts were durable before. Texts that nothing refers to any more are
 * overwritten with blanks, at once: what was deleted is gone. Files that are mostly garbage are written anew under the
 * next number, and count from when the entries file has its name.
 *
 * One writer at a time; readers at any time.
 */
export class EntryLog {
  readonly #directory: string
  readonly #fs: FileSystem
  #files: Files | null
  #index: EntryIndex
  /** Bytes of the texts that are referred to. */
  #liveTexts = 0
  #closed = false

  private constructor(directory: string, fs: FileSystem) {
    this.#directory = directory
    this.#fs = fs
    this.#files = null
    this.#index = new EntryIndex()
  }

  /** Reads the records. Nothing is written where there is no changelog yet. Throws Failure `unavailable`. */
  static async open(directory: string, fs: FileSystem = diskFileSystem): Promise<EntryLog> {
    const log = new EntryLog(directory, fs)
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
      if (text !== undefined && text.startsWith('{')) return { record, texts: JSON.parse(text) as EntryTexts }
      if (this.#index.get(id) === record) throw new Error(`${file.path} has no text at ${record.place.offset}`)
    }
  }

  /**
   * Adds an entry or replaces it, durably. Without texts it keeps those that it has.
   * Throws Failure `unavailable` when the disk fails; nothing has changed then.
   */
  async put(given: Omit<EntryRecord, 'place'>, texts?: EntryTexts): Promise<EntryRecord> {
    // Only the removal of the project closes a log that somebody uses.
    if (this.#closed) throw new Failure('not_found', 'The project was removed')
    const { entries, texts: file } = (this.#files ??= await this.#create())
    const before = this.#index.get(given.id)
    const [place = before?.place] = texts === undefined ? [] : await file.append([JSON.stringify(texts)])
    if (place === undefined) throw new Error(`the entry ${given.id} has no texts`)
    const record: EntryRecord = { ...given, place }
    try {
      await entries.append([lineOf({ put: record })])
    } catch (error) {
      if (texts !== undefined) await this.#erase(place)
      throw error
    }
    this.#index.put(record)
    if (texts !== undefined) {
      this.#liveTexts += place.length - (before?.place.length ?? 0)
      if (before !== undefined) await this.#erase(before.place)
    }
    return record
  }

  /** Deletes an entry for good. Throws Failure `unavailable` when the disk fails; it is still there then. */
  async delete(id: string): Promise<void> {
    const before = this.#index.get(id)
    if (this.#files === null || before === undefined) return
    await this.#files.entries.append([lineOf({ delete: id })])
    this.#index.remove(id)
    this.#liveTexts -= before.place.length
    await this.#erase(before.place)
  }

  /** Writes a file anew of which more than half is garbage. Say so after every change. */
  async compact(): Promise<void> {
    if (this.#files === null) return
    const { entries, texts } = this.#files
    const liveEntries = this.#index.size * averageRecordBytes
    const wornTexts = texts.size > leastBytes.texts && this.#liveTexts < texts.size / 2
    const wornEntries = entries.size > leastBytes.entries && liveEntries < entries.size / 2
    if (wornTexts) await this.#rewrite(true)
    else if (wornEntries) await this.#rewrite(false)
  }

  async close(): Promise<void> {
    this.#closed = true
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
    let end = 0
    let replaced: Position | undefined
    await entries.scan((text) => {
      const line = JSON.parse(text) as Line
      if ('format' in line) {
        texts = line.texts
        return
      }
      const id = 'put' in line ? line.put.id : line.delete
      const before = records.get(id)?.place
      records.delete(id)
      if ('put' in line) records.set(id, line.put)
      const place = 'put' in line ? line.put.place : undefined
      if (place !== undefined) end = Math.max(end, place.offset + place.length + 1)
      if (before !== undefined && before.offset !== place?.offset) replaced = before
    })
    if (entries.size === 0) await entries.append([lineOf({ format: 1, texts })])
    const file = await openLineFile(this.#path('texts', texts), this.#fs)
    this.#files = { entries, texts: file, numbers: { entries: number, texts } }
    this.#index = new EntryIndex(records.values())
    for (const { place } of records.values()) this.#liveTexts += place.length
    // A crash may have come between a change and its erasing, and between a text and its record.
    if (replaced !== undefined) await this.#erase(replaced)
    if (file.size > end) await blank(file.path, { offset: end, length: file.size - end - 1 })
    await this.#sweep()
  }

  /** Overwrites a text that nothing refers to any more. */
  async #erase(place: Position): Promise<void> {
    if (this.#files !== null) await blank(this.#files.texts.path, place)
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
    const texts = withTexts ? await this.#copyTexts(old.texts, records, numbers.texts) : null
    const moved = texts?.records ?? records
    const lines = [lineOf({ format: 1, texts: numbers.texts }), ...moved.map((put) => lineOf({ put }))]
    const path = this.#path('entries', numbers.entries)
    const unfinished = `${path}.new`
    await removeFile(this.#fs, unfinished)
    const draft = await openLineFile(unfinished, this.#fs)
    await draft.append(lines)
    await draft.close()
    // From here on the new files count.
    await this.#fs.rename(unfinished, path)
    await flushEntry(this.#fs, path)
    const entries = await openLineFile(path, this.#fs)
    this.#files = { entries, texts: texts?.file ?? old.texts, numbers }
    if (texts !== null) this.#index = new EntryIndex(moved)
    await old.entries.close()
    if (texts !== null) await old.texts.close()
    await this.#sweep()
  }

  async #copyTexts(from: LineFile, records: readonly EntryRecord[], number: number) {
    const path = this.#path('texts', number)
    await removeFile(this.#fs, path)
    const file = await openLineFile(path, this.#fs)
    const moved: EntryRecord[] = []
    let batch: { record: EntryRecord; text: string }[] = []
    let bytes = 0
    const flush = async (): Promise<void> => {
      const places = await file.append(batch.map(({ text }) => text))
      for (const [index, place] of places.entries()) {
        const record = batch[index]?.record
        if (record !== undefined) moved.push({ ...record, place })
      }
      batch = []
      bytes = 0
    }
    for (const record of records) {
      batch.push({ record, text: await from.read(record.place) })
      bytes += record.place.length
      if (bytes >= batchBytes) await flush()
    }
    await flush()
    return { file, records: moved }
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

/** A rough figure: what a record takes as a line. */
const averageRecordBytes = 250

function lineOf(line: Line): string {
  return JSON.stringify(line)
}

/** The number of a file of a kind; 0 for other files. */
function numberOf(name: string, kind: 'entries' | 'texts'): number {
  return Number(new RegExp(`^${kind}-([1-9]\\d{0,14})\\.jsonl$`).exec(name)?.[1] ?? 0)
}

async function fileNames(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory)
    return names.filter((name) => /^(?:entries|texts)-\d+\.jsonl(?:\.new)?$/.test(name))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/** The text at a place; undefined when the file was closed, because another one has taken its place. */
async function readLine(file: LineFile, place: Position): Promise<string | undefined> {
  try {
    return await file.read(place)
  } catch (error) {
    if (hasCode(error, 'EBADF')) return undefined
    throw error
  }
}
