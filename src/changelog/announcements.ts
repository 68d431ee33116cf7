import { noProject } from '../projects/document.ts'
import { Failure } from '../contract/failure.ts'
import { type EntryRecord, type StoredEntry, statusOf } from './entry.ts'
import { entriesStream, type ProjectEntries } from './entries.ts'
import type { ChangelogDocument, ChangelogPorts, ChangelogState, PublishedEvent } from './ports.ts'

/** setTimeout takes 24 days at most, and clocks are set. */
const longestWaitMs = 60 * 60 * 1000
const retryMs = 60 * 1000

/**
 * Tells once of every entry that appears, also of those whose time comes later, and knows which projects have a
 * changelog to show.
 *
 * What is to come stands in the project's document before the entry is written, so a start finds it without opening a
 * changelog. That an entry was announced is in the document together with the event, and in the entry's record after
 * that: whatever a crash leaves, one of them says so.
 */
export class Announcements {
  readonly #ports: ChangelogPorts
  /** When a project's first entry appears, in milliseconds since 1970. */
  readonly #since = new Map<string, number>()
  /** When a project is to be looked at. */
  readonly #due = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #closed = false

  constructor(ports: ChangelogPorts) {
    this.#ports = ports
  }

  /** At start: learns from the documents what there is and what is to come. */
  async load(): Promise<void> {
    const { store, documentPrefix } = this.#ports
    for (const name of await store.list(documentPrefix)) {
      const document = await store.read<ChangelogDocument>(name)
      this.#learn(name.slice(documentPrefix.length), document?.changelog)
    }
    this.#arm()
  }

  /** Whether there is something to see. */
  hasAppeared(projectId: string): boolean {
    const since = this.#since.get(projectId)
    return since !== undefined && since <= this.#now()
  }

  /** An entry is about to be written that has to be announced. Throws Failure `not_found` without a project. */
  async expect(projectId: string, { id, publishedAt = 0 }: Pick<EntryRecord, 'id' | 'publishedAt'>): Promise<void> {
    await this.#mutate(projectId, (document) => {
      const state = document.changelog ?? {}
      const due = state.due === undefined ? publishedAt : Math.min(publishedAt, Date.parse(state.due))
      const announced = (state.announced ?? []).filter((other) => other !== id)
      document.changelog = { ...state, due: new Date(due).toISOString(), announced }
    })
  }

  /** After each change, in its turn: announces what has appeared and notes what is to come. */
  async settle(projectId: string, entries: ProjectEntries): Promise<void> {
    for (const record of entries.index.pending()) {
      if (statusOf(record, this.#now()) !== 'published') continue
      const found = await entries.read(record.id)
      if (found === undefined) continue
      const event = this.#eventOf(projectId, found)
      await this.#mutate(projectId, (document) => {
        const state = (document.changelog ??= {})
        if (state.announced?.includes(record.id) === true) return
        this.#ports.announcer.record(document, event)
        // Of entries announced before this one their records say so: all ids together would fill the document when a
        // thousand are due at once.
        const unsaid = (state.announced ?? []).filter((id) => entries.index.get(id)?.pending === true)
        state.announced = [...unsaid, record.id]
      })
      await entries.put({ ...record, pending: false })
      this.#ports.announcer.wake(projectId)
    }
    await this.#note(projectId, entries)
  }

  /** What was due could not be announced: tried again in a minute. */
  postpone(projectId: string): void {
    this.#due.set(projectId, this.#now() + retryMs)
    this.#arm()
  }

  /** Announces what is due in all projects. The timer does this, and whoever knows that the time has come. */
  run(): Promise<void> {
    this.#running = this.#running.then(() => this.#run())
    return this.#running
  }

  forget(projectId: string): void {
    this.#since.delete(projectId)
    this.#due.delete(projectId)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#running
  }

  async #run(): Promise<void> {
    const now = this.#now()
    for (const [projectId, due] of Array.from(this.#due)) {
      if (due > now || this.#closed) continue
      try {
        await this.#ports.records.use(projectId, entriesStream, (entries) =>
          entries.turn(() => this.settle(projectId, entries)),
        )
      } catch (error) {
        if (error instanceof Failure && error.code === 'not_found') {
          this.forget(projectId)
          continue
        }
        this.postpone(projectId)
        this.#ports.log.error({ err: error, projectId }, 'an entry of the changelog could not be announced')
      }
    }
    this.#arm()
  }

  /** Brings the document up to date with the entries. */
  async #note(projectId: string, { index }: ProjectEntries): Promise<void> {
    const first = index.dated.first?.publishedAt
    const due = earliest(index.pending().map(({ publishedAt = 0 }) => publishedAt))
    const state: ChangelogState = {
      ...(first === undefined ? {} : { since: new Date(first).toISOString() }),
      ...(due === undefined ? {} : { due: new Date(due).toISOString() }),
    }
    const { store, documentOf } = this.#ports
    const known = (await store.read<ChangelogDocument>(documentOf(projectId)))?.changelog
    if (known?.since !== state.since || known?.due !== state.due || known?.announced !== undefined) {
      await this.#mutate(projectId, (document) => {
        document.changelog = state
      })
    }
    this.#learn(projectId, state)
    this.#arm()
  }

  #learn(projectId: string, state: Readonly<ChangelogState> | undefined): void {
    this.forget(projectId)
    if (state?.since !== undefined) this.#since.set(projectId, Date.parse(state.since))
    if (state?.due !== undefined) this.#due.set(projectId, Date.parse(state.due))
  }

  #arm(): void {
    clearTimeout(this.#timer)
    const due = earliest(this.#due.values())
    if (due === undefined || this.#closed || this.#ports.store.readOnly !== null) return
    const wait = due - this.#now()
    this.#timer = setTimeout(() => void this.run(), Math.min(Math.max(wait, 0), longestWaitMs))
    this.#timer.unref()
  }

  #eventOf(projectId: string, { record, texts }: StoredEntry): PublishedEvent {
    const { title, version } = texts
    const at = record.publishedAt ?? this.#now()
    return {
      id: `evt_${record.id.replaceAll('-', '')}${at.toString(36)}`,
      type: 'changelog.published',
      at: new Date(at).toISOString(),
      data: {
        message: `New in the changelog: ${title}${version === undefined ? '' : ` (${version})`}`,
        url: `${this.#ports.pageUrl(projectId)}/${record.id}`,
        entry: { id: record.id, title, ...(version === undefined ? {} : { version }) },
      },
    }
  }

  async #mutate(projectId: string, change: (document: ChangelogDocument) => void): Promise<void> {
    const { store, documentOf } = this.#ports
    await store.mutate<ChangelogDocument, void>(documentOf(projectId), (draft) => {
      if (draft === undefined) throw noProject(projectId)
      change(draft)
      return { document: draft, result: undefined }
    })
  }

  #now(): number {
    return this.#ports.now().getTime()
  }
}

/** `Math.min(...times)` takes only as many as fit on the stack. */
function earliest(times: Iterable<number>): number | undefined {
  let least: number | undefined
  for (const time of times) if (least === undefined || time < least) least = time
  return least
}
