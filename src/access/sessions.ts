import type { Store } from '../metadata/store.ts'
import { hashToken, mintToken } from './tokens.ts'

interface StoredSession {
  account: string
  createdAt: string
  /** Written at most once a day; the session ends 30 days after it. */
  usedAt: string
}

/** By SHA-256 of the token. */
interface SessionsDocument {
  sessions: Record<string, StoredSession>
}

export interface SessionsOptions {
  readonly store: Store
  readonly now: () => Date
  /** Told when a use could not be noted; the request goes on. */
  readonly onError: (error: unknown) => void
}

const sessionsDocument = 'sessions'
const dayMs = 24 * 60 * 60 * 1000
const lifetimeMs = 30 * dayMs
const maxOfAnAccount = 50

/** Signed-in browsers and terminals. A session ends 30 days after its last use. */
export class Sessions {
  readonly #options: SessionsOptions

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** Begins a session and gives its token, which is stored nowhere. */
  async begin(account: string): Promise<string> {
    const token = mintToken('session')
    const now = this.#options.now()
    await this.#options.store.mutate<SessionsDocument, void>(sessionsDocument, (draft) => {
      const document = draft ?? { sessions: {} }
      dropEnded(document, now)
      dropOldest(document, account)
      document.sessions[hashToken(token)] = { account, createdAt: now.toISOString(), usedAt: now.toISOString() }
      return { document, result: undefined }
    })
    return token
  }

  /** Id of the account that a token stands for, or null. */
  async find(token: string): Promise<string | null> {
    const hash = hashToken(token)
    const document = await this.#options.store.read<SessionsDocument>(sessionsDocument)
    const session = document?.sessions[hash]
    const now = this.#options.now()
    if (session === undefined || hasEnded(session, now)) return null
    if (now.getTime() - Date.parse(session.usedAt) > dayMs) this.#slide(hash, now)
    return session.account
  }

  /** Ends the session of a token. */
  async end(token: string): Promise<void> {
    await this.#options.store.mutate<SessionsDocument, void>(sessionsDocument, (draft) => {
      delete draft?.sessions[hashToken(token)]
      return { document: draft, result: undefined }
    })
  }

  /** Not awaited: no request waits for the disk because of it. */
  #slide(hash: string, now: Date): void {
    const slid = this.#options.store.mutate<SessionsDocument, void>(sessionsDocument, (draft) => {
      const session = draft?.sessions[hash]
      if (session !== undefined) session.usedAt = now.toISOString()
      return { document: draft, result: undefined }
    })
    slid.catch(this.#options.onError)
  }
}

function hasEnded(session: StoredSession, now: Date): boolean {
  return now.getTime() - Date.parse(session.usedAt) >= lifetimeMs
}

function dropEnded(document: SessionsDocument, now: Date): void {
  for (const [hash, session] of Object.entries(document.sessions))
    if (hasEnded(session, now)) delete document.sessions[hash]
}

/** Makes room for one more session of the account. */
function dropOldest(document: SessionsDocument, account: string): void {
  const own = Object.entries(document.sessions).filter(([, session]) => session.account === account)
  const oldestFirst = own.sort(([, a], [, b]) => (a.usedAt < b.usedAt ? -1 : 1))
  for (const [hash] of oldestFirst.slice(0, Math.max(0, own.length - maxOfAnAccount + 1)))
    delete document.sessions[hash]
}
