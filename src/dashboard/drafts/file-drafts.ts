import { createStore, get, keys, type UseStore } from 'idb-keyval'
import { storedKeys, storedText } from '../local-storage.ts'
import { isKnown, type FileDraft, type DraftNews } from './file-draft.ts'
import { dropUnloadRecord, leaveUnloadRecord, parseUnloadRecord } from './unload-record.ts'

interface Told {
  readonly key: string
  readonly news: DraftNews
  /** Whose draft it is or was. */
  readonly writer?: string | undefined
}

const database = createStore('quire-drafts', 'drafts')
/** Milliseconds after which a database that does not open is none. */
const longestOpening = 3_000

/** It was asked, and has not opened yet. */
let isSilent = false

/** As `database`; rejects where a browser that keeps nothing neither opens it nor says so. */
const store: UseStore = (mode, work) =>
  new Promise((resolve, reject) => {
    const give = (): void => {
      isSilent = true
      reject(new Error('The browser does not open its database.'))
    }
    const timer = setTimeout(give, isSilent ? 0 : longestOpening)
    const opened = database(mode, (objects) => {
      isSilent = false
      clearTimeout(timer)
      return work(objects)
    })
    opened.then(resolve, (error: unknown) => {
      clearTimeout(timer)
      reject(error)
    })
  })

/** Of what a page left as it went, before its key in the database. */
const unloadPrefix = 'quire-draft '

interface UnloadRecord {
  readonly draft: FileDraft
  /** As `seen` of `keep`. */
  readonly seen?: FileDraft
}

const channel = new BroadcastChannel('quire-drafts')
const listeners = new Set<(told: Told) => void>()

channel.addEventListener('message', ({ data }: MessageEvent<Told>) => tellHere(data))

function tellHere(told: Told): void {
  for (const listener of listeners) listener(told)
}

function tellTabs(told: Told): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none but its own
  channel.postMessage(told)
}

/** All tabs, and what else is open in this one. */
function tell(told: Told): void {
  tellTabs(told)
  tellHere(told)
}

/** The drafts of one person on one branch, in this browser: all its tabs have the same. */
export class FileDrafts {
  readonly #prefix: string

  /** Ids. */
  constructor(account: string, branch: string) {
    this.#prefix = `${account} ${branch} `
  }

  async read(path: string): Promise<FileDraft | undefined> {
    const key = this.#prefix + path
    await takeUnloadRecord(key)
    return get<FileDraft>(key, store)
  }

  /**
   * Keeps it, unless another tab kept one that this tab has not seen.
   * @param seen the draft as it was read or kept here last. @returns the one that stands in the way
   */
  async keep(path: string, draft: FileDraft, seen: FileDraft | undefined): Promise<FileDraft | undefined> {
    const key = this.#prefix + path
    await takeUnloadRecord(key)
    const other = await change(key, (objects, found) => {
      if (!isKnown(found, seen, draft.writer)) return found
      objects.put(draft, key)
      return undefined
    })
    if (other === undefined) tell({ key, news: 'changed', writer: draft.writer })
    return other
  }

  /**
   * Keeps it for a page that may be gone before the next step.
   * @returns what it took the place of and this tab has not seen: whoever is still there joins it
   */
  async keepAtOnce(path: string, draft: FileDraft, seen: FileDraft | undefined): Promise<FileDraft | undefined> {
    const key = this.#prefix + path
    const record: UnloadRecord = { draft, ...(seen === undefined ? {} : { seen }) }
    const text = leaveUnloadRecord(unloadPrefix + key, record)
    let found: FileDraft | undefined
    await store('readwrite', (objects) => {
      const request: IDBRequest<FileDraft | undefined> = objects.get(key)
      request.addEventListener('success', () => (found = request.result))
      objects.put(draft, key)
      const done = doneOf(objects.transaction)
      // Whoever does not say so has what was asked taken back when the page goes.
      objects.transaction.commit()
      return done
    })
    dropUnloadRecord(unloadPrefix + key, text)
    tell({ key, news: 'changed', writer: draft.writer })
    return isKnown(found, seen, draft.writer) ? undefined : found
  }

