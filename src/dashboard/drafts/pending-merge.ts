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
import { storedText } from '../local-storage.ts'
import { dropUnloadRecord, leaveUnloadRecord, parseUnloadRecord } from './unload-record.ts'

/** What is kept beside the conflicts themselves. */
export interface KeptMerge {
  readonly decisions: readonly KeptDecision[]
  readonly message: string
  /** The publish that all of it went with. */
  readonly deploy?: string | undefined
  /** When it was so in the tab that wrote it, in milliseconds since 1970. */
  readonly at: number
}

/** Written at once when a page goes, with what it had seen: what another tab has decided since is told from it. */
interface UnloadRecord {
  readonly kept: KeptMerge
  readonly seen: KeptMerge
}

const nothing: KeptMerge = { decisions: [], message: '', at: 0 }

const store = createStore('quire-merges', 'merges')
const browserDatabase = {
  read: (keys: string[]) => getMany<unknown>(keys, store),
  set: (key: string, value: unknown) => set(key, value, store),
  update: (key: string, change: (found: KeptMerge | undefined) => KeptMerge | undefined) =>
    update<KeptMerge | undefined>(key, change, store),
  remove: (key: string) => del(key, store),
}
/** The browser's, which all tabs share. */
export type MergeDatabase = typeof browserDatabase
/** From a change until it is on its way to the disk. */
const writeDelayMs = 150

/**
 * What one person decided of the conflicts of one branch with main. It is kept in this browser, so that neither a reload
 * nor a tab that is killed loses any of it.
 */
export class PendingMerge {
  readonly #conflictsKey: string
  readonly #decisionsKey: string
  /** In the storage that is written at once. */
  readonly #unloadRecordKey: string
  readonly #database: MergeDatabase
  readonly #listeners = new Set<() => void>()
  #items: readonly PendingConflict[] = []
  #message = ''
  #deploy: string | undefined
  #isKept = true
  /** As it was read or written here last: what another tab has decided since is told from it. */
  #seen = nothing
  /** As it was read or written here, to go once the database has it; that of another tab stays. */
  #unloadRecord: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Ids. */
  constructor(account: string, branch: string, database: MergeDatabase = browserDatabase) {
    this.#database = database
    this.#conflictsKey = `${account} ${branch} conflicts`
    this.#decisionsKey = `${account} ${branch} decisions`
    this.#unloadRecordKey = `quire-merge ${account} ${branch}`
  }

  /** Finds what was kept. */
  async read(): Promise<this> {
    try {
      const [conflicts, kept] = await this.#database.read([this.#conflictsKey, this.#decisionsKey])
      const found = (kept ?? nothing) as KeptMerge
      this.#unloadRecord = storedText(this.#unloadRecordKey)
      const { decisions, message, deploy } = withUnloadRecord(found, this.#unloadRecord)
      this.#seen = found
      const byPath = new Map(decisions.map((one) => [one.path, one]))
      this.#message = message
      this.#deploy = deploy
      this.#items = ((conflicts ?? []) as readonly Conflict[]).map((conflict) =>
        restored(conflict, byPath.get(conflict.path)),
      )
      if (this.#unloadRecord !== undefined) this.#write()
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
      this.#database.set(
        this.#conflictsKey,
        this.#items.map(({ conflict }) => conflict),
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
    this.#keep(this.#database.remove(this.#conflictsKey))
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
    const unloadRecord: UnloadRecord = { kept: this.#kept(), seen: this.#seen }
    this.#unloadRecord = leaveUnloadRecord(this.#unloadRecordKey, unloadRecord)
    this.flush()
  }

  #kept(): KeptMerge {
    const { message } = this
    return { decisions: this.#items.flatMap(keptOf), message, deploy: this.#deploy, at: Date.now() }
  }

  #write(): void {
    const kept = this.#kept()
    const before = this.#seen
    const unloadRecord = this.#unloadRecord
    this.#seen = kept
    const writing = this.#database.update(this.#decisionsKey, (found) => {
      const joined = joinedMerges(before, kept, found ?? nothing)
      const isEmpty = joined.decisions.length === 0 && joined.message === '' && joined.deploy === undefined
      return isEmpty ? undefined : joined
    })
    this.#keep(writing.then(() => this.#dropUnloadRecord(unloadRecord)))
  }

  /** @param written what is in the database now */
  #dropUnloadRecord(written: string | undefined): void {
    if (written !== undefined) dropUnloadRecord(this.#unloadRecordKey, written)
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

/** What two tabs made of `before`; of what both changed, as `mine` has it. */
function joinedMerges(before: KeptMerge, mine: KeptMerge, theirs: KeptMerge): KeptMerge {
  return {
    decisions: joinedKept(before.decisions, mine.decisions, theirs.decisions),
    message: (mine.message === before.message ? theirs : mine).message,
    deploy: (mine.deploy === before.deploy ? theirs : mine).deploy,
    at: mine.at,
  }
}

/** @param text of the record of a page that went: it may be older than what another tab has written since */
function withUnloadRecord(found: KeptMerge, text: string | undefined): KeptMerge {
  const record = parseUnloadRecord<UnloadRecord>(text, ['kept', 'seen'])
  if (record === undefined) return found
  const [older, newer] = record.kept.at < found.at ? [record.kept, found] : [found, record.kept]
  return joinedMerges(record.seen, newer, older)
}
