import { createHash } from 'node:crypto'
import { readObject, writeCommit } from 'isomorphic-git'
import { Volume, createFsFromVolume } from 'memfs'
import { Failure } from '../../contract/failure.ts'
import { inSlices, isTurnOver, nextTurn, sorted } from '../../lib/slices.ts'
import type { Author, Oid, Tree, TreeFile } from '../repository.ts'
import { compress, looseName } from './object-writer.ts'
import { encodeTree, type ObjectSource, type ObjectType, type TreeEntry, directoryMode } from './objects.ts'
import { keepLinks, noLinks } from './links.ts'
import type { TreeReader } from './object-store.ts'

const gitdir = '/staging'

/** Who commits: the service. The author is the person or key that asked for it. */
export const committer: Author = { name: 'Quire', email: 'quire@localhost' }

const maxAuthorLength = 256

/**
 * New objects of one change, in memory, until all are written at once. Commits are encoded by isomorphic-git into a
 * scratch object store on a memfs volume: it neither locks nor fsyncs, so it never works on a repository itself. Blobs
 * and trees are many; Node’s own hash is a hundred times faster for them.
 */
export class Staging implements ObjectSource {
  readonly #fs = createFsFromVolume(Volume.fromJSON({}, gitdir))
  readonly #plain = new Map<Oid, { type: 'blob' | 'tree'; body: Uint8Array }>()
  readonly #commits = new Set<Oid>()

  get oids(): Oid[] {
    return [...this.#plain.keys(), ...this.#commits]
  }

  addBlob(oid: Oid, content: Uint8Array): void {
    this.#plain.set(oid, { type: 'blob', body: content })
  }

  /** @param entries in Git’s order */
  addTree(entries: readonly TreeEntry[]): Oid {
    const body = encodeTree(entries)
    const oid = createHash('sha1').update(`tree ${body.length}\0`).update(body).digest('hex')
    this.#plain.set(oid, { type: 'tree', body })
    return oid
  }

  /** @param author checked already. @param at becomes both dates, in whole seconds, UTC. */
  async addCommit(commit: {
    tree: Oid
    parents: readonly Oid[]
    author: Author
    message: string
    at: Date
  }): Promise<Oid> {
    const when = { timestamp: Math.floor(commit.at.getTime() / 1000), timezoneOffset: 0 }
    const oid = await writeCommit({
      fs: this.#fs,
      gitdir,
      commit: {
        tree: commit.tree,
        parent: [...commit.parents],
        author: { name: commit.author.name, email: commit.author.email, ...when },
        committer: { ...committer, ...when },
        message: commit.message,
      },
    })
    this.#commits.add(oid)
    return oid
  }

  async object(oid: Oid): Promise<{ type: ObjectType; body: Uint8Array }> {
    const plain = this.#plain.get(oid)
    if (plain) return plain
    const read = await readObject({ fs: this.#fs, gitdir, oid, format: 'content' })
    if (read.format !== 'content') throw new Error(`isomorphic-git read ${oid} as ${read.format}`)
    return { type: read.type, body: read.object }
  }

  async looseFile(oid: Oid): Promise<Uint8Array> {
    const plain = this.#plain.get(oid)
    if (!plain) return this.#fs.promises.readFile(`${gitdir}/objects/${looseName(oid)}`)
    const { type, body } = plain
    return compress(Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]))
  }
}

/**
 * Checks an author before it becomes a line of a commit object, where a line feed or `<` would forge other headers.
 *
 * @throws Failure `invalid_author`
 */
export function checkAuthor(author: Author): Author {
  checkAuthorPart('name', author.name)
  checkAuthorPart('email', author.email)
  if (/\s/.test(author.email)) throw refusedAuthor('email', 'contains white space')
  return author
}

function checkAuthorPart(part: 'name' | 'email', text: string): void {
  if (text.trim() === '') throw refusedAuthor(part, 'is empty')
  if (text.length > maxAuthorLength) throw refusedAuthor(part, `is longer than ${maxAuthorLength} characters`)
  if (/\p{Cc}|[\u2028\u2029]/u.test(text)) throw refusedAuthor(part, 'contains a line break or control character')
  if (/[<>]/.test(text)) throw refusedAuthor(part, 'contains < or >')
  if (/\p{Surrogate}/u.test(text)) throw refusedAuthor(part, 'is not valid Unicode')
}

function refusedAuthor(part: string, why: string): Failure {
  return new Failure('invalid_author', `The author’s ${part} ${why}.`, {
    hint: 'Give a name and an email address on one line, without angle brackets.',
  })
}

export function checkMessage(message: string): void {
  if (message.includes('\0'))
    throw new Failure('invalid_request', 'The message contains a NUL character.', { hint: 'Remove it.' })
}

interface Base {
  readonly oid: Oid
  readonly files: Tree
  /** By path. */
  readonly links: ReadonlyMap<string, string>
}

/** Changes below one directory: files by name (null: gone), and directories that have changes below. */
interface Changes {
  readonly files: Map<string, TreeFile | null>
  readonly directories: Map<string, Changes>
}

/**
 * Stages the tree of exactly `files`. Its cost follows the difference to `base`: only directories in which something
 * differs are encoded. Links of `base` that show what `files` has at their paths stay.
 *
 * @param files blob ids by checked path.
 */
export async function buildTree(
  files: ReadonlyMap<string, Oid>,
  base: Oid | null,
  trees: TreeReader,
  staging: Staging,
): Promise<Oid> {
  // What the reader leaves out (odd names) would survive in an edited tree: such a base is not edited but replaced.
  const edited: Base | null =
    base !== null && (await trees.isPlain(base))
      ? { oid: base, files: await trees.files(base), links: await trees.links(base) }
      : null
  const changes = await difference(files, edited)
  if (edited && changes.files.size === 0 && changes.directories.size === 0) return edited.oid
  return (await apply(changes, edited?.oid ?? null, trees, staging)) ?? stage([], trees, staging)
}

/**
 * Stages a tree that differs from `base` in the given files only: what else is there stays, links included.
 *
 * @param edits files by checked path, null for those to be deleted. A file takes the place of a directory of its name.
 */
export async function editTree(
  base: Oid,
  edits: ReadonlyMap<string, TreeFile | null>,
  trees: TreeReader,
  staging: Staging,
): Promise<Oid> {
  const nested = new NestedChanges()
  for (const [path, file] of edits) {
    if (isTurnOver()) await nextTurn()
    nested.set(path, file)
  }
  return (await apply(nested.root, base, trees, staging)) ?? stage([], trees, staging)
}

async function difference(files: ReadonlyMap<string, Oid>, base: Base | null): Promise<Changes> {
  const nested = new NestedChanges()
  const { files: before, links } = base ?? { files: new Map<string, TreeFile>(), links: noLinks.followed }
  const kept = await inSlices(keepLinks(files, links))
  for (const link of links.keys()) if (!kept.links.has(link)) nested.set(link, null)
  for (const [path, oid] of kept.files) {
    if (isTurnOver()) await nextTurn()
    const old = before.get(path)
    if (old?.oid !== oid || old.mode !== '100644') nested.set(path, { oid, mode: '100644' })
  }
  for (const path of before.keys()) {
    if (isTurnOver()) await nextTurn()
    if (!files.has(path)) nested.set(path, null)
  }
  return nested.root
}

class NestedChanges {
  readonly root: Changes = { files: new Map(), directories: new Map() }
  readonly #byPath = new Map<string, Changes>([['', this.root]])

