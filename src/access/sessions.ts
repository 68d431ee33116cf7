import { createHash } from 'node:crypto'
import type { Session, SessionKind } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import { hashToken, mintToken } from './tokens.ts'
import type { Store } from '../storage/store.ts'

/** A session as it is stored. Its token is nowhere. */
interface StoredSession {
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
type StoredSessions = Record<string, StoredSession>

interface SessionsDocument {
  sessions: StoredSessions
}

/** Of the names of the documents. */
export const sessionsPrefix = 'sessions/'
/** One for all sessions, in earlier versions. */
const undivided = 'sessions'
const hourMs = 60 * 60 * 1000
const lifetimeMs = 30 * 24 * hourMs
const maxOfAnAccount = 50
const clientCharacters = 200

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
    if (store.readOnly === null) await divide(store)
    const records = new SessionRecords(store)
    for (const name of await store.list(sessionsPrefix)) {
      const document = await store.read<SessionsDocument>(name)
      for (const [hash, { account }] of Object.entries(document?.sessions ?? {})) records.#accounts.set(hash, account)
    }
    return records
  }

  get isReadOnly(): boolean {
    return this.#store.readOnly !== null
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
  return sessionsPrefix + createHash('sha256').update(account).digest('hex').slice(0, 2)
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

/** What a session is begun from. */
export interface SessionClient {
  readonly kind: SessionKind
  /** What the client calls itself, such as its User-Agent; cut to 200 characters. */
  readonly client: string
  /** IP address. */
  readonly address: string
}

export interface SessionsOptions {
  readonly records: SessionRecords
  readonly now: () => Date
  /** Told when a use could not be noted; the request goes on. */
  readonly onError: (error: unknown) => void
}

/** Signed-in browsers and terminals. A session ends 30 days after its last use. */
export class Sessions {
  readonly #options: SessionsOptions
  /** Hashes whose use is being written. */
  readonly #sliding = new Set<string>()
  readonly #onEndAll: ((account: string) => Promise<void>)[] = []

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** Begins a session and gives its token, which is stored nowhere. */
  async begin(account: string, from: SessionClient): Promise<string> {
    const token = mintToken('session')
    const now = this.#options.now()
    const at = now.toISOString()
    const { kind, address } = from
    await this.#options.records.change(account, (sessions) => {
      dropEnded(sessions, now)
      dropOldest(sessions, account)
      sessions[hashToken(token)] = {
        account,
        kind,
        client: cleaned(from.client),
        address,
        createdAt: at,
        usedAt: at,
      }
    })
    return token
  }

  /** Id of the account that a token stands for, or null. */
  async find(token: string): Promise<string | null> {
    const hash = hashToken(token)
    const session = await this.#options.records.find(hash)
    const now = this.#options.now()
    if (session === undefined || hasEnded(session, now)) return null
    const isStale = now.getTime() - Date.parse(session.usedAt) > hourMs
    if (isStale && !this.#options.records.isReadOnly) this.#slide(hash, session.account, now)
    return session.account
  }

  /**
   * Sessions of an account, the last used first.
   *
   * @param current token of the session that asks, which is marked.
   */
  async list(account: string, current?: string): Promise<Session[]> {
    const now = this.#options.now()
    const own = (await this.#options.records.of(account)).filter(([, session]) => !hasEnded(session, now))
    const mine = current === undefined ? null : hashToken(current)
    return own
      .map(([hash, { kind = 'browser', client = '', address = '', createdAt, usedAt }]) => ({
        id: idOf(hash),
        kind,
        client,
        address,
        createdAt,
        usedAt,
        current: hash === mine,
      }))
      .sort((a, b) => (a.usedAt < b.usedAt ? 1 : -1))
  }

  /** Id of the session of a token, whether there is one or not. */
  idOf(token: string): string {
    return idOf(hashToken(token))
  }

  /** Whether an account is signed in by the session of an id. */
  async isOpen(account: string, id: string): Promise<boolean> {
    const now = this.#options.now()
    const own = await this.#options.records.of(account)
    return own.some(([hash, session]) => idOf(hash) === id && !hasEnded(session, now))
  }

  /** Ends the session of a token. */
  async end(token: string): Promise<void> {
    const { records } = this.#options
    const hash = hashToken(token)
    const session = await records.find(hash)
    if (session === undefined) return
    await records.change(session.account, (sessions) => {
      delete sessions[hash]
    })
  }

  /** Ends a session of an account by its id. Throws Failure `not_found`. */
  async revoke(account: string, id: string): Promise<void> {
    await this.#options.records.change(account, (sessions) => {
      const found = Object.entries(sessions).find(([hash, own]) => own.account === account && idOf(hash) === id)
      if (found === undefined) throw new Failure('not_found', `There is no session ${id}, or it has ended.`)
      delete sessions[found[0]]
    })
  }

  /** Told when all sessions of an account end, before they do: nothing may begin one any more that was begun before. */
  onEndAll(listener: (account: string) => Promise<void>): void {
    this.#onEndAll.push(listener)
  }

  /** Ends all sessions of an account, but for the one of the token `except`. */
  async endAll(account: string, except?: string): Promise<void> {
    for (const listener of this.#onEndAll) await listener(account)
    const kept = except === undefined ? null : hashToken(except)
    await this.#options.records.change(account, (sessions) => {
      for (const [hash, session] of Object.entries(sessions))
        if (session.account === account && hash !== kept) delete sessions[hash]
    })
  }

  /** Not awaited: no request waits for the disk because of it. */
  #slide(hash: string, account: string, now: Date): void {
    if (this.#sliding.has(hash)) return
    this.#sliding.add(hash)
    void this.#options.records
      .change(account, (sessions) => {
        const session = sessions[hash]
        if (session !== undefined) session.usedAt = now.toISOString()
      })
      .catch(this.#options.onError)
      .finally(() => this.#sliding.delete(hash))
  }
}

/** Names a session without helping anybody to use it: 64 of the 256 bits of a hash whose token has 256. */
function idOf(hash: string): string {
  return `ses_${hash.slice(0, 16)}`
}

/** Without characters that a page or a terminal would obey, or that cannot be stored. */
function cleaned(client: string): string {
  return Array.from(client.replace(/[\p{Cc}\p{Cs}]/gu, ''))
    .slice(0, clientCharacters)
    .join('')
}

function hasEnded(session: StoredSession, now: Date): boolean {
  return now.getTime() - Date.parse(session.usedAt) >= lifetimeMs
}

function dropEnded(sessions: StoredSessions, now: Date): void {
  for (const [hash, session] of Object.entries(sessions)) if (hasEnded(session, now)) delete sessions[hash]
}

/** Makes room for one more session of the account. */
function dropOldest(sessions: StoredSessions, account: string): void {
  const own = Object.entries(sessions).filter(([, session]) => session.account === account)
  const oldestFirst = own.sort(([, a], [, b]) => (a.usedAt < b.usedAt ? -1 : 1))
  for (const [hash] of oldestFirst.slice(0, Math.max(0, own.length - maxOfAnAccount + 1))) delete sessions[hash]
}
