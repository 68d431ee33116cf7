import { Failure } from '../../src/contract/failure.ts'

/** What is kept of a sign-in. */
export interface StoredSession {
  readonly token: string
  /** Of the account, for people. */
  readonly email: string
}

/** A place that keeps one session for each service. */
export interface SessionStore {
  read(service: string): Promise<StoredSession | undefined>
  write(service: string, session: StoredSession): Promise<void>
  /** Does nothing where there is none. */
  remove(service: string): Promise<void>
}

/** The form of a service's address that sessions are kept under. Throws Failure `invalid_request`. */
export function serviceOf(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new Failure('invalid_request', `${url} is not the address of a service.`, {
      hint: 'Give --url or QUIRE_URL as https://docs.example.com.',
    })
  }
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/+$/, '')
}

/** Reads what a store holds; undefined for what is none of ours. */
export function sessionOf(value: unknown): StoredSession | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { token, email } = value as Readonly<Record<string, unknown>>
  return typeof token === 'string' && typeof email === 'string' ? { token, email } : undefined
}
