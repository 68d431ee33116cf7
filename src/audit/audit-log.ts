import { randomBytes } from 'node:crypto'
import type { AuditActor, AuditEntry } from '../contract/audit.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { pageItems } from '../contract/common.ts'
import { withoutSecrets } from '../lib/secrets.ts'
import type { RecordLog, Records, StreamSpec } from '../storage/records.ts'

/** What somebody did; the log adds the time, and leaves secrets out of what clients sent. */
export interface NewAuditEntry {
  readonly action: string
  readonly actor: AuditActor
  /** IP address; `local` for the operator. */
  readonly address: string
  readonly client?: string | undefined
  readonly target?: string | undefined
  readonly detail?: string | undefined
}

export interface AuditQuery extends ListQuery {
  /** An operation such as `keys.create`, or its noun: all operations on keys. */
  readonly action?: string
  /** Id of an account or key. */
  readonly actor?: string
  /** RFC 3339: from then on, and before then. */
  readonly since?: string
  readonly until?: string
}

/** About 60,000 entries a project; then the oldest go. */
const auditStream: StreamSpec<RecordLog<AuditEntry>> = {
  name: 'audit',
  open: ({ log }) => log<AuditEntry>({ maxBytes: 16 * 1024 * 1024 }),
}
/** Control characters would let one entry look like two on a terminal. */
const controls = /[\p{Cc}\p{Surrogate}\u2028\u2029]/gu
const maxLength = 500
/** Entries that one page may look at: some milliseconds. */
const mostLooked = 5000
/** By which an entry may be older than the one before it: requests end at the same time, and clocks are put right. */
const disorderMs = 60_000

/** Who did what in each project, from where. */
export class AuditLog {
  readonly #records: Records
  readonly #now: () => Date

  constructor({ records, now }: { readonly records: Records; readonly now: () => Date }) {
    this.#records = records
    this.#now = now
  }

  /** Durable when it settles. Throws Failure `unavailable` when the disk fails. */
  async record(projectId: string, newEntry: NewAuditEntry): Promise<void> {
    const { action, actor, address, client, target, detail } = newEntry
    const entry: AuditEntry = {
      id: `audit_${randomBytes(10).toString('hex')}`,
      at: this.#now().toISOString(),
      action,
      actor: { ...actor, name: redact(actor.name) },
      address,
      ...(client === undefined ? {} : { client: redact(client) }),
      ...(target === undefined ? {} : { target: redact(target) }),
      ...(detail === undefined ? {} : { detail: redact(detail) }),
    }
    await this.#records.use(projectId, auditStream, (log) => log.append(entry))
  }

  /**
   * A page, newest first; it may have none though older ones follow, where few are asked for. Throws Failure `invalid_request` for a cursor
   * that no page gave.
   */
  async list(projectId: string, query: AuditQuery = {}): Promise<List<AuditEntry>> {
    const { limit = pageItems, cursor, action, actor, since, until } = query
    const from = since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(since)
    const to = until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until)
    const where = (entry: AuditEntry): boolean => {
      const at = Date.parse(entry.at)
      const isAsked = action === undefined || entry.action === action || entry.action.startsWith(`${action}.`)
      return isAsked && (actor === undefined || entry.actor.id === actor) && at >= from && at < to
    }
    const within = (entry: AuditEntry): boolean => Date.parse(entry.at) >= from - disorderMs
    const { records, next } = await this.#records.use(projectId, auditStream, (log) =>
      log.page({ before: cursor, limit, where, within, most: mostLooked }),
    )
    return { items: records, ...(next === undefined ? {} : { nextCursor: next }) }
  }
}

/** What a client sent, as it may be kept: on one line, not endless, without credentials that were put in a wrong place. */
function redact(text: string): string {
  const plain = withoutSecrets(text).replace(controls, ' ').trim()
  return plain.length > maxLength ? `${plain.slice(0, maxLength - 1).replace(/\p{Surrogate}$/u, '')}…` : plain
}
