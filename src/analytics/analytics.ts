import pLimit from 'p-limit'
import {
  analyticsLimits,
  type Analytics as Shown,
  type AnalyticsDay,
  type Enabled,
  type SearchTerm,
} from '../contract/analytics.ts'
import type { SiteSettings } from '../contract/release.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { RecordTable, Records, StreamSpec } from '../storage/records.ts'
import { Counts, type DaySums, type StoredDay } from './counts.ts'
import { SearchTerms, termOf } from './search-terms.ts'

interface Days {
  readonly table: RecordTable<DaySums, StoredDay>
  readonly turn: ReturnType<typeof pLimit>
}

/** A record a day, by its date. */
const stream: StreamSpec<Days> = {
  name: 'analytics',
  open: async (opener) => ({ table: await opener.table(), turn: pLimit(1) }),
  weigh: ({ table }) => table.size * 200,
}

/** How often what was counted is written. */
const writeMs = 60_000
/** A large day is written less often: for a kilobyte of it, so many milliseconds go by at least; and never more than this. */
const msOfKilobyte = 6000
const longestMs = 10 * 60_000
/** Entries of an owner's projects that wait to be written; what comes beyond is not counted. */
const mostOfOwner = 10_000
/** Projects written at a time. */
const writers = 4

export interface AnalyticsPorts {
  readonly hosting: Pick<Hosting, 'settings' | 'pageAt'>
  readonly records: Pick<Records, 'use' | 'exists'>
  readonly ownerOf: (projectId: string) => string
  /** Undefined where a project shows nothing, or is gone. */
  readonly liveRelease: (projectId: string) => string | undefined
  readonly now: () => Date
  readonly onError: (error: unknown, projectId: string) => void
}

/** A page of the live site that a reader is at. */
export interface ReadPage {
  readonly project: string
  readonly release: string
  /** As it stands in an address. */
  readonly path: string
}

interface Waiting {
  readonly project: string
  readonly owner: string
  readonly day: string
  readonly counts: Counts
}

/**
 * Counts what readers of live sites do, by day, page and term, and nothing of who they are. Counts wait in memory and are
 * written together.
 */
export class Analytics {
  readonly #ports: AnalyticsPorts
  readonly #terms = new SearchTerms()
  readonly #waiting = new Map<string, Waiting>()
  readonly #ofOwner = new Map<string, number>()
  /** When a project may be written again, milliseconds since 1970. */
  readonly #notBefore = new Map<string, number>()
  readonly #writing = pLimit(writers)
  #timer: NodeJS.Timeout | undefined

  constructor(ports: AnalyticsPorts) {
    this.#ports = ports
  }

  /** What readers of a release may tell. */
  async settings(project: string, release: string): Promise<SiteSettings> {
    return (await this.#ports.hosting.settings(project, release)) ?? { analytics: false, feedback: false }
  }

  /** What readers of the live site may tell; nothing where its release cannot be read: what was counted can be shown then. */
  async #enabled(project: string): Promise<Enabled> {
    const off = { analytics: false, feedback: false }
    const release = this.#ports.liveRelease(project)
    if (release === undefined) return off
    try {
      return await this.settings(project, release)
    } catch (error) {
      this.#ports.onError(error, project)
      return off
    }
  }

  /** @returns the decoded path of the page; null where the site has none there. */
  async view(page: ReadPage): Promise<string | null> {
    return this.#page(page, [1, 0, 0])
  }

  /** As `view`. @param isHelpful what a reader says of the page */
  async vote(page: ReadPage, isHelpful: boolean): Promise<string | null> {
    return this.#page(page, isHelpful ? [0, 1, 0] : [0, 0, 1])
  }

  /** As `view`; counts nothing. */
  async pageAt({ project, release, path }: ReadPage): Promise<string | null> {
    return this.#ports.hosting.pageAt(project, release, path)
  }

  search(project: string, query: string, isFound: boolean): void {
    const term = termOf(query)
    const counts = this.#countsOf(project)
    if (counts === undefined) return
    counts.searches += 1
    if (!isFound) counts.withoutResults += 1
    if (term === null) return
    const taken = this.#terms.take(project, term, isFound)
    if (taken[0] > 0) this.#grow(project, counts, () => counts.term(term, taken))
  }

