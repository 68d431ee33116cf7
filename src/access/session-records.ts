import { createHash } from 'node:crypto'
import type { SessionKind } from '../contract/accounts.ts'
import type { Store } from '../storage/store.ts'

/** A session as it is stored. Its token is nowhere. */
export interface StoredSession {
  account: string
  /** Absent in sessions from before it was kept: those were browsers. */
  kind?: SessionKind
  client?: string
  address?: string
  createdAt: string
  /** Written at most once an hour; the session ends 30 days after it. */
  usedAt: string
}

/** By SHA-256 of the token. */
export type StoredSessions = Record<string, StoredSession>

interface SessionsDocument {
  sessions: StoredSessions
}

/** Of the names of the documents. */
const prefix = 'sessions/'
/** One for all sessions, in earlier versions. */
const undivided = 'sessions'

/**
 * The stored sessions. They lie in 256 documents by account, so that a sign-in writes a small one, however many people
 * there are: with 50,000 sessions in one document it took half a second, in which nobody was answered.
 */
export class SessionRecords {
  readonly #store: Store
  /** Account by hash of the token. Only where to look: whether there is a session says its document. */
  readonly #accounts = new Map<string, string>()

  private constructor(store: Store) {
    this.#store = store
  }

  static async open(store: Store): Promise<SessionRecords> {
    await divide(store)
    const records = new SessionRecords(store)
    for (const name of await store.list(prefix)) {
      const document = await store.read<SessionsDocument>(name)
      for (const [hash, { account }] of Object.entries(document?.sessions ?? {})) records.#accounts.set(hash, account)
    }
    return records
  }

  /** The session of a token with that hash. */
  async find(hash: string): Promise<Readonly<StoredSession> | undefined> {
    const account = this.#accounts.get(hash)
    return account === undefined ? undefined : (await this.#read(account))[hash]
  }

  /** Sessions of an account with the hashes of their tokens. */
  async of(account: string): Promise<[hash: string, session: Readonly<StoredSession>][]> {
    return Object.entries(await this.#read(account)).filter(([, session]) => session.account === account)
  }

  /** Edits the sessions that lie together with those of an account, in place. What `change` throws leaves them as they were. */
  async change(account: string, change: (sessions: StoredSessions) => void): Promise<void> {
    const { added, gone } = await this.#store.mutate<SessionsDocument, Difference>(documentOf(account), (draft) => {
      const document = draft ?? { sessions: {} }
      const before = Object.keys(document.sessions)
      change(document.sessions)
      return { document, result: differenceOf(before, document.sessions) }
    })
    for (const hash of gone) this.#accounts.delete(hash)
    for (const hash of added) this.#accounts.set(hash, account)
  }

  async #read(account: string): Promise<Readonly<StoredSessions>> {
    return (await this.#store.read<SessionsDocument>(documentOf(account)))?.sessions ?? {}
  }
}

/** Hashes. */
interface Difference {
  readonly added: readonly string[]
  readonly gone: readonly string[]
}

function differenceOf(before: readonly string[], sessions: Readonly<StoredSessions>): Difference {
  const known = new Set(before)
  return {
    added: Object.keys(sessions).filter((hash) => !known.has(hash)),
    gone: before.filter((hash) => !Object.hasOwn(sessions, hash)),
  }
}

function documentOf(account: string): string {
  return prefix + createHash('sha256').update(account).digest('hex').slice(0, 2)
}

/** Once: takes over the sessions of an earlier version. Begins anew where it was cut off. */
async function divide(store: Store): Promise<void> {
  const old = await store.read<SessionsDocument>(undivided)
  if (old === undefined) return
  const parts = new Map<string, [hash: string, session: StoredSession][]>()
  for (const [hash, session] of Object.entries(old.sessions)) {
    const name = documentOf(session.account)
    parts.set(name, [...(parts.get(name) ?? []), [hash, session]])
  }
  await Promise.all(
    [...parts].map(([name, part]) =>
      store.mutate<SessionsDocument, void>(name, (draft) => ({
        document: { sessions: { ...Object.fromEntries(part), ...draft?.sessions } },
        result: undefined,
      })),
    ),
  )
  await store.mutate(undivided, () => ({ document: undefined, result: undefined }))
}
