import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { isSlug } from '../../contract/patterns.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { KeyedMutex } from '../../lib/keyed-mutex.ts'
import { diskFileSystem, type FileSystem } from '../../lib/durable-file.ts'
import { takeOverEarlier } from './earlier-formats.ts'
import { FileLog } from './file-log.ts'
import { FileTable } from './file-table.ts'
import {
  streamNames,
  type OpenStream,
  type RecordHold,
  type Records,
  type StreamName,
  type StreamOpener,
  type StreamSpec,
  type TableOptions,
} from '../records.ts'
import type { Claims, ClaimsBelow } from '../inventory.ts'
import type { Segments } from './segments.ts'

export interface FileRecordsOptions {
  /** Each project has a folder in it, and each of its streams a folder in that. */
  readonly directory: string
  /**
   * Told of what could not be erased, which is tried again after the next change and when the stream is opened; and of
   * records that are lost.
   */
  readonly onError: (project: string, error: unknown) => void
  readonly fs?: FileSystem
  readonly inventory?: Claims
  /** Records are read as they are: nothing is put right, erased or taken over. */
  readonly readOnly?: boolean
  /** Bounds of what stays open without being used: bytes, about, and streams. */
  readonly idle?: { readonly bytes: number; readonly streams: number }
}

/** What `FileLog` and `FileTable` have in common. */
interface FileStream {
  held: boolean
  readonly segments: Segments
  tidy(): Promise<void>
  close?(): Promise<void>
}

interface Opened {
  readonly project: string
  readonly opening: Promise<{ readonly view: unknown; readonly stream: FileStream }>
  readonly weigh: (view: never) => number
  users: number
}

const idleBounds = { bytes: 64 << 20, streams: 256 }

/** Records in files below the data directory; see records.ts for what it promises. */
export class FileRecords implements Records {
  readonly #options: FileRecordsOptions
  readonly #fs: FileSystem
  #readOnly: boolean
  readonly #opened = new Map<string, Opened>()
  /** Those of the opened that nobody uses. */
  readonly #idle: LRUCache<string, Opened>
  /** A stream is opened again only when it is closed: two would write over each other. */
  readonly #closing = new Map<string, Promise<void>>()
  readonly #holds = new Map<string, number>()
  readonly #takingOver = new KeyedMutex()

