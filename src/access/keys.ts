import type { List, ListQuery } from '../contract/common.ts'
import type { Scope } from '../contract/endpoint.ts'
import { Failure } from '../contract/failure.ts'
import { defaultScopes, type CreatedKey, type Key } from '../contract/keys.ts'
import type { Store } from '../storage/store.ts'
import { pageOf } from '../lib/pages.ts'
import { noProject, projectDocument, projectPrefix } from '../projects/document.ts'
import { hashToken, mintToken, newId } from './tokens.ts'

/** A key as it is stored. The key itself is nowhere. */
export interface StoredKey {
  id: string
  name: string
  /** First characters of the key, for people. */
  prefix: string
  /** SHA-256 of the key, hex. */
  key_hash: string
  scopes: Scope[]
  created_at: string
  last_used_at?: string
  expiresAt?: string
}

/** What this room keeps in the document of a project. */
export interface KeysDocument {
  /** Newest last; absent where there never was one. */
  keys?: StoredKey[]
}

/** A valid key and where it is valid. */
export interface FoundKey {
  /** Id. */
  readonly project: string
  readonly key: { readonly id: string; readonly name: string; readonly scopes: readonly Scope[] }
}

export interface KeysOptions {
  readonly store: Store
  readonly lastUse: LastUse
  readonly now: () => Date
}

export interface NewKey {
  readonly name: string
  readonly scopes?: readonly Scope[]
  readonly expiresAt?: string
}

const addressDomain = '@keys.quire.invalid'

/** What stands for a key where Git wants an email address. */
export const addressOfKey = (id: string): string => id.toLowerCase() + addressDomain
export const isKeyAddress = (email: string): boolean => email.endsWith(addressDomain)

const maxOfAProject = 100
const shownCharacters = 'quire_'.length + 6

/** API keys. Each belongs to one project and lives in its document. */
export class Keys {
  readonly #options: KeysOptions
  /** Project by key hash. Only where to look: whether a key is valid says the project's document. */
  readonly #projects = new Map<string, string>()

  private constructor(options: KeysOptions) {
    this.#options = options
  }

  /** Reads the keys of all projects. */
  static async open(options: KeysOptions): Promise<Keys> {
    const keys = new Keys(options)
    const { store } = options
    for (const name of await store.list(projectPrefix)) keys.#learn(name, await store.read<KeysDocument>(name))
    // Whoever comes with such a key is told that the project is set aside.
    for (const { document, previous } of store.setAside(projectPrefix)) keys.#learn(document, previous as KeysDocument)
    return keys
  }

  #learn(name: string, document: Readonly<KeysDocument> | undefined): void {
    for (const key of document?.keys ?? []) this.#projects.set(key.key_hash, name.slice(projectPrefix.length))
  }

  /** Makes a key; the reply is the only place where it is ever shown. Throws Failure `invalid_request`, `not_found`. */
  async create(project: string, request: NewKey): Promise<CreatedKey> {
    const now = this.#options.now()
    if (request.expiresAt !== undefined) assertFuture(request.expiresAt, now)
    const token = mintToken('key')
    const key: StoredKey = {
      id: newId('key'),
      name: request.name,
      prefix: token.slice(0, shownCharacters),
      key_hash: hashToken(token),
      scopes: [...(request.scopes ?? defaultScopes)],
      created_at: now.toISOString(),
      ...(request.expiresAt === undefined ? {} : { expiresAt: new Date(request.expiresAt).toISOString() }),
    }
    await this.#change(project, (keys) => {
      if (keys.length >= maxOfAProject) {
        throw new Failure('invalid_request', `The project has ${keys.length} keys, which is the most.`, {
          hint: 'Revoke keys that are not in use.',
        })
      }
      keys.push(key)
    })
    this.#projects.set(key.key_hash, project)
    return { ...this.#present(project, key), key: token }
  }

  /** Keys of a project, newest first, without what would let anybody use them. Throws Failure `not_found`. */
  async list(project: string, query: ListQuery = {}): Promise<List<Key>> {
    const document = await this.#options.store.read<KeysDocument>(projectDocument(project))
    if (document === undefined) throw noProject(project)
    const shown = (document.keys ?? []).map((key) => this.#present(project, key))
    return pageOf(shown, query, (key) => `${key.created_at} ${key.id}`)
  }

  /** Throws Failure `not_found`. */
  async rename(project: string, id: string, name: string): Promise<Key> {
    const renamed = await this.#change(project, (keys) => {
      const key = keys.find((candidate) => candidate.id === id)
      if (key === undefined) throw noKey(id)
      key.name = name
      return { ...key, scopes: [...key.scopes] }
    })
    return this.#present(project, renamed)
  }

  /** The key is refused from the next request on. Throws Failure `not_found`. */
  async revoke(project: string, id: string): Promise<void> {
    const hash = await this.#change(project, (keys) => {
      const index = keys.findIndex((key) => key.id === id)
      const [key] = index === -1 ? [] : keys.splice(index, 1)
      if (key === undefined) throw noKey(id)
      return key.key_hash
    })
    this.#projects.delete(hash)
  }

  /** The valid key that a token is, or null. Notes its use. */
  async find(token: string): Promise<FoundKey | null> {
    const hash = hashToken(token)
    const id = this.#projects.get(hash)
    if (id === undefined) return null
    const project = await this.#options.store.read<KeysDocument>(projectDocument(id))
    const key = project?.keys?.find((candidate) => candidate.key_hash === hash)
    if (key === undefined) {
      // The project has been removed with its keys.
      this.#projects.delete(hash)
      return null
    }
    const now = this.#options.now()
    if (key.expiresAt !== undefined && Date.parse(key.expiresAt) <= now.getTime()) return null
    this.#options.lastUse.note(id, key.id, now)
    return { project: id, key: { id: key.id, name: key.name, scopes: key.scopes } }
  }

  #change<R>(project: string, change: (keys: StoredKey[]) => R): Promise<R> {
    return this.#options.store.mutate<KeysDocument, R>(projectDocument(project), (draft) => {
      if (draft === undefined) throw noProject(project)
      return { result: change((draft.keys ??= [])), document: draft }
    })
  }

  #present(project: string, key: Readonly<StoredKey>): Key {
    const { key_hash: _hash, last_used_at: stored, ...shown } = key
    const lastUsed = this.#options.lastUse.pending(project, key.id) ?? stored
    return { ...shown, scopes: [...key.scopes], ...(lastUsed === undefined ? {} : { last_used_at: lastUsed }) }
  }
}

