import { createStore, del, get, keys, set } from 'idb-keyval'

/** A text that is not saved, with what it began from. Line ends are line feeds. */
export interface Draft {
  /** Of the file that it began from; null: there was none. */
  readonly oid: string | null
  readonly base: string
  readonly text: string
}

const store = createStore('quire-drafts', 'drafts')
const listeners = new Set<() => void>()

/** The drafts of one person on one branch, in this browser. */
export class Drafts {
  readonly #prefix: string

  /** Ids. */
  constructor(account: string, branch: string) {
    this.#prefix = `${account} ${branch} `
  }

  read(path: string): Promise<Draft | undefined> {
    return get<Draft>(this.#prefix + path, store)
  }

  async keep(path: string, draft: Draft): Promise<void> {
    await set(this.#prefix + path, draft, store)
    for (const listener of listeners) listener()
  }

  async forget(path: string): Promise<void> {
    await del(this.#prefix + path, store)
    for (const listener of listeners) listener()
  }

  /** Paths that have one. */
  async paths(): Promise<ReadonlySet<string>> {
    const all = await keys<string>(store)
    return new Set(all.filter((key) => key.startsWith(this.#prefix)).map((key) => key.slice(this.#prefix.length)))
  }

  /** @returns ends it */
  onChange(listener: () => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}