  set(path: string, file: TreeFile | null): void {
    this.#directoryOf(path).files.set(nameOf(path), file)
  }

  #directoryOf(path: string): Changes {
    const directory = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
    const known = this.#byPath.get(directory)
    if (known) return known
    const made: Changes = { files: new Map(), directories: new Map() }
    this.#directoryOf(directory).directories.set(nameOf(directory), made)
    this.#byPath.set(directory, made)
    return made
  }
}

/** Returns null for a directory in which nothing is left: Git has no empty ones. */
async function apply(changes: Changes, base: Oid | null, trees: TreeReader, staging: Staging): Promise<Oid | null> {
  const before = base === null ? [] : await trees.entries(base)
  const entries = new Map(before.map((entry) => [entry.name, entry]))
  // In this order a file may take the place of a directory of its name, and the other way round.
  for (const [name, file] of changes.files) if (file === null) entries.delete(name)
  for (const [name, below] of changes.directories) {
    const old = entries.get(name)
    const oid = await apply(below, old?.mode === directoryMode ? old.oid : null, trees, staging)
    if (oid === null) entries.delete(name)
    else entries.set(name, { name, mode: directoryMode, oid })
  }
  for (const [name, file] of changes.files) if (file !== null) entries.set(name, { name, ...file })
  return entries.size === 0 ? null : stage([...entries.values()], trees, staging)
}

async function stage(entries: readonly TreeEntry[], trees: TreeReader, staging: Staging): Promise<Oid> {
  const keyed = entries.map((entry) => ({
    entry,
    key: Buffer.from(entry.mode === directoryMode ? entry.name + '/' : entry.name),
  }))
  // Git sorts by bytes, a directory as if its name ended in a slash.
  const ordered = await inSlices(sorted(keyed, (a, b) => Buffer.compare(a.key, b.key)))
  const all = ordered.map(({ entry }) => entry)
  const oid = staging.addTree(all)
  trees.remember(oid, all)
  return oid
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
