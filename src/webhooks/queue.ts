import { readdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isMissing } from '../lib/disk.ts'
import { diskFileSystem, isTemporary, removeFile, replaceFile } from '../lib/durable-file.ts'
import { openLineFile, type LineFile } from '../storage/line-file.ts'
import type { WebhookEvent } from './events.ts'
import type { OutboxEntry } from './outbox.ts'
import type { PendingDelivery } from './webhook-worker.ts'

/** A line of the file. What is not done is what is left when all lines have been read. */
type Note =
  | {
      readonly type: 'event'
      readonly event: WebhookEvent
      readonly webhooks: readonly string[]
      /** Milliseconds since the epoch. */
      readonly since: number
    }
  | {
      readonly type: 'failed'
      readonly event: string
      readonly webhook: string
      readonly attempts: number
      readonly dueAt: number
    }
  | { readonly type: 'done'; readonly event: string; readonly webhook: string }
  /** Done for all, but it may still lie in the outbox. */
  | { readonly type: 'seen'; readonly event: string }

interface Waiting {
  readonly event: WebhookEvent
  /** When it was taken over, which may be long after it happened: an entry of a changelog has the date it likes. */
  readonly since: number
  readonly webhooks: Map<string, PendingDelivery>
}

/** Lines that a file may have before it is written anew, however little is left of them. */
const fewLines = 1000

/**
 * The events of a project that are on their way, in a file of notes: an attempt costs one short line, not a document
 * with all that waits. Memory first, then the file: what was done but not noted when the process died is done again,
 * with the same id. What a project no longer needs is left out when the file is written anew.
 */
export class DeliveryQueue {
  readonly #path: string
  #file: Promise<LineFile>
  readonly #events = new Map<string, Waiting>()
  /** Events of which the outbox may not know yet that they are here. */
  readonly #unconfirmed = new Set<string>()
  #lines = 0
  #damaged = 0
  #rewriting = false

  private constructor(path: string, file: LineFile) {
    this.#path = path
    this.#file = Promise.resolve(file)
  }

