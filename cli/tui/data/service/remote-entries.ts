import type { Entry } from '#contract/changelog.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { OpenedFile } from '../branch-files.ts'
import type { Kept, KeptFile } from '../disk/cache.ts'
import type { Theirs } from '../drafts/draft.ts'
import { documentOf, entryDocument, entryText, type EntryDocument } from '../entry-text.ts'
import type { RemoteFile } from '../drafts/remote-file.ts'
import { loaded, patiently, type ServiceAccess } from './service-access.ts'
import { encode, oidOf } from '../disk/slices.ts'
import type { Loaded } from '../workspace.ts'

const ending = '.md'
/** Begins keys of entries that the service did not have when they were begun. */
export const newPrefix = 'new-'
/** Newest drafts among which an entry is looked for whose creation was not answered. */
const looked = 20

/** Entries of a changelog as texts, each by its key; ids of the texts are made as Git makes those of files. */
export class RemoteEntries implements RemoteFile {
  readonly #access: ServiceAccess
  readonly #slug: string
  readonly #created: (key: string, id: string) => void
  readonly #ids = new Map<string, string>()

  /** @param created told when the service has an entry that it had not: its key is another one now */
  constructor(access: ServiceAccess, slug: string, created: (key: string, id: string) => void) {
    this.#access = access
    this.#slug = slug
    this.#created = created
  }

  get isOffline(): boolean {
    return this.#access.connection.state === 'offline'
  }

  /** Undefined: the service does not have it yet. */
  idOf(key: string): string | undefined {
    return this.#ids.get(key) ?? (key.startsWith(newPrefix) ? undefined : key.slice(0, -ending.length))
  }

  async read(key: string): Promise<Loaded<OpenedFile>> {
    const id = this.idOf(key)
    if (id === undefined) throw gone()
    const { cache } = this.#access.store
    const { value, ...rest } = await loaded<KeptFile>(this.#access, 'The entry', {
      load: async () => keptEntry(await this.#entry(id)),
      keep: (file) => cache.keepFile(this.#cacheKey(key), file),
      kept: async () => (await cache.file(this.#cacheKey(key))) ?? this.#listed(id),
    })
    return { ...rest, value: { path: key, ...value } }
  }

  keep(key: string, file: KeptFile): void {
    this.#access.store.cache.keepFile(this.#cacheKey(key), file)
  }

  async theirs(key: string): Promise<Theirs> {
    const id = this.idOf(key)
    const entry = id === undefined ? undefined : await this.#found(id)
    if (entry === undefined) return { oid: null, text: null }
    const { oid, text = null } = await keptEntry(entry)
    return { oid, text }
  }

  async save(key: string, bytes: Buffer, { expected }: { readonly expected: string | null }): Promise<string> {
    const document = entryDocument(bytes.toString('utf8'))
    requireWritten(document)
    const id = this.idOf(key)
    if (expected === null || id === undefined) return this.#create(key, document)
    const now = await this.#found(id)
    if (now === undefined || (await oidOfEntry(now)) !== expected) throw stale(now)
    const { title, version, tags, content } = document
    const words = { title, content, tags: [...tags], version: version === '' ? null : version }
    // Between the look and the change somebody else may save.
    const body = { id, ...words, if_updated_at: now.updated_at }
    const { client } = this.#access
    const params = { slug: this.#slug }
    try {
      return await oidOfEntry(
        await patiently(this.#access, () => client.call(contract.changelog.update, { params, body })),
      )
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'stale_entry') throw error
      // Of an earlier try the answer may have been lost: what has changed is this very text then.
      const newest = await this.#found(id)
      if (newest === undefined || entryText(documentOf(newest)) !== entryText(document)) throw stale(newest)
      return oidOfEntry(newest)
    }
  }

  async #create(key: string, document: EntryDocument): Promise<string> {
    const { client } = this.#access
    const params = { slug: this.#slug }
    const query = { status: 'draft' as const, limit: looked }
    const text = entryText(document)
    const drafts = await patiently(this.#access, () => client.call(contract.changelog.list, { params, query }))
    // Of an earlier try the answer may have been lost: one text is not to become two entries.
    let entry: Entry | undefined = drafts.items.find((one) => entryText(documentOf(one)) === text)
    if (entry === undefined) {
      const { title, version, tags, content } = document
      const body = { title, content, tags: [...tags], is_draft: true, ...(version === '' ? {} : { version }) }
      entry = await client.call(contract.changelog.create, { params, body })
    }
    this.#ids.set(key, entry.id)
    this.#created(key, entry.id)
    return oidOfEntry(entry)
  }

  /** The list has the texts, too. */
  async #listed(id: string): Promise<Kept<KeptFile> | undefined> {
    const list = await this.#access.store.cache.list<Entry>(listKey(this.#slug))
    const entry = list?.value.find((one) => one.id === id)
    return list === undefined || entry === undefined ? undefined : { asOf: list.asOf, value: await keptEntry(entry) }
  }

  /** Undefined: it was deleted. */
  async #found(id: string): Promise<Entry | undefined> {
    try {
      return await patiently(this.#access, () => this.#entry(id))
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') return undefined
      throw error
    }
  }

  #entry(id: string): Promise<Entry> {
    return this.#access.client.call(contract.changelog.read, { params: { slug: this.#slug, id } })
  }

  #cacheKey(key: string): string {
    return `entry\n${this.#slug}\n${key}`
  }
}

/** Under which the list of a changelog is kept. */
export function listKey(slug: string): string {
  return `changelog\n${slug}`
}

export function keyOfEntry(id: string): string {
  return id + ending
}

async function keptEntry(entry: Entry): Promise<KeptFile> {
  const text = entryText(documentOf(entry))
  const bytes = await encode(text)
  return { oid: await oidOf(bytes), size: bytes.length, text }
}

async function oidOfEntry(entry: Entry): Promise<string> {
  return (await keptEntry(entry)).oid
}

/** What the service would refuse is told in the words of the view. @throws Failure invalid_content */
function requireWritten({ title, content }: EntryDocument): void {
  if (title.trim() === '')
    throw new Failure('invalid_content', 'The entry has no title.', { hint: 'Write one at the top.' })
  if (content.trim() === '')
    throw new Failure('invalid_content', 'The entry has no text.', { hint: 'Write what is new under its title.' })
}

/** @param now undefined: it was deleted */
function stale(now: Entry | undefined): Failure {
  return new Failure('stale_file', `The entry was ${now === undefined ? 'deleted' : 'changed'} by somebody else.`, {
    hint: 'Look at both texts, and save what is to stay.',
  })
}

function gone(): Failure {
  return new Failure('not_found', 'The service does not have this entry yet.', { hint: 'Save it first.' })
}
