import type { List, ListQuery } from '../contract/common.ts'
import type { Scope } from '../contract/endpoint.ts'
import { Failure } from '../contract/failure.ts'
import { defaultScopes, type CreatedKey, type Key } from '../contract/keys.ts'
import type { Store } from '../storage/store.ts'
import type { LastUse } from './last-use.ts'
import { pageOf } from '../lib/pages.ts'
import { noProject, projectDocument, type ProjectDocument } from '../projects/projects.ts'
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

/** A valid key and where it is valid. */
export interface FoundKey {
  /** Slug. */
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
    for (const name of await options.store.list(projectDocument(''))) {
      const project = await options.store.read<ProjectDocument>(name)
      for (const key of project?.keys ?? []) keys.#projects.set(key.key_hash, project?.slug ?? '')
    }
    return keys
  }

  /** Makes a key; the reply is the only place where it is ever shown. Throws Failure `invalid_request`, `not_found`. */
  async create(slug: string, request: NewKey): Promise<CreatedKey> {
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
    await this.#change(slug, (keys) => {
      if (keys.length >= maxOfAProject) {
        throw new Failure('invalid_request', `The project has ${keys.length} keys, which is the most.`, {
          hint: 'Revoke keys that are not in use.',
        })
      }
      keys.push(key)
    })
    this.#projects.set(key.key_hash, slug)
    return { ...this.#present(slug, key), key: token }
  }

  /** Keys of a project, newest first, without what would let anybody use them. Throws Failure `not_found`. */
  async list(slug: string, query: ListQuery = {}): Promise<List<Key>> {
    const project = await this.#options.store.read<ProjectDocument>(projectDocument(slug))
    if (project === undefined) throw noProject(slug)
    const shown = project.keys.map((key) => this.#present(slug, key))
    return pageOf(shown, query, (key) => `${key.created_at} ${key.id}`)
  }

  /** The key is refused from the next request on. Throws Failure `not_found`. */
  async revoke(slug: string, id: string): Promise<void> {
    const hash = await this.#change(slug, (keys) => {
      const index = keys.findIndex((key) => key.id === id)
      const [key] = index === -1 ? [] : keys.splice(index, 1)
      if (key === undefined) throw new Failure('not_found', `The project ${slug} has no key ${id}.`)
      return key.key_hash
    })
    this.#projects.delete(hash)
  }

  /** The valid key that a token is, or null. Notes its use. */
  async find(token: string): Promise<FoundKey | null> {
    const hash = hashToken(token)
    const slug = this.#projects.get(hash)
    if (slug === undefined) return null
    const project = await this.#options.store.read<ProjectDocument>(projectDocument(slug))
    const key = project?.keys.find((candidate) => candidate.key_hash === hash)
    if (key === undefined) {
      // The project has been removed with its keys.
      this.#projects.delete(hash)
      return null
    }
    const now = this.#options.now()
    if (key.expiresAt !== undefined && Date.parse(key.expiresAt) <= now.getTime()) return null
    this.#options.lastUse.note(slug, key.id, now)
    return { project: slug, key: { id: key.id, name: key.name, scopes: key.scopes } }
  }

  #change<R>(slug: string, change: (keys: StoredKey[]) => R): Promise<R> {
    return this.#options.store.mutate<ProjectDocument, R>(projectDocument(slug), (draft) => {
      if (draft === undefined) throw noProject(slug)
      return { result: change(draft.keys), document: draft }
    })
  }

  #present(slug: string, key: Readonly<StoredKey>): Key {
    const { key_hash: _hash, last_used_at: stored, ...shown } = key
    const lastUsed = this.#options.lastUse.pending(slug, key.id) ?? stored
    return { ...shown, scopes: [...key.scopes], ...(lastUsed === undefined ? {} : { last_used_at: lastUsed }) }
  }
}

function assertFuture(expiresAt: string, now: Date): void {
  if (Date.parse(expiresAt) > now.getTime()) return
  throw new Failure('invalid_request', 'A key cannot expire in the past.', {
    hint: 'Leave `expiresAt` out for a key that does not expire.',
    errors: [{ pointer: '/expiresAt', message: 'is not in the future' }],
  })
}
