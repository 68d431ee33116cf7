import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import { replaceFile } from './replace-file.ts'

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

/** Sessions in a file that only its owner can read, where there is no keychain. */
export class SessionFile implements SessionStore {
  readonly path: string

  /** @param directory Of the settings; made when something is kept. */
  constructor(directory: string) {
    this.path = join(directory, 'credentials.json')
  }

  async read(service: string): Promise<StoredSession | undefined> {
    return sessionOf((await this.#load())[service])
  }

  async write(service: string, session: StoredSession): Promise<void> {
    await replaceFile(this.path, { ...(await this.#load()), [service]: session })
  }

  /** Services that it holds a session for. */
  async services(): Promise<string[]> {
    const sessions = await this.#load()
    return Object.keys(sessions).filter((service) => sessionOf(sessions[service]) !== undefined)
  }

  async remove(service: string): Promise<void> {
    const { [service]: removed, ...others } = await this.#load()
    if (removed === undefined) return
    if (Object.keys(others).length > 0) await replaceFile(this.path, others)
    else await rm(this.path, { force: true })
  }

  async #load(): Promise<Readonly<Record<string, unknown>>> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      // A home that is a file, or none at all, has no credentials either.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '{}'
      throw new Failure('unauthenticated', `${this.path} cannot be read (${error.code ?? error.message}).`, {
        hint: 'Make it readable for this user, or use an API key: SERVICE_API_KEY.',
        cause: error,
      })
    })
    try {
      const value: unknown = JSON.parse(text)
      if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
    } catch (error) {
      throw this.#damaged(error)
    }
    throw this.#damaged()
  }

  #damaged(cause?: unknown): Failure {
    return new Failure('unauthenticated', `${this.path} is damaged.`, {
      hint: 'Delete it and run quire login again.',
      cause,
    })
  }
}
