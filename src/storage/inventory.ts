import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isMissing } from '../lib/disk.ts'
import { diskFileSystem, replaceFile, writeWhole, type FileSystem } from '../lib/durable-file.ts'
import { openLine, sealLine } from './checksum.ts'

/**
 * What must be there: documents with their last revisions, files of records with their lengths, other files of projects.
 *
 * Every entry is a lower bound. It is noted after what it tells is durable, and written within seconds: no change waits
 * for it, and a crash makes it at most older than the truth. What is to go is taken from it first, durably. So an entry
 * that is not met is a loss, never a crash.
 */
export interface Claims {
  /** What is noted of a name; undefined for nothing. */
  least(name: string): number | undefined
  /** Names that begin so, with their values. @param prefix has a slash. */
  below(prefix: string): ReadonlyMap<string, number>
  /** There is at least so much of it. */
  note(name: string, value: number): void
  /** Durable when it settles: these may go. */
  forget(names: readonly string[]): Promise<void>
}

/** Claims about the files of one folder, by their names in it. */
export interface ClaimsBelow {
  readonly claims: Claims
  /** In front of the names. */
  readonly prefix: string
}

export const inventoryFile = '.inventory'
/** Of a document; every other name is the path of a file below the data directory. */
export const documentEntry = (document: string): string => `document:${document}`

const format = 1
const flushMs = 2_000
/** Grows by this much beyond twice its size before it is written anew. */
const slackBytes = 1 << 20

/** The file: a header, then a line an entry, `[name, value]`, or `[name]` for one that was taken out. */
interface Header {
  readonly inventory: number
  /** Of the start of the service that wrote it. */
  readonly start: number
  /** How many lines were written with the header: a file that is cut has fewer. */
  readonly entries: number
}

/** What an inventory says, as it was read. */
export interface ReadInventory {
  readonly entries: Map<string, number>
  /** Of the start that wrote it; 0 where that is not known. */
  readonly start: number
  /** What is wrong with the file; null for nothing. It then says less than it should. */
  readonly problem: string | null
}

export async function readInventory(directory: string): Promise<ReadInventory> {
  const bytes = await readFile(join(directory, inventoryFile)).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (bytes === null) return { entries: new Map(), start: 0, problem: 'is missing' }
  return parseInventory(bytes)
}

function parseInventory(bytes: Buffer): ReadInventory {
  const entries = new Map<string, number>()
  let header: Header | undefined
  let read = 0
  let problem: string | null = null
  let from = 0
  // A last line without an end was being written when its process died.
  for (let end = bytes.indexOf(0x0a); end !== -1; end = bytes.indexOf(0x0a, from)) {
    const line = bytes.subarray(from, end)
    from = end + 1
    const { soundness, length } = openLine(line)
    if (soundness !== 'sound') {
      problem ??= 'has a line that is damaged'
      continue
    }
    const content = JSON.parse(line.toString('utf8', 0, length)) as Header | [name: string, value?: number]
    if (!Array.isArray(content)) {
      header = content
      continue
    }
    read += 1
    const [name, value] = content
    if (value === undefined) entries.delete(name)
    else entries.set(name, value)
  }
  if (header === undefined) problem ??= 'has no header'
  else if (read < header.entries) problem ??= `is cut: it has ${read} of ${header.entries} lines`
  return { entries, start: header?.start ?? 0, problem }
}

export interface InventoryOptions {
  readonly fs?: FileSystem
  /** Nothing of it is ever written. */
  readonly readOnly?: boolean
  /** Told of writes that failed; they are tried again. */
  readonly onError?: (error: unknown) => void
}

/** The inventory of a data directory, for the process that has locked it. */
export class Inventory implements Claims {
  readonly #path: string
  readonly #fs: FileSystem
  #readOnly: boolean
  readonly #onError: (error: unknown) => void
  readonly #entries = new Map<string, number>()
  /** Names by what they begin with: a stream is opened among those of ten thousand projects. */
  readonly #groups = new Map<string, Set<string>>()
  readonly #dirty = new Set<string>()
  #start: number
  /** Bytes of the file, and those that it had when it was written anew. */
  #size = 0
  #baseSize = 0
  /** The file has to be written anew before anything is appended. */
  #stale = true
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()

