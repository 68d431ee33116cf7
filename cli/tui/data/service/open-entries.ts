import { randomUUID } from 'node:crypto'
import type { Entry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { firstItems } from '#cli/service/project.ts'
import type { Draft } from '../drafts/draft.ts'
import type { Drafts, DraftTarget } from './drafts.ts'
import type { Entries, UnsavedEntry } from '../entries.ts'
import { emptyDocument, entryDocument, entryText } from '../entry-text.ts'
import { keyOfEntry, listKey, newPrefix, RemoteEntries } from './remote-entries.ts'
import { loadedList, type ServiceAccess } from './service-access.ts'
import type { Loaded, UnsavedFile } from '../workspace.ts'

/** In the place of a branch’s id, which has no colon. */
const idPrefix = 'changelog:'

/** Whether a draft is of an entry, not of a file. */
export function isEntry({ branchId }: { readonly branchId: string }): boolean {
  return branchId.startsWith(idPrefix)
}

/** As people know it: by its title, and of no branch. */
export async function unsavedEntry({ store }: Pick<ServiceAccess, 'store'>, file: UnsavedFile): Promise<UnsavedFile> {
  const [draft] = await store.drafts.of(file)
  const title = draft === undefined ? '' : titleIn(await store.drafts.text(draft))
  return { ...file, path: title === '' ? 'Entry without a title' : title, branch: 'the changelog', entry: true }
}

/** Where drafts of entries belong. */
export function entriesPlace(
  access: ServiceAccess,
  drafts: Drafts,
  slug: string,
): DraftTarget & { remote: RemoteEntries } {
  const place = {
    slug,
    branch: 'changelog',
    branchId: idPrefix + slug,
    remote: new RemoteEntries(access, slug, (key, id) => {
      drafts.move(place, key, keyOfEntry(id)).catch((error: unknown) => access.log(`The entry ${id}: ${String(error)}`))
    }),
  }
  return place
}

/** The changelog of a project of the service. */
export class OpenEntries implements Entries {
  readonly #access: ServiceAccess
  readonly #drafts: Drafts
  readonly #slug: string
  readonly #place: ReturnType<typeof entriesPlace>

  constructor(access: ServiceAccess, drafts: Drafts, slug: string) {
    this.#access = access
    this.#drafts = drafts
    this.#slug = slug
    this.#place = entriesPlace(access, drafts, slug)
  }

  list(): Promise<Loaded<readonly Entry[]>> {
    const slug = this.#slug
    const about = { name: `The changelog of ${slug}`, key: listKey(slug) }
    return loadedList(this.#access, about, () =>
      firstItems((query) => this.#access.client.call(contract.changelog.list, { params: { slug }, query })),
    )
  }

  edit(key: string): Promise<Draft> {
    return this.#drafts.open(this.#place, key)
  }

  create(): Promise<Draft> {
    return this.#drafts.create(this.#place, keyOfEntry(newPrefix + randomUUID()), entryText(emptyDocument))
  }

  async unsaved(): Promise<readonly UnsavedEntry[]> {
    await this.#drafts.idle()
    const { drafts } = this.#access.store
    const { branchId } = this.#place
    const found = new Map<string, UnsavedEntry>()
    for (const one of await drafts.all()) {
      const { path: key, waiting, changedAt } = one.header
      if (one.header.branchId !== branchId || found.has(key)) continue
      const title = titleIn(await drafts.text(one))
      const about = { changedAt: new Date(changedAt), waiting, elsewhere: one.elsewhere }
      found.set(key, { key, id: this.#place.remote.idOf(key), title, ...about })
    }
    return [...found.values()]
  }

  keyOf(id: string): string {
    return keyOfEntry(id)
  }

  idOf({ path }: Pick<Draft, 'path'>): string | undefined {
    return this.#place.remote.idOf(path)
  }
}

/** Of a text that may have been changed by hand. */
function titleIn(text: string | undefined): string {
  try {
    return entryDocument(text ?? '').title
  } catch {
    return ''
  }
}