/** Keys that may administer end with a transfer: whoever made one could go on doing what only the owner may. */
export function endAdministration(document: object): void {
  const project = document as KeysDocument
  if (project.keys !== undefined) project.keys = project.keys.filter(({ scopes }) => !scopes.includes('admin'))
}

function noKey(id: string): Failure {
  return new Failure('not_found', `The project has no key ${id}.`)
}

function assertFuture(expiresAt: string, now: Date): void {
  if (Date.parse(expiresAt) > now.getTime()) return
  throw new Failure('invalid_request', 'A key cannot expire in the past.', {
    hint: 'Leave `expiresAt` out for a key that does not expire.',
    errors: [{ pointer: '/expiresAt', message: 'is not in the future' }],
  })
}

export interface LastUseOptions {
  readonly store: Store
  /** Told when uses could not be written; they are tried again. */
  readonly onError: (error: unknown) => void
  /** Milliseconds between two writes. */
  readonly intervalMs?: number
}

/**
 * When keys were last used. Kept in memory and written once a minute: no request waits for it, and a crash may lose the
 * last minute.
 */
export class LastUse {
  readonly #options: LastUseOptions
  /** By id of the project, then by key id. */
  #pending = new Map<string, Map<string, string>>()
  readonly #timer: NodeJS.Timeout

  constructor(options: LastUseOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.flush(), options.intervalMs ?? 60_000)
    this.#timer.unref()
  }

  note(project: string, key: string, at: Date): void {
    if (this.#options.store.readOnly !== null) return
    let keys = this.#pending.get(project)
    if (keys === undefined) this.#pending.set(project, (keys = new Map()))
    keys.set(key, at.toISOString())
  }

  /** A use that is not written yet, RFC 3339. */
  pending(project: string, key: string): string | undefined {
    return this.#pending.get(project)?.get(key)
  }

  /** Writes what was noted. Never rejects. */
  async flush(): Promise<void> {
    const noted = this.#pending
    this.#pending = new Map()
    await Promise.all([...noted].map(([project, keys]) => this.#write(project, keys)))
  }

  /** Writes what was noted, and ends. Before the store is closed. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  async #write(project: string, uses: ReadonlyMap<string, string>): Promise<void> {
    try {
      await this.#options.store.mutate<KeysDocument, void>(projectDocument(project), (draft) => {
        for (const key of draft?.keys ?? []) {
          const at = uses.get(key.id)
          if (at !== undefined) key.last_used_at = at
        }
        return { document: draft, result: undefined }
      })
    } catch (error) {
      this.#options.onError(error)
      for (const [key, at] of uses) if (this.pending(project, key) === undefined) this.note(project, key, new Date(at))
    }
  }
}
