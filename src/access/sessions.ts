import type { Session, SessionKind } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import type { SessionRecords, StoredSession, StoredSessions } from './session-records.ts'
import { hashToken, mintToken } from './tokens.ts'

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

const hourMs = 60 * 60 * 1000
const lifetimeMs = 30 * 24 * hourMs
const maxOfAnAccount = 50
const clientCharacters = 200

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
    if (now.getTime() - Date.parse(session.usedAt) > hourMs) this.#slide(hash, session.account, now)
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