  /** Unless another tab kept one that this tab has not seen. @param writer whose drafts count as seen */
  async forget(path: string, seen: FileDraft | undefined, writer: string | undefined): Promise<void> {
    const key = this.#prefix + path
    const text = storedText(unloadPrefix + key)
    // Also where the database is not reached.
    if (text !== undefined && isKnown(parsed(text)?.draft, seen, writer)) dropUnloadRecord(unloadPrefix + key, text)
    else await takeUnloadRecord(key)
    const isGone = await change(key, (objects, found) => {
      if (found === undefined || !isKnown(found, seen, writer)) return false
      objects.delete(key)
      return true
    })
    if (isGone) tell({ key, news: 'changed', writer })
  }

  /** @returns what was kept, which nobody has any more; undefined: nothing */
  async take(path: string): Promise<FileDraft | undefined> {
    const key = this.#prefix + path
    await takeUnloadRecord(key)
    const draft = await change(key, (objects, found) => {
      objects.delete(key)
      return found
    })
    if (draft !== undefined) tell({ key, news: 'changed' })
    return draft
  }

  /** To another path, in one step: nothing is kept between. What is written there stays, and this one then, too. */
  async move(from: string, to: string): Promise<void> {
    const [key, next] = [this.#prefix + from, this.#prefix + to]
    await Promise.all([key, next].map(takeUnloadRecord))
    await change(next, (objects, there) => {
      if (there !== undefined) return
      const request: IDBRequest<FileDraft | undefined> = objects.get(key)
      request.addEventListener('success', () => {
        if (request.result === undefined) return
        // Who has the other path open is another writer.
        const { writer: _writer, turn: _turn, ...draft } = request.result
        objects.put(draft, next)
        objects.delete(key)
      })
    })
    for (const one of [key, next]) tell({ key: one, news: 'changed' })
  }

  /** Paths that have one. */
  async paths(): Promise<ReadonlySet<string>> {
    const left = storedKeys(unloadPrefix + this.#prefix).map((key) => key.slice(unloadPrefix.length))
    await Promise.all(left.map(takeUnloadRecord))
    const all = await keys<string>(store)
    return new Set(all.filter((key) => key.startsWith(this.#prefix)).map((key) => key.slice(this.#prefix.length)))
  }

  /** Tells the other tabs that have this file open. */
  tell(path: string, news: 'opened' | 'here'): void {
    tellTabs({ key: this.#prefix + path, news })
  }

  /** Any draft is another one, whoever made it so. @returns ends it */
  onChange(listener: () => void): () => void {
    return this.#listen(({ news }) => (news === 'changed' ? listener() : undefined))
  }

  /** What others tell of one file. @returns ends it */
  onNews(path: string, own: string, listener: (news: DraftNews) => void): () => void {
    return this.#listen(({ key, news, writer }) =>
      key === this.#prefix + path && writer !== own ? listener(news) : undefined,
    )
  }

  #listen(listener: (told: Told) => void): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
}

/** What a page that is gone kept at last comes into the database, unless somebody has kept what it had not seen. */
async function takeUnloadRecord(key: string): Promise<void> {
  const text = storedText(unloadPrefix + key)
  if (text === undefined) return
  const record = parsed(text)
  if (record !== undefined) {
    const { draft, seen } = record
    await change(key, (objects, found) => {
      const isNewer = found?.writer !== draft.writer || (found?.turn ?? 0) < (draft.turn ?? 0)
      if (isNewer && isKnown(found, seen, draft.writer)) objects.put(draft, key)
    })
  }
  dropUnloadRecord(unloadPrefix + key, text)
}

const parsed = (text: string): UnloadRecord | undefined => parseUnloadRecord<UnloadRecord>(text, ['draft'])

/** Reads and writes in one transaction: no other tab comes between. */
function change<T>(key: string, work: (objects: IDBObjectStore, found: FileDraft | undefined) => T): Promise<T> {
  return store('readwrite', async (objects) => {
    let made: { readonly value: T } | undefined
    const request: IDBRequest<FileDraft | undefined> = objects.get(key)
    request.addEventListener('success', () => (made = { value: work(objects, request.result) }))
    await doneOf(objects.transaction)
    if (made === undefined) throw new Error('The browser did not keep it.')
    return made.value
  })
}

function doneOf(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    const fail = (): void => reject(transaction.error ?? new Error('The browser did not keep it.'))
    transaction.addEventListener('abort', fail)
    transaction.addEventListener('error', fail)
  })
}
