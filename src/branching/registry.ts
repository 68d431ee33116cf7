import type { Store } from '../storage/store.ts'
import { previewLabel } from './label.ts'
import type { PreviewOutbox } from './ports.ts'
import {
  newBranchId,
  summarise,
  type BranchingDocument,
  type PreviewBuild,
  type ServedPreview,
  type StoredBranch,
} from './state.ts'

/** A branch in memory. While its ref is there, everybody who asks for the branch gets the same object. */
export interface Entry {
  readonly slug: string
  readonly id: string
  readonly name: string
  label: string
  readonly createdAt: string
  served: ServedPreview | undefined
  build: PreviewBuild | undefined
  /** The branch is gone: whoever still works for it may stop. */
  gone: boolean
}

export interface RegistryOptions {
  readonly store: Store
  readonly documentOf: (slug: string) => string
  readonly documentPrefix: string
  readonly outbox: PreviewOutbox
  readonly slugOf: (project: string) => string
  readonly urlOf: (label: string) => string
  readonly now: () => Date
}

/**
 * What is on record of branches, all in memory because every request for a preview asks, and in the projects' documents.
 * Which branches there are say the refs; this follows them.
 */
export class Registry {
  readonly #options: RegistryOptions
  readonly #projects = new Map<string, Map<string, Entry>>()
  readonly #labels = new Map<string, Entry>()
  readonly #adding = new Map<string, Promise<Entry>>()

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** At start: everything that is on record. */
  async load(): Promise<void> {
    const { store, documentPrefix } = this.#options
    for (const document of await store.list(documentPrefix)) {
      const branching = (await store.read<BranchingDocument>(document))?.branching
      const slug = document.slice(documentPrefix.length)
      for (const stored of branching?.branches ?? []) this.#put(slug, stored)
    }
  }

  /** Projects that have branches. */
  slugs(): readonly string[] {
    return [...this.#projects].filter(([, entries]) => entries.size > 0).map(([slug]) => slug)
  }

  entries(slug: string): readonly Entry[] {
    return [...(this.#projects.get(slug)?.values() ?? [])]
  }

  byName(slug: string, name: string): Entry | undefined {
    return this.#projects.get(slug)?.get(name)
  }

  byId(slug: string, id: string): Entry | undefined {
    return this.entries(slug).find((entry) => entry.id === id)
  }

  byLabel(label: string): Entry | undefined {
    return this.#labels.get(label)
  }

  /** The entry of a branch whose ref is there; made and durable when there was none. */
  ensure(slug: string, name: string, served?: ServedPreview): Promise<Entry> {
    const known = this.byName(slug, name)
    if (known !== undefined) return Promise.resolve(known)
    const key = `${slug} ${name}`
    let adding = this.#adding.get(key)
    if (adding === undefined) {
      adding = this.#add(slug, name, served).finally(() => this.#adding.delete(key))
      this.#adding.set(key, adding)
    }
    return adding
  }

  /** Gone from memory at once; from the document when the promise settles. */
  async remove(entry: Entry): Promise<void> {
    entry.gone = true
    if (this.byName(entry.slug, entry.name) === entry) this.#projects.get(entry.slug)?.delete(entry.name)
    if (this.#labels.get(entry.label) === entry) this.#labels.delete(entry.label)
    await this.#change(entry.slug, (branches) => branches.filter(({ id }) => id !== entry.id))
  }

  /** Writes down what the preview of a branch shows and how its last build ended, with its event. */
  async savePreview(entry: Entry): Promise<void> {
    const { outbox, urlOf } = this.#options
    const { slug, id, name, label } = entry
    const stored = summarise(storedOf(entry))
    await this.#change(slug, (branches, document) => {
      if (stored.build !== undefined && branches.some((branch) => branch.id === id))
        outbox.record(document, { slug, branch: name, url: urlOf(label), build: stored.build })
      return branches.map((branch) => (branch.id === id ? stored : branch))
    })
    outbox.wake(slug)
  }

  /** The project has another slug, and its previews other hosts. */
  renamed(slug: string): void {
    for (const entry of this.entries(slug)) {
      if (this.#labels.get(entry.label) === entry) this.#labels.delete(entry.label)
      entry.label = this.#labelOf(slug, entry.name)
      this.#labels.set(entry.label, entry)
    }
  }

  /** Forgets a project; its document goes by other hands. */
  leave(slug: string): readonly Entry[] {
    const entries = this.entries(slug)
    for (const entry of entries) {
      entry.gone = true
      this.#labels.delete(entry.label)
    }
    this.#projects.delete(slug)
    return entries
  }

  async #add(slug: string, name: string, served: ServedPreview | undefined): Promise<Entry> {
    const stored: StoredBranch = {
      id: newBranchId(),
      name,
      createdAt: this.#options.now().toISOString(),
      ...(served === undefined ? {} : { served }),
    }
    await this.#change(slug, (branches) => [...branches.filter((branch) => branch.name !== name), stored])
    return this.#put(slug, stored)
  }

  #put(slug: string, { id, name, createdAt, served, build }: StoredBranch): Entry {
    const entry: Entry = { slug, id, name, label: this.#labelOf(slug, name), createdAt, served, build, gone: false }
    const entries = this.#projects.get(slug) ?? new Map<string, Entry>()
    entries.set(name, entry)
    this.#projects.set(slug, entries)
    this.#labels.set(entry.label, entry)
    return entry
  }

  #labelOf(slug: string, name: string): string {
    return previewLabel(this.#options.slugOf(slug), name)
  }

  /** Without a document there is no project any more, and nothing to write. */
  #change(
    slug: string,
    change: (branches: readonly StoredBranch[], document: BranchingDocument) => StoredBranch[],
  ): Promise<void> {
    const { store, documentOf } = this.#options
    return store.mutate<BranchingDocument, void>(documentOf(slug), (draft) => {
      if (draft !== undefined) draft.branching = { branches: change(draft.branching?.branches ?? [], draft) }
      return { document: draft, result: undefined }
    })
  }
}

function storedOf({ id, name, createdAt, served, build }: Entry): StoredBranch {
  return {
    id,
    name,
    createdAt,
    ...(served === undefined ? {} : { served }),
    ...(build === undefined ? {} : { build }),
  }
}