  /** @param read what the directory has. */
  constructor(directory: string, { entries, start }: ReadInventory, options: InventoryOptions = {}) {
    this.#path = join(directory, inventoryFile)
    for (const [name, value] of entries) this.#put(name, value)
    this.#start = start
    this.#fs = options.fs ?? diskFileSystem
    this.#readOnly = options.readOnly === true
    this.#onError = options.onError ?? ((): void => undefined)
  }

  /** Number of the start that is on record. */
  get start(): number {
    return this.#start
  }

  /** Begins the file of this start; written with the next flush. */
  begin(start: number): void {
    this.#start = start
    this.#stale = true
    this.#schedule()
  }

  least(name: string): number | undefined {
    return this.#entries.get(name)
  }

  below(prefix: string): ReadonlyMap<string, number> {
    const found = new Map<string, number>()
    for (const name of this.#groups.get(groupOf(prefix)) ?? [])
      if (name.startsWith(prefix)) found.set(name, this.#entries.get(name) ?? 0)
    return found
  }

  all(): ReadonlyMap<string, number> {
    return this.#entries
  }

  note(name: string, value: number): void {
    if ((this.#entries.get(name) ?? -1) >= value) return
    this.#put(name, value)
    this.#dirty.add(name)
    this.#schedule()
  }

  async forget(names: readonly string[]): Promise<void> {
    const known = names.filter((name) => this.#take(name))
    if (known.length === 0) return
    for (const name of known) this.#dirty.add(name)
    await this.flush()
  }

  /** All that was noted is in the file when this settles. */
  flush(): Promise<void> {
    const flushed = this.#writing.then(() => this.#write())
    this.#writing = flushed.catch(() => undefined)
    return flushed
  }

  /** Ends with a file that was written anew; nothing is written from then on. */
  async close(): Promise<void> {
    this.#stale ||= this.#size > this.#baseSize || this.#dirty.size > 0
    await this.flush().catch((error: unknown) => this.#onError(error))
    this.#readOnly = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #put(name: string, value: number): void {
    this.#entries.set(name, value)
    const group = this.#groups.get(groupOf(name))
    if (group === undefined) this.#groups.set(groupOf(name), new Set([name]))
    else group.add(name)
  }

  #take(name: string): boolean {
    this.#groups.get(groupOf(name))?.delete(name)
    return this.#entries.delete(name)
  }

  #schedule(): void {
    if (this.#timer !== null || this.#readOnly) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.flush().catch((error: unknown) => {
        this.#onError(error)
        this.#schedule()
      })
    }, flushMs)
    this.#timer.unref()
  }

  async #write(): Promise<void> {
    if (this.#readOnly || (!this.#stale && this.#dirty.size === 0)) return
    const names = [...this.#dirty]
    this.#dirty.clear()
    try {
      if (this.#stale || this.#size > 2 * this.#baseSize + slackBytes) await this.#rewrite()
      else await this.#append(names.map((name) => this.#line(name)).join(''))
    } catch (error) {
      for (const name of names) this.#dirty.add(name)
      // It may end in the middle of a line now.
      this.#stale = true
      throw error
    }
  }

  #line(name: string): string {
    const value = this.#entries.get(name)
    return sealLine(JSON.stringify(value === undefined ? [name] : [name, value]))
  }

  async #rewrite(): Promise<void> {
    const header: Header = { inventory: format, start: this.#start, entries: this.#entries.size }
    const text = sealLine(JSON.stringify(header)) + [...this.#entries.keys()].map((name) => this.#line(name)).join('')
    await replaceFile(this.#fs, this.#path, text)
    this.#stale = false
    this.#size = this.#baseSize = Buffer.byteLength(text)
  }

  async #append(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    const file = await this.#fs.open(this.#path, 'a', 0o600)
    try {
      await writeWhole(file, bytes, this.#path)
      await file.datasync()
    } finally {
      await file.close()
    }
    this.#size += bytes.length
  }
}

/** The project of a path, or `document:` with the kind of a document. */
function groupOf(name: string): string {
  const slash = name.indexOf('/')
  return slash === -1 ? name : name.slice(0, slash)
}
