import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { AuditActor, AuditEntry } from '../contract/audit.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { pageItems } from '../contract/common.ts'
import { openJournal, type Journal } from '../storage/journal.ts'
import { redact } from './redact.ts'

export interface AuditLogOptions {
  /** Where each project has a folder; its entries are below `audit/`. */
  readonly dataDirectory: string
  readonly now: () => Date
}

/** What somebody did; the log adds when, and leaves secrets out of what clients sent. */
export interface Done {
  readonly action: string
  readonly actor: AuditActor
  /** IP address; `local` for the operator. */
  readonly address: string
  readonly client?: string | undefined
  readonly target?: string | undefined
  readonly detail?: string | undefined
}

export interface AuditQuery extends ListQuery {
  readonly action?: string
  /** Id of an account or key. */
  readonly actor?: string
  /** RFC 3339. */
  readonly since?: string
}

/** About 60,000 entries a project; then the oldest go. */
const journal = { maxSegmentBytes: 1024 * 1024, maxSegments: 16 }
/** Projects whose files stay open. */
const maxOpen = 64
/** Who did what in each project, from where. */
export class AuditLog {
  readonly #options: AuditLogOptions
  /** Least recently used first. */
  readonly #open = new Map<string, Promise<Journal<AuditEntry>>>()
  /** A journal is opened again only when the one before is closed: two would write over each other. */
  readonly #closing = new Map<string, Promise<void>>()

  constructor(options: AuditLogOptions) {
    this.#options = options
  }

  /** Durable when it settles. Throws Failure `unavailable` when the disk fails. */
  async record(slug: string, done: Done): Promise<void> {
    const { action, actor, address, client, target, detail } = done
    const entry: AuditEntry = {
      id: `audit_${randomBytes(10).toString('hex')}`,
      at: this.#options.now().toISOString(),
      action,
      actor: { ...actor, name: redact(actor.name) },
      address,
      ...(client === undefined ? {} : { client: redact(client) }),
      ...(target === undefined ? {} : { target: redact(target) }),
      ...(detail === undefined ? {} : { detail: redact(detail) }),
    }
    // Taken and used in one tick: a journal that is closed meanwhile waits for what was appended.
    const opened = this.#journal(slug)
    await opened.then((taken) => taken.append(entry))
  }

  /** A page, newest first. Throws Failure `invalid_request` for a cursor that no page gave. */
  async list(slug: string, query: AuditQuery = {}): Promise<List<AuditEntry>> {
    const { limit = pageItems, cursor, action, actor, since } = query
    const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
    const taken = await this.#journal(slug)
    const { records, next } = await taken.readBackwards({
      before: cursor,
      limit,
      where: (entry) =>
        (action === undefined || entry.action === action) &&
        (actor === undefined || entry.actor.id === actor) &&
        Date.parse(entry.at) >= from,
    })
    return { items: records, ...(next === undefined ? {} : { nextCursor: next }) }
  }

  /** The project is being removed: none of its files is open any more. */
  async leave(slug: string): Promise<void> {
    this.#close(slug)
    await this.#closing.get(slug)
  }

  async close(): Promise<void> {
    for (const slug of this.#open.keys()) this.#close(slug)
    await Promise.all(this.#closing.values())
  }

  #journal(slug: string): Promise<Journal<AuditEntry>> {
    const opened = this.#open.get(slug) ?? this.#opened(slug)
    this.#open.delete(slug)
    this.#open.set(slug, opened)
    const [oldest] = this.#open.keys()
    if (this.#open.size > maxOpen && oldest !== undefined) this.#close(oldest)
    return opened
  }

  async #opened(slug: string): Promise<Journal<AuditEntry>> {
    try {
      await this.#closing.get(slug)
      return await openJournal<AuditEntry>(join(this.#options.dataDirectory, slug, 'audit'), journal)
    } catch (error) {
      this.#open.delete(slug)
      throw error
    }
  }

  #close(slug: string): void {
    const opened = this.#open.get(slug)
    if (opened === undefined) return
    this.#open.delete(slug)
    const closing = opened
      .then((taken) => taken.close())
      // What was acknowledged is on disk: a failing close, or an opening that failed, loses nothing.
      .catch(() => undefined)
      .finally(() => this.#closing.delete(slug))
    this.#closing.set(slug, closing)
  }
}
