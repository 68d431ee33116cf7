import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Disk } from './disk.ts'
import { decode, encoded } from './slices.ts'

/** What is kept of lists and opened files, in bytes. */
const maxBytes = 200 * 1024 * 1024
/** Bytes that are written between two looks at the size. */
const lookEvery = 16 * 1024 * 1024
/** After the disk was full. */
const restMs = 60_000
/** Items of a list that are read and written in one go. */
const sliceItems = 500
const format = 1

/** What the service said, and when. */
export interface Kept<T> {
  readonly value: T
  readonly asOf: Date
}

/** An opened file. */
export interface KeptFile {
  readonly oid: string
  readonly size: number
  /** Undefined: it is not text. */
  readonly text: string | undefined
}

interface Head {
  readonly version: number
  readonly key: string
  readonly asOf: string
}

/**
 * Lists and opened files, for when the service cannot be reached. A cache: it need not outlast a power cut, what is
 * damaged in it is as good as missing, and what was not used for longest goes when there is too much.
 */
export class Cache {
  readonly #disk: Disk
  readonly #directory: string
  readonly #maxBytes: number
  readonly #log: (message: string) => void
  #written = lookEvery
  #restsUntil = 0
  readonly #versions = new Map<string, string>()
  #work: Promise<void> = Promise.resolve()

  constructor(
    disk: Disk,
    options: { readonly directory: string; readonly log: (message: string) => void; readonly maxBytes?: number },
  ) {
    this.#disk = disk
    this.#directory = join(options.directory, 'cache')
    this.#maxBytes = options.maxBytes ?? maxBytes
    this.#log = options.log
  }

  /**
   * Keeps a list, soon. What fails is in the log only.
   * @param version with the same one as before it is the same list, and is not written again
   */
  keepList(key: string, items: readonly unknown[], version?: string): void {
    if (version !== undefined && this.#versions.get(key) === version) return
    if (version !== undefined) this.#versions.set(key, version)
    this.#later(key, linesOf({ version: format, key, asOf: new Date().toISOString() }, items))
  }

  keepFile(key: string, { oid, size, text }: KeptFile): void {
    const head = { version: format, key, asOf: new Date().toISOString(), oid, size, isText: text !== undefined }
    this.#later(key, textFile(head, text ?? ''))
  }

  /** @param key as it was kept with. The items are as the service gave them. */
  async list<T>(key: string): Promise<Kept<readonly T[]> | undefined> {
    const read = await this.#read(key)
    if (read === undefined) return undefined
    const items: T[] = []
    try {
      for (const line of read.rest.split('\n')) {
        if (line === '') continue
        items.push(...(JSON.parse(line) as T[]))
        await nextTurn()
      }
    } catch {
      return undefined
    }
    return { value: items, asOf: new Date(read.head.asOf) }
  }

  async file(key: string): Promise<Kept<KeptFile> | undefined> {
    const read = await this.#read(key)
    if (read === undefined) return undefined
    const { oid, size, isText, asOf } = read.head as Head & { oid: string; size: number; isText: boolean }
    return { value: { oid, size, text: isText ? read.rest : undefined }, asOf: new Date(asOf) }
  }

  forget(key: string): void {
    this.#queue(() => this.#disk.remove(this.#path(key)))
  }

  /** Makes room on a full disk: all of it goes, and for a while nothing is added. */
  async clear(): Promise<void> {
    this.#restsUntil = Date.now() + restMs
    this.#versions.clear()
    this.#queue(async () => {
      for (const { name } of await this.#disk.list(this.#directory))
        await this.#disk.remove(join(this.#directory, name))
    })
    await this.#work
  }

  /** What was to be kept is, or is given up. */
  async settled(): Promise<void> {
    await this.#work
  }

  async #read(key: string): Promise<{ readonly head: Head; readonly rest: string } | undefined> {
    await this.#work
    try {
      const bytes = await this.#disk.read(this.#path(key))
      if (bytes === undefined) return undefined
      const end = bytes.indexOf(0x0a)
      const head = JSON.parse(bytes.toString('utf8', 0, end)) as Head
      if (head.version !== format || head.key !== key) return undefined
      await this.#disk.touch(this.#path(key))
      return { head, rest: await decode(bytes.subarray(end + 1)) }
    } catch (error) {
      this.#log(`What was kept of ${key} cannot be read: ${String(error)}`)
      return undefined
    }
  }

  #later(key: string, parts: AsyncIterable<Uint8Array>): void {
    if (Date.now() < this.#restsUntil) return
    this.#queue(async () => {
      // The disk became full meanwhile.
      if (Date.now() < this.#restsUntil) return
      const counted = count(parts, (bytes) => (this.#written += bytes))
      await this.#disk.replace(this.#path(key), counted, { durable: false })
      if (this.#written < lookEvery) return
      this.#written = 0
      await this.#dropOldest()
    })
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => this.#log(`The cache: ${String(error)}`))
  }

  async #dropOldest(): Promise<void> {
    const files = await this.#disk.list(this.#directory)
    let total = files.reduce((sum, { size }) => sum + size, 0)
    for (const { name, size } of files.toSorted((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime())) {
      if (total <= this.#maxBytes) return
      await this.#disk.remove(join(this.#directory, name))
      total -= size
    }
  }

  #path(key: string): string {
    return join(this.#directory, createHash('sha256').update(key).digest('hex').slice(0, 32))
  }
}

async function* linesOf(head: Head, items: readonly unknown[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(`${JSON.stringify(head)}\n`)
  for (let start = 0; start < items.length; start += sliceItems) {
    yield Buffer.from(`${JSON.stringify(items.slice(start, start + sliceItems))}\n`)
    await nextTurn()
  }
}

async function* textFile(head: object, text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(`${JSON.stringify(head)}\n`)
  yield* encoded(text)
}

async function* count(
  parts: AsyncIterable<Uint8Array>,
  add: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const part of parts) {
    add(part.length)
    yield part
  }
}
