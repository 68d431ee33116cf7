import { randomBytes } from 'node:crypto'
import pLimit from 'p-limit'
import { analyticsLimits, type FeedbackNote } from '../contract/analytics.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { pageOf } from '../lib/pages.ts'
import type { RecordTable, Records, StreamSpec } from '../storage/records.ts'
import { dayOf } from './analytics.ts'

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
}

/** What readers write of pages. */
export class Feedback {
  readonly #ports: FeedbackPorts

  constructor(ports: FeedbackPorts) {
    this.#ports = ports
  }

  /** Keeps a note, durably. Throws Failure `rate_limited` when the project, or the page, has enough of today. */
  async add(project: string, { path, helpful, note }: NewNote): Promise<void> {
    const now = this.#ports.now()
    const at = now.toISOString()
    const [today, oldest] = [dayOf(now), dayOf(now, 1 - analyticsLimits.days)]
    await this.#ports.records.use(project, stream, ({ table, turn }) =>
      turn(async () => {
        const heads = [...table.heads()]
        const ofToday = heads.filter(([, head]) => head.at.startsWith(today))
        const ofPage = ofToday.filter(([, head]) => head.path === path).length
        if (ofToday.length >= analyticsLimits.notesOfDay || ofPage >= analyticsLimits.notesOfPageAndDay)
          throw new Failure('rate_limited', 'Many readers have written today.', { hint: 'Write again tomorrow.' })
        const old = heads.filter(([, head]) => head.at < oldest)
        const kept = heads.length - old.length
        const beyond = heads.slice(old.length, old.length + Math.max(0, kept + 1 - analyticsLimits.notes))
        const id = `f${now.getTime().toString(36).padStart(9, '0')}${randomBytes(5).toString('hex')}`
        await table.write([
          ...[...old, ...beyond].map(([key]) => ({ delete: key })),
          { put: id, head: { at, path, helpful }, body: note },
        ])
      }),
    )
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
