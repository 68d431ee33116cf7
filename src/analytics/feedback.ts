import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { analyticsLimits, type FeedbackNote } from '../contract/analytics.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { networkOf, wideNetworkOf } from '../lib/network.ts'
import { pageOf } from '../lib/pages.ts'
import type { RecordTable, Records, StreamSpec } from '../storage/records.ts'
import { dayOf } from './analytics.ts'

/** Networks whose notes of today are remembered; beyond, the one that was quiet longest starts anew. About 2 MB. */
const maxRemembered = 20_000

interface NoteHead {
  readonly at: string
  readonly path: string
  readonly helpful: boolean
}

interface Notes {
  readonly table: RecordTable<NoteHead, string>
  readonly turn: ReturnType<typeof pLimit>
}

/** A record a note, by its id, which sorts by time. What is deleted is erased. */
const stream: StreamSpec<Notes> = {
  name: 'feedback',
  open: async (opener) => ({ table: await opener.table({ erases: true }), turn: pLimit(1) }),
  weigh: ({ table }) => table.size * 300,
}

export interface FeedbackPorts {
  readonly records: Pick<Records, 'use' | 'exists'>
  readonly now: () => Date
}

export interface NewNote {
  readonly path: string
  readonly helpful: boolean
  readonly note: string
  /** IP address that it came from: its networks are counted in memory, and it is kept nowhere. */
  readonly address: string
}

/** What readers write of pages. */
export class Feedback {
  readonly #ports: FeedbackPorts
  /** Notes of a day, of a project from a network. By size: a count would make room for all of them at once. */
  readonly #ofNetworks = new LRUCache<string, number>({ maxSize: maxRemembered, sizeCalculation: () => 1 })
  #day = ''

  constructor(ports: FeedbackPorts) {
    this.#ports = ports
  }

  /**
   * Keeps a note, durably; where the project has no room, the oldest of the day that has the most, today left out, goes. Throws
   * Failure `rate_limited` when the project, the page or the network has enough of today.
   */
  async add(project: string, { path, helpful, note, address }: NewNote): Promise<void> {
    const now = this.#ports.now()
    const at = now.toISOString()
    const [today, oldest] = [dayOf(now), dayOf(now, 1 - analyticsLimits.days)]
    await this.#ports.records.use(project, stream, ({ table, turn }) =>
      turn(async () => {
        const heads = [...table.heads()]
        const ofToday = heads.filter(([, head]) => head.at.startsWith(today))
        const ofPage = ofToday.filter(([, head]) => head.path === path).length
        if (ofToday.length >= analyticsLimits.notesOfDay || ofPage >= analyticsLimits.notesOfPageAndDay)
          throw tooMany('Many readers have written today.')
        const counted = this.#countedFor(project, address, today)
        if (counted.some(({ count, most }) => count >= most)) throw tooMany('Many notes came from this network today.')
        const old = heads.filter(([, head]) => head.at < oldest)
        const kept = heads.slice(old.length)
        // Not of today: what goes would make room in the day, which then took notes without end.
        const others = kept.filter(([, head]) => !head.at.startsWith(today))
        const beyond = kept.length < analyticsLimits.notes ? [] : [firstOfFullestDay(others)]
        const id = `f${now.getTime().toString(36).padStart(9, '0')}${randomBytes(5).toString('hex')}`
        await table.write([
          ...[...old.map(([key]) => key), ...beyond].map((key) => ({ delete: key })),
          { put: id, head: { at, path, helpful }, body: note },
        ])
        for (const { key, count } of counted) this.#ofNetworks.set(key, count + 1)
      }),
    )
  }

  /** As the rate limits see who sends: by the network of an address, and by the wide one, which may be one party's, too. */
  #countedFor(project: string, address: string, today: string) {
    if (today !== this.#day) this.#ofNetworks.clear()
    this.#day = today
    const counted = (network: string, most: number) => {
      const key = `${project} ${network}`
      return { key, count: this.#ofNetworks.get(key) ?? 0, most }
    }
    return [
      counted(networkOf(address), analyticsLimits.notesOfNetworkAndDay),
      counted(`around ${wideNetworkOf(address)}`, analyticsLimits.notesOfWideNetworkAndDay),
    ]
  }

  /** Newest first. */
  async list(
    project: string,
    { path, helpful, ...query }: ListQuery & { readonly path?: string; readonly helpful?: 'yes' | 'no' },
  ): Promise<List<FeedbackNote>> {
    if (!(await this.#ports.records.exists(project, stream.name))) return { items: [] }
    return this.#ports.records.use(project, stream, async ({ table }) => {
      const oldest = dayOf(this.#ports.now(), 1 - analyticsLimits.days)
      const isWanted = (head: NoteHead): boolean =>
        head.at >= oldest &&
        (path === undefined || head.path === path) &&
        (helpful === undefined || head.helpful === (helpful === 'yes'))
      const ids = [...table.heads()].filter(([, head]) => isWanted(head)).map(([id]) => id)
      const { items, ...rest } = pageOf(ids, query, (id) => id)
      const notes: FeedbackNote[] = []
      for (const id of items) {
        const read = await table.read(id)
        if (read?.body !== undefined) notes.push({ id, ...read.head, note: read.body })
      }
      return { items: notes, ...rest }
    })
  }

  /** Throws Failure `not_found`. */
  async remove(project: string, id: string): Promise<void> {
    const missing = new Failure('not_found', `There is no note ${id}.`)
    if (!(await this.#ports.records.exists(project, stream.name))) throw missing
    await this.#ports.records.use(project, stream, ({ table, turn }) =>
      turn(async () => {
        if (table.head(id) === undefined) throw missing
        await table.write([{ delete: id }])
      }),
    )
  }
}

function tooMany(message: string): Failure {
  return new Failure('rate_limited', message, { hint: 'Answer without a note, or write again tomorrow.' })
}

/** So that who fills a few days pushes out what they wrote, and not what others did. @param heads oldest first, one at least */
function firstOfFullestDay(heads: readonly (readonly [key: string, head: NoteHead])[]): string {
  const days = new Map<string, { readonly first: string; count: number }>()
  for (const [key, { at }] of heads) {
    const day = at.slice(0, 10)
    const known = days.get(day)
    if (known === undefined) days.set(day, { first: key, count: 1 })
    else known.count += 1
  }
  return [...days.values()].reduce((most, day) => (day.count > most.count ? day : most)).first
}
