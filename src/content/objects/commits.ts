import type { LRUCache } from 'lru-cache'
import { Failure } from '../../contract/failure.ts'
import { ObjectNotFound, type Author, type Commit, type Oid } from '../repository.ts'
import { parseCommit, type ObjectDatabase } from './objects.ts'

/** Who commits; the author is the person or key that asked for it. */
export const committer: Author = { name: 'Quire', email: 'quire@localhost' }

const maxLength = 256

/**
 * Checks an author before it becomes a line of a commit object, where a line feed or `<` would forge other headers.
 *
 * @throws Failure `invalid_author`
 */
export function checkAuthor(author: Author): Author {
  checkPart('name', author.name)
  checkPart('email', author.email)
  if (/\s/.test(author.email)) throw refused('email', 'contains white space')
  return author
}

function checkPart(part: 'name' | 'email', text: string): void {
  if (text.trim() === '') throw refused(part, 'is empty')
  if (text.length > maxLength) throw refused(part, `is longer than ${maxLength} characters`)
  if (/\p{Cc}|[\u2028\u2029]/u.test(text)) throw refused(part, 'contains a line break or control character')
  if (/[<>]/.test(text)) throw refused(part, 'contains < or >')
  if (/\p{Surrogate}/u.test(text)) throw refused(part, 'is not valid Unicode')
}

function refused(part: string, why: string): Failure {
  return new Failure('invalid_author', `The author’s ${part} ${why}.`, {
    hint: 'Give a name and an email address on one line, without angle brackets.',
  })
}

export function checkMessage(message: string): void {
  if (message.includes('\0'))
    throw new Failure('invalid_request', 'The message contains a NUL character.', { hint: 'Remove it.' })
}

/** Shared by all repositories. */
export type CommitCache = LRUCache<string, Commit>

/** Reads commits, each once for as long as the cache keeps it. */
export class CommitReader {
  readonly #objects: ObjectDatabase
  readonly #cache: CommitCache
  readonly #scope: string

  /** @param scope unique for the repository; part of every cache key. */
  constructor(objects: ObjectDatabase, cache: CommitCache, scope: string) {
    this.#objects = objects
    this.#cache = cache
    this.#scope = scope
  }

  /** @throws ObjectNotFound */
  async read(oid: Oid): Promise<Commit> {
    const commit = await this.find(oid)
    if (!commit) throw new ObjectNotFound(`commit ${oid}`)
    return commit
  }

  /** Null when there is no such object, or it is not a commit. */
  async find(oid: Oid): Promise<Commit | null> {
    const key = `${this.#scope} ${oid}`
    const known = this.#cache.get(key)
    if (known) return known
    const object = await this.#objects.read(oid)
    if (object?.type !== 'commit') return null
    const commit = parseCommit(oid, object.body)
    this.#cache.set(key, commit)
    return commit
  }

  /** The tree of a commit; a tree is its own. */
  async treeOf(treeish: Oid): Promise<Oid> {
    return (await this.find(treeish))?.tree ?? treeish
  }
}
