import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import { sessionOf, type SessionStore, type StoredSession } from './stored-session.ts'

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
    await this.#replace({ ...(await this.#load()), [service]: session })
  }

  async remove(service: string): Promise<void> {
    const { [service]: removed, ...others } = await this.#load()
    if (removed === undefined) return
    if (Object.keys(others).length > 0) await this.#replace(others)
    else await rm(this.path, { force: true })
  }

  async #load(): Promise<Readonly<Record<string, unknown>>> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      // A home that is a file, or none at all, has no credentials either.
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '{}'
      throw new Failure('unauthenticated', `${this.path} cannot be read: ${error.message}.`, { cause: error })
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

  /** All or nothing, and never readable for others: the file is made with its mode, then takes the place of the old one. */
  async #replace(sessions: Readonly<Record<string, unknown>>): Promise<void> {
    const directory = dirname(this.path)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await chmod(directory, 0o700)
    const temporary = `${this.path}.${randomUUID()}`
    try {
      const file = await open(temporary, 'wx', 0o600)
      try {
        await file.writeFile(`${JSON.stringify(sessions, null, 2)}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(temporary, this.path)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  }
}