  constructor(options: FileRecordsOptions) {
    this.#options = options
    this.#fs = options.fs ?? diskFileSystem
    this.#readOnly = options.readOnly === true
    const { bytes, streams } = options.idle ?? idleBounds
    this.#idle = new LRUCache({
      max: streams,
      maxSize: bytes,
      dispose: (opened, key, reason) => {
        if (reason === 'evict') void this.#close(key, opened)
      },
    })
  }

  async use<V, R>(project: string, spec: StreamSpec<V>, work: (view: V) => R | Promise<R>): Promise<R> {
    const opened = await this.open(project, spec)
    try {
      return await work(opened.view)
    } finally {
      opened.release()
    }
  }

  async open<V>(project: string, spec: StreamSpec<V>): Promise<OpenStream<V>> {
    const key = keyOf(project, spec.name)
    const opened = this.#opened.get(key) ?? this.#begin(key, project, spec)
    this.#idle.delete(key)
    opened.users += 1
    let isOpen = true
    const release = (): void => {
      if (!isOpen) return
      isOpen = false
      opened.users -= 1
      if (opened.users === 0 && this.#opened.get(key) === opened) void this.#rest(key, opened)
    }
    try {
      const { view } = await opened.opening
      return { view: view as V, release }
    } catch (error) {
      // Who comes next tries again.
      if (this.#opened.get(key) === opened) this.#opened.delete(key)
      throw error
    }
  }

  async exists(project: string, name: StreamName): Promise<boolean> {
    const names = (await readdir(this.#directoryOf(project, name)).catch(nullIfMissing)) ?? []
    return names.length > 0
  }

  async hold(project: string): Promise<RecordHold> {
    // Afterwards nothing is taken over, which removes files. What is damaged cannot be opened: nobody changes it either.
    for (const name of streamNames) await this.#takeOverEarlier(project, name).catch(() => undefined)
    this.#holds.set(project, (this.#holds.get(project) ?? 0) + 1)
    await this.#tellHeld(project)
    let isHeld = true
    return {
      whileStill: (work) => this.#whileStill(project, work),
      release: () => {
        if (!isHeld) return
        isHeld = false
        const left = (this.#holds.get(project) ?? 0) - 1
        if (left > 0) this.#holds.set(project, left)
        else this.#holds.delete(project)
        void this.#tellHeld(project)
      },
    }
  }

  async leave(project: string): Promise<void> {
    const own = [...this.#opened].filter(([, opened]) => opened.project === project)
    await Promise.all(own.map(([key, opened]) => this.#close(key, opened)))
    for (const name of streamNames) await this.#closing.get(keyOf(project, name))
    const { inventory } = this.#options
    const names = streamNames.flatMap((name) => [...(inventory?.below(`${keyOf(project, name)}/`).keys() ?? [])])
    await inventory?.forget(names)
  }

  /** Nothing is written from then on; who reads opens the streams anew, as they are. */
  async close(): Promise<void> {
    // Holds do not outlast the service: without them, what waited for their end is erased now.
    for (const project of this.#holds.keys()) {
      this.#holds.delete(project)
      await this.#tellHeld(project)
    }
    this.#readOnly = true
    const streams = await Promise.all([...this.#opened.values()].map(({ opening }) => opening.catch(() => null)))
    for (const opened of streams) opened?.stream.segments.stopWriting()
    await Promise.all([...this.#opened].map(([key, opened]) => this.#close(key, opened)))
    await Promise.all(this.#closing.values())
  }

  #begin<V>(key: string, project: string, spec: StreamSpec<V>): Opened {
    const opened: Opened = {
      project,
      opening: this.#load(key, project, spec),
      weigh: (view) => spec.weigh?.(view) ?? 1,
      users: 0,
    }
    this.#opened.set(key, opened)
    return opened
  }

  async #load<V>(key: string, project: string, spec: StreamSpec<V>): Promise<{ view: V; stream: FileStream }> {
    await this.#closing.get(key)
    const directory = this.#directoryOf(project, spec.name)
    const onError = (error: unknown): void => this.#options.onError(project, error)
    const disk = { fs: this.#fs, inventory: this.#claimsOf(key), readOnly: this.#readOnly }
    const openTable = <H, B>(options: TableOptions): Promise<FileTable<H, B>> =>
      FileTable.open<H, B>(directory, { ...options, ...disk, onError })
    await this.#takeOverEarlier(project, spec.name)
    let stream: FileStream | undefined
    const opener: StreamOpener = {
      project,
      log: async <T>(options: Parameters<typeof FileLog.open<T>>[1]) => {
        const log = await FileLog.open<T>(directory, options, disk)
        stream = log
        return log
      },
      table: async <H, B>(options = {}) => {
        const table = await openTable<H, B>(options)
        stream = table
        return table
      },
    }
    const view = await spec.open(opener)
    if (stream === undefined) throw new Error(`${spec.name} opened no stream`)
    for (const lost of stream.segments.lost) onError(new Error(lost))
    stream.held = this.#isHeld(project)
    await stream.tidy()
    return { view, stream }
  }

  /** Nothing is erased or dropped. */
  #isHeld(project: string): boolean {
    return this.#readOnly || this.#holds.has(project)
  }

  async #takeOverEarlier(project: string, name: StreamName): Promise<void> {
    if (this.#readOnly) return
    const directory = this.#directoryOf(project, name)
    const onError = (error: unknown): void => this.#options.onError(project, error)
    const disk = { fs: this.#fs, inventory: this.#claimsOf(keyOf(project, name)) }
    const openTable = (): Promise<FileTable<unknown, unknown>> => FileTable.open(directory, { ...disk, onError })
    await this.#takingOver.run(keyOf(project, name), () =>
      takeOverEarlier(directory, name, { fs: this.#fs, openTable }),
    )
  }

  /** Nobody uses it: it stays open while there is room. */
  async #rest(key: string, opened: Opened): Promise<void> {
    const size = await opened.opening.then(
      ({ view }) => Math.max(1, Math.min(opened.weigh(view as never), this.#idle.maxSize)),
      () => 0,
    )
    if (size > 0 && opened.users === 0 && this.#opened.get(key) === opened) this.#idle.set(key, opened, { size })
  }

  #close(key: string, opened: Opened): Promise<void> {
    if (this.#opened.get(key) === opened) this.#opened.delete(key)
    this.#idle.delete(key)
    const closing = opened.opening
      .then(({ stream }) => stream.close?.() ?? stream.segments.idle())
      // What was acknowledged is on disk: a failing close, or an opening that failed, loses nothing.
      .catch(() => undefined)
      .finally(() => {
        if (this.#closing.get(key) === closing) this.#closing.delete(key)
      })
    this.#closing.set(key, closing)
    return closing
  }

  /** The open streams of a project. One that could not be opened is not among them: nobody changes it either. */
  async #streamsOf(project: string): Promise<FileStream[]> {
    const own = [...this.#opened.values()].filter((opened) => opened.project === project)
    const streams = await Promise.all(own.map(({ opening }) => opening.then(({ stream }) => stream).catch(() => null)))
    return streams.filter((stream) => stream !== null)
  }

  async #tellHeld(project: string): Promise<void> {
    const streams = await this.#streamsOf(project)
    const held = this.#isHeld(project)
    for (const stream of streams) stream.held = held
    // What was being erased when the hold began ends before it counts; what waited for its end is erased now.
    await Promise.all(streams.map((stream) => stream.tidy()))
  }

  async #whileStill<T>(project: string, work: () => Promise<T>): Promise<T> {
    const streams = await this.#streamsOf(project)
    const run = streams.reduce<() => Promise<T>>(
      (inner, { segments }) =>
        () =>
          segments.whileStill(inner),
      work,
    )
    return run()
  }

  #claimsOf(key: string): ClaimsBelow | undefined {
    const { inventory } = this.#options
    return inventory && { claims: inventory, prefix: `${key}/` }
  }

  #directoryOf(project: string, name: StreamName): string {
    if (!isSlug(project)) throw new Error(`${JSON.stringify(project)} is not the id of a project`)
    return join(this.#options.directory, project, name)
  }
}

const keyOf = (project: string, name: StreamName): string => `${project}/${name}`