  /** Throws Failure `unavailable` when the disk fails. */
  static async open(path: string): Promise<DeliveryQueue> {
    await sweep(dirname(path))
    const file = await openLineFile(path)
    const queue = new DeliveryQueue(path, file)
    await file.scan((text) => queue.#read(text))
    return queue
  }

  /** Lines that could not be read when it was opened: a disk or a backup did not keep them. They are left out. */
  get damaged(): number {
    return this.#damaged
  }

  /** Everything that is on its way, oldest first. */
  *pending(): Generator<PendingDelivery> {
    for (const { webhooks } of this.#events.values()) yield* webhooks.values()
  }

  get empty(): boolean {
    return this.#events.size === 0
  }

  find(event: string, webhook: string): PendingDelivery | undefined {
    return this.#events.get(event)?.webhooks.get(webhook)
  }

  /**
   * Takes events over from the outbox; those that were taken before are left out, so that doing it again after a crash
   * changes nothing. Durable. Returns what is new.
   *
   * @param since Milliseconds since the epoch: now.
   */
  async add(entries: readonly OutboxEntry[], since: number): Promise<PendingDelivery[]> {
    const fresh = entries.filter(({ event }) => !this.#events.has(event.id) && !this.#unconfirmed.has(event.id))
    for (const entry of fresh) this.#put(entry, since)
    try {
      await this.#append(fresh.map(({ event, webhooks }) => ({ type: 'event', event, webhooks, since })))
    } catch (error) {
      for (const { event } of fresh) this.#forget(event.id)
      throw error
    }
    return fresh.flatMap(({ event }) => [...(this.#events.get(event.id)?.webhooks.values() ?? [])])
  }

  /** The outbox holds none of the events that are here, or were. */
  confirm(): void {
    this.#unconfirmed.clear()
  }

  /** Notes an attempt that failed and is followed by another: what the pending says now. */
  async keep({ event, webhook, attempts, dueAt }: PendingDelivery): Promise<void> {
    await this.#append([{ type: 'failed', event: event.id, webhook, attempts, dueAt }])
  }

  /** Notes that an event was delivered to a webhook, or will not be. Done twice it changes nothing. */
  async settle({ event, webhook }: PendingDelivery): Promise<void> {
    if (!this.#drop(event.id, webhook)) return
    await this.#append([{ type: 'done', event: event.id, webhook }])
    if (this.#lines > fewLines && this.#lines > 4 * this.#needed()) await this.#rewrite()
  }

  /** Ends; a file of which nothing is needed goes. */
  async close(): Promise<void> {
    const file = await this.#file
    await file.close()
    if (this.empty && this.#unconfirmed.size === 0) await removeFile(diskFileSystem, this.#path)
  }

  #read(text: string): void {
    this.#lines += 1
    const note = noteOf(text)
    if (note === null) this.#damaged += 1
    else this.#replay(note)
  }

  #replay(note: Note): void {
    if (note.type === 'event') this.#put(note, note.since)
    else if (note.type === 'seen') this.#unconfirmed.add(note.event)
    else if (note.type === 'done') this.#drop(note.event, note.webhook)
    else {
      const pending = this.find(note.event, note.webhook)
      if (pending !== undefined) Object.assign(pending, { attempts: note.attempts, dueAt: note.dueAt })
    }
  }

  #put({ event, webhooks }: OutboxEntry, since: number): void {
    const fresh = { event, since, attempts: 0, dueAt: since }
    const waiting = webhooks.map((webhook): [string, PendingDelivery] => [webhook, { ...fresh, webhook }])
    this.#events.set(event.id, { event, since, webhooks: new Map(waiting) })
    this.#unconfirmed.add(event.id)
  }

  #drop(event: string, webhook: string): boolean {
    const waiting = this.#events.get(event)
    if (waiting?.webhooks.delete(webhook) !== true) return false
    if (waiting.webhooks.size === 0) this.#events.delete(event)
    return true
  }

  #forget(event: string): void {
    this.#events.delete(event)
    this.#unconfirmed.delete(event)
  }

  async #append(notes: readonly Note[]): Promise<void> {
    if (notes.length === 0) return
    this.#lines += notes.length
    const file = await this.#opened()
    await file.append(notes.map((note) => JSON.stringify(note)))
  }

  /** The file that is the current one in the tick in which this settles. */
  async #opened(): Promise<LineFile> {
    for (;;) {
      const opening = this.#file
      try {
        const file = await opening
        if (opening === this.#file) return file
      } catch (error) {
        // It could not be opened again after it was written anew: the next one tries.
        if (opening === this.#file) this.#file = openLineFile(this.#path)
        throw error
      }
    }
  }

  /** About how many lines the file would have if it were written now. */
  #needed(): number {
    return this.#events.size + this.#unconfirmed.size
  }

  /** Writes the file anew with what is left. Until then everybody who appends waits. */
  async #rewrite(): Promise<void> {
    if (this.#rewriting) return
    this.#rewriting = true
    const before = this.#file
    this.#file = this.#replace(before)
    try {
      await this.#file
    } finally {
      this.#rewriting = false
    }
  }

  async #replace(before: Promise<LineFile>): Promise<LineFile> {
    const old = await before
    await old.close()
    const notes = [...this.#notes()]
    await replaceFile(diskFileSystem, this.#path, notes.map((note) => `${JSON.stringify(note)}\n`).join(''))
    this.#lines = notes.length
    return openLineFile(this.#path)
  }

  *#notes(): Generator<Note> {
    for (const { event, since, webhooks } of this.#events.values()) {
      yield { type: 'event', event, webhooks: [...webhooks.keys()], since }
      for (const { webhook, attempts, dueAt } of webhooks.values())
        if (attempts > 0) yield { type: 'failed', event: event.id, webhook, attempts, dueAt }
    }
    for (const event of this.#unconfirmed) if (!this.#events.has(event)) yield { type: 'seen', event }
  }
}

function noteOf(text: string): Note | null {
  try {
    return JSON.parse(text) as Note
  } catch {
    // Half a line in the middle of the file: nobody knows any more what it said.
    return null
  }
}

/** Where a project's queue lies. */
export function queuePath(dataDirectory: string, slug: string): string {
  return join(dataDirectory, slug, 'webhooks', 'queue.jsonl')
}

/** Files that a killed process was writing. */
async function sweep(directory: string): Promise<void> {
  try {
    for (const name of await readdir(directory)) if (isTemporary(name)) await unlink(join(directory, name))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
