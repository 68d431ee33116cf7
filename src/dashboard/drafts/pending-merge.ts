import { createStore, del, getMany, set, update } from 'idb-keyval'
import type { PieceDecision } from '../../authoring/merge-pieces.ts'
import {
  type Decision,
  joinedKept,
  type KeptDecision,
  keptOf,
  givenBack,
  renewed,
  resolutionsOf,
  restored,
  type PendingConflict,
} from '../../authoring/pending-conflicts.ts'
import type { Conflict, Resolution } from '../../contract/branches.ts'
import { storeText } from '../local-storage.ts'

/** What is kept beside the conflicts themselves. */
interface Kept {
  readonly decisions: readonly KeptDecision[]
  readonly message: string
  /** The publish that all of it went with. */
  readonly deploy?: string | undefined
}

const store = createStore('quire-merges', 'merges')
/** From a change until it is on its way to the disk. */
const writeDelayMs = 150

/**
 * What one person decided of the conflicts of one branch with main. It is kept in this browser, so that neither a reload
 * nor a tab that is killed loses any of it.
 */
export class PendingMerge {
  readonly #conflictsKey: string
  readonly #decisionsKey: string
  /** In the storage that is written at once: what is decided in the last moment of a page. */
  readonly #lateKey: string
  readonly #listeners = new Set<() => void>()
  #items: readonly PendingConflict[] = []
  #message = ''
  #deploy: string | undefined
  #isKept = true
  /** As it was read or written here last: what another tab has decided since is told from it. */
  #known: readonly KeptDecision[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Ids. */
  constructor(account: string, branch: string) {
    this.#conflictsKey = `${account} ${branch} conflicts`
    this.#decisionsKey = `${account} ${branch} decisions`
    this.#lateKey = `quire-merge ${account} ${branch}`
  }

  /** Finds what was kept. */
  async read(): Promise<this> {
    try {
      const [conflicts, found] = await getMany<unknown>([this.#conflictsKey, this.#decisionsKey], store)
      const late = localStorage.getItem(this.#lateKey)
      const { decisions, message, deploy } = (
        late === null ? (found ?? { decisions: [], message: '' }) : JSON.parse(late)
      ) as Kept
      this.#known = (found as Kept | undefined)?.decisions ?? []
      const kept = new Map(decisions.map((one) => [one.path, one]))
      this.#message = message
      this.#deploy = deploy
      this.#items = ((conflicts ?? []) as readonly Conflict[]).map((conflict) =>
        restored(conflict, kept.get(conflict.path)),
      )
      if (late !== null) this.#write()
    } catch {
      this.#isKept = false
    }
    return this
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The same list for as long as nothing changed. */
  items = (): readonly PendingConflict[] => this.#items

  /** Of the publish, as far as it is written. */
  get message(): string {
    return this.#message
  }

  write(message: string): void {
    this.#message = message
    this.#change(this.#items)
  }

  /** It went with a publish. @param deploy its id */
  publish(deploy: string): void {
    this.#deploy = deploy
    this.#change(this.#items)
    this.flush()
  }

  /** Whether this browser keeps what is decided. */
  isKept = (): boolean => this.#isKept

  /** For the service. */
  resolutions = (): readonly Resolution[] => resolutionsOf(this.#items)

  /** What the service says is in conflict now. @param sent with the request: what it does not name of it, it has taken */
  take = (conflicts: readonly Conflict[], sent: readonly Resolution[]): void => {
    this.#change(renewed(this.#items, { conflicts, sent }, new Map()))
    this.#keep(
      set(
        this.#conflictsKey,
        this.#items.map(({ conflict }) => conflict),
        store,
      ),
    )
    this.flush()
  }

  /** The service says that a file has no conflict: there is nothing to decide. */
  drop = (path: string): void =>
    this.#change(this.#items.flatMap((item) => (item.conflict.path === path ? givenBack(item) : [item])))

  decide(path: string, decision: Decision): void {
    this.#changeOne(path, (item) => ({ ...item, state: 'settled', decision }))
    this.flush()
  }

  /** It is to be decided anew. */
  reopen(path: string): void {
    this.#changeOne(path, ({ conflict, pieces }) => ({ conflict, state: 'open', decision: undefined, pieces }))
  }

  /** @param text that all pieces make; undefined while one of them is open */
  decidePieces(path: string, pieces: PieceDecision[], text: string | undefined): void {
    this.#changeOne(path, ({ conflict }) => ({
      conflict,
      state: text === undefined ? 'open' : 'settled',
      decision: text === undefined ? undefined : { content: text },
      pieces,
    }))
  }

  /** A publish is live: what went with it is in main. Another’s took nothing of what was decided here. */
  published(deploy: string): void {
    if (deploy !== this.#deploy) return
    this.#message = ''
    this.forget()
  }

  /** What was decided is used. The message is of the publish, and stays until that. */
  forget(): void {
    this.#deploy = undefined
    this.#change([])
    this.#keep(del(this.#conflictsKey, store))
    this.flush()
  }

  /** Keeps at once what is not kept yet. */
  flush = (): void => {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#write()
  }

  /** The page may be about to go, before a write that is begun now has come to its end. */
  leave = (): void => {
    if (this.#timer === undefined) return
    // Where there is no room, the write is what is left.
    storeText(this.#lateKey, JSON.stringify(this.#kept()))
    this.flush()
  }

  #kept(): Kept {
    return { decisions: this.#items.flatMap(keptOf), message: this.#message, deploy: this.#deploy }
  }

  #write(): void {
    const kept = this.#kept()
    const before = this.#known
    this.#known = kept.decisions
    const writing = update<Kept | undefined>(
      this.#decisionsKey,
      (found) => {
        const decisions = joinedKept(before, kept.decisions, found?.decisions ?? [])
        const isEmpty = decisions.length === 0 && kept.message === '' && kept.deploy === undefined
        return isEmpty ? undefined : { ...kept, decisions }
      },
      store,
    )
    this.#keep(writing.then(() => localStorage.removeItem(this.#lateKey)))
  }

  #changeOne(path: string, change: (item: PendingConflict) => PendingConflict): void {
    this.#change(this.#items.map((item) => (item.conflict.path === path ? change(item) : item)))
  }

  #change(items: readonly PendingConflict[]): void {
    this.#items = items
    this.#tell()
    this.#timer ??= setTimeout(this.flush, writeDelayMs)
  }

  #keep(writing: Promise<void>): void {
    writing.catch(() => {
      this.#isKept = false
      this.#tell()
    })
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