  async #page(read: ReadPage, of: readonly [number, number, number]): Promise<string | null> {
    const page = await this.pageAt(read)
    const counts = page === null ? undefined : this.#countsOf(read.project)
    if (page !== null && counts !== undefined) this.#grow(read.project, counts, () => counts.page(page, of))
    return page
  }

  /** Of today; undefined when too much of the owner waits. */
  #countsOf(project: string): Counts | undefined {
    const owner = this.#ports.ownerOf(project)
    const day = dayOf(this.#ports.now())
    const key = `${project} ${day}`
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) return waiting.counts
    if ((this.#ofOwner.get(owner) ?? 0) >= mostOfOwner) return undefined
    const counts = new Counts()
    this.#waiting.set(key, { project, owner, day, counts })
    this.#note(owner, 1)
    this.#timer ??= setTimeout(() => void this.#writeAll(), writeMs).unref()
    return counts
  }

  #grow(project: string, counts: Counts, change: () => void): void {
    const owner = this.#ports.ownerOf(project)
    if ((this.#ofOwner.get(owner) ?? 0) >= mostOfOwner) return
    const before = counts.size
    change()
    this.#note(owner, counts.size - before)
  }

  #note(owner: string, change: number): void {
    const left = (this.#ofOwner.get(owner) ?? 0) + change
    if (left <= 0) this.#ofOwner.delete(owner)
    else this.#ofOwner.set(owner, left)
  }

  async #writeAll(): Promise<void> {
    this.#timer = undefined
    const now = this.#ports.now().getTime()
    for (const [project, at] of this.#notBefore) if (at <= now) this.#notBefore.delete(project)
    const due = [...this.#waiting.values()].filter(({ project }) => !this.#notBefore.has(project))
    await Promise.all(due.map(({ project }) => this.#write(project)))
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => void this.#writeAll(), writeMs).unref()
  }

  /** Writes what waits of a project. What the disk refuses is lost: what is counted must not fill the memory. */
  async #write(project: string): Promise<void> {
    await this.#writing(async () => {
      const taken = [...this.#waiting].filter(([, waiting]) => waiting.project === project)
      for (const [key, { owner, counts }] of taken) {
        this.#waiting.delete(key)
        this.#note(owner, -counts.size - 1)
      }
      // Of one that was removed meanwhile nothing is written anew.
      if (taken.length === 0 || this.#ports.liveRelease(project) === undefined) return
      try {
        await this.#store(
          project,
          taken.map(([, waiting]) => waiting),
        )
      } catch (error) {
        this.#ports.onError(error, project)
      }
    })
  }

  async #store(project: string, waiting: readonly Waiting[]): Promise<void> {
    const now = this.#ports.now()
    const oldest = dayOf(now, 1 - analyticsLimits.days)
    await this.#ports.records.use(project, stream, ({ table, turn }) =>
      turn(async () => {
        for (const { day, counts } of waiting) {
          const before = await table.read(day)
          const all = Counts.of(before?.body, before?.head)
          all.add(counts)
          const body = all.stored()
          const gone = [...table.heads()].map(([key]) => key).filter((key) => key < oldest && key !== day)
          await table.write([{ put: day, head: all.sums(), body }, ...gone.map((key) => ({ delete: key }))])
          const rest = Math.min(longestMs, (table.bodyBytes(day) / 1024) * msOfKilobyte)
          if (rest > writeMs) this.#notBefore.set(project, now.getTime() + rest)
        }
      }),
    )
  }

  /** The last days of a project, up to today. */
  async read(project: string, days: number): Promise<Shown> {
    await this.#write(project)
    const now = this.#ports.now()
    const names = Array.from({ length: days }, (_, index) => dayOf(now, index + 1 - days))
    const shown = await this.#days(project, names)
    const total = shown.all.sums()
    return {
      enabled: await this.#enabled(project),
      from: names[0] ?? dayOf(now),
      to: dayOf(now),
      ...total,
      days: shown.days,
      pages: pagesOf(shown.all),
      ...termsOf(shown.all),
    }
  }

  async #days(project: string, names: readonly string[]): Promise<{ days: AnalyticsDay[]; all: Counts }> {
    const all = new Counts()
    if (!(await this.#ports.records.exists(project, stream.name)))
      return { days: names.map((day) => ({ day, ...all.sums() })), all }
    return this.#ports.records.use(project, stream, async ({ table }) => {
      const days: AnalyticsDay[] = []
      const none = all.sums()
      for (const day of names) {
        // One at a time: a day of a large site is a quarter of a megabyte.
        const known = table.head(day) === undefined ? undefined : await table.read(day)
        days.push({ day, ...(known?.head ?? none) })
        if (known !== undefined) all.add(Counts.of(known.body, known.head), mostOfOwner)
      }
      return { days, all }
    })
  }

  /** Of a removed project nothing stays in memory. */
  removed(project: string): void {
    this.#terms.forget(project)
    this.#notBefore.delete(project)
    for (const [key, waiting] of this.#waiting) {
      if (waiting.project !== project) continue
      this.#waiting.delete(key)
      this.#note(waiting.owner, -waiting.counts.size - 1)
    }
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    const projects = new Set([...this.#waiting.values()].map(({ project }) => project))
    await Promise.all([...projects].map((project) => this.#write(project)))
    clearTimeout(this.#timer)
  }
}

/** The date of a time in UTC, `2027-01-15`. @param days later */
export function dayOf(time: Date, days = 0): string {
  return new Date(time.getTime() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
}

function pagesOf({ pages }: Counts): Shown['pages'] {
  return [...pages]
    .map(([path, [views, yes, no]]) => ({ path, views, helpful: { yes, no } }))
    .toSorted((a, b) => b.views - a.views || votes(b) - votes(a) || (a.path < b.path ? -1 : 1))
    .slice(0, analyticsLimits.pagesShown)
}

function votes({ helpful }: Shown['pages'][number]): number {
  return helpful.yes + helpful.no
}

function termsOf({ terms }: Counts): Pick<Shown, 'terms' | 'termsWithoutResults'> {
  const all = [...terms].map(([term, [searches, withoutResults]]) => ({ term, searches, withoutResults }))
  const top = (by: (term: SearchTerm) => number): SearchTerm[] =>
    all
      .filter((term) => by(term) > 0)
      .toSorted((a, b) => by(b) - by(a) || (a.term < b.term ? -1 : 1))
      .slice(0, analyticsLimits.termsShown)
  return { terms: top(({ searches }) => searches), termsWithoutResults: top(({ withoutResults }) => withoutResults) }
}
