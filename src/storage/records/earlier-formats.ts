import { open, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { removeFile, type FileSystem } from '../../lib/durable-file.ts'
import type { RecordChange, RecordTable, StreamName } from '../records.ts'

/** Records of a stream as version 0.1 kept them, and their files in the order in which they may be removed. */
interface Earlier {
  readonly changes: AsyncIterable<Put> | Iterable<Put>
  readonly files: readonly string[]
}

type Put = Extract<RecordChange<unknown, unknown>, { readonly put: string }>

/** Bytes, about, that are written at once. */
const batchBytes = 1024 * 1024

const formats: Partial<Record<StreamName, (directory: string, names: readonly string[]) => Promise<Earlier>>> = {
  changelog: readChangelog,
  deploys: async (directory, names) => readReports(directory, names),
  webhooks: async (directory, names) => readQueue(directory, names),
}

/** Names of files that only version 0.1 wrote. */
const earlierName = /^(?:(?:entries|texts)-\d+\.jsonl(?:\.new)?|queue\.jsonl|[0-9a-z]{8,40}\.json)$/

/**
 * Takes over what version 0.1 left in the directory of a stream. A crash in the middle loses nothing: its files go when
 * all of their records are in the table, and until then nobody changes the table. Once they are gone this reads one
 * directory.
 */
export async function takeOverEarlier(
  directory: string,
  name: StreamName,
  { fs, openTable }: { readonly fs: FileSystem; readonly openTable: () => Promise<RecordTable<unknown, unknown>> },
): Promise<void> {
  const read = formats[name]
  if (read === undefined) return
  const names = ((await readdir(directory).catch(nullIfMissing)) ?? []).filter((one) => earlierName.test(one))
  if (names.length === 0) return
  const { changes, files } = await read(directory, names)
  const table = await openTable()
  let batch: Put[] = []
  let bytes = 0
  for await (const change of changes) {
    if (table.head(change.put) !== undefined) continue
    batch.push(change)
    bytes += JSON.stringify(change).length
    if (bytes < batchBytes) continue
    await table.write(batch)
    batch = []
    bytes = 0
  }
  await table.write(batch)
  for (const file of files) await removeFile(fs, join(directory, file))
}

interface EarlierEntry {
  readonly id: string
  readonly number: number
  readonly place: { readonly offset: number; readonly length: number }
}

/** `entries-<n>.jsonl` has the records, of which the last of an id counts, and places in `texts-<m>.jsonl`. */
async function readChangelog(directory: string, names: readonly string[]): Promise<Earlier> {
  const numberOf = (name: string): number => Number(/^entries-(\d+)\.jsonl$/.exec(name)?.[1] ?? 0)
  const newest = Math.max(0, ...names.map(numberOf))
  // Without records the texts are of no use; they go last.
  const files = [...names].sort((a, b) => numberOf(b) - numberOf(a))
  // The newest entries file goes after older ones, which must not come back in its place.
  const main = `entries-${newest}.jsonl`
  const ordered = [...files.filter((name) => numberOf(name) > 0 && name !== main), main]
  const all = [...ordered, ...files.filter((name) => numberOf(name) === 0)]
  if (newest === 0) return { changes: [], files }
  const entries = new Map<string, EarlierEntry>()
  let texts = 1
  for (const text of await wholeLines(join(directory, main))) {
    // A line that was erased begins with a blank.
    if (text.startsWith(' ')) continue
    const line = JSON.parse(text) as { texts: number } | { put: EarlierEntry } | { delete: string }
    if ('put' in line) entries.set(line.put.id, line.put)
    else if ('delete' in line) entries.delete(line.delete)
    else texts = line.texts
  }
  const sorted = [...entries.values()].sort((a, b) => a.number - b.number)
  return { changes: entriesWithTexts(join(directory, `texts-${texts}.jsonl`), sorted), files: all }
}

async function* entriesWithTexts(path: string, entries: readonly EarlierEntry[]): AsyncGenerator<Put> {
  if (entries.length === 0) return
  const file = await open(path, 'r')
  try {
    for (const { id, place, ...head } of entries) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(place.length), 0, place.length, place.offset)
      if (bytesRead < place.length) throw new Error(`${path} ends before the text of ${id}`)
      yield { put: id, head, body: JSON.parse(buffer.toString('utf8')) as unknown }
    }
  } finally {
    await file.close()
  }
}

type QueueNote =
  | { readonly type: 'event'; readonly event: { readonly id: string }; readonly webhooks: string[]; since: number }
  | { readonly type: 'failed'; readonly event: string; readonly webhook: string; attempts: number; dueAt: number }
  | { readonly type: 'done'; readonly event: string; readonly webhook: string }
  | { readonly type: 'seen'; readonly event: string }

/** What waits for a webhook. */
interface Waiting {
  attempts: number
  dueAt: number
}

/** `queue.jsonl` has notes of what happened to each event. */
async function readQueue(directory: string, files: readonly string[]): Promise<Earlier> {
  const events = new Map<string, { since: number; event: unknown; waiting: Record<string, Waiting> }>()
  for (const text of await wholeLines(join(directory, 'queue.jsonl'))) {
    const note = parsed(text) as QueueNote | null
    if (note === null) continue
    if (note.type === 'event') {
      const { event, webhooks, since } = note
      const waiting = Object.fromEntries(webhooks.map((webhook) => [webhook, { attempts: 0, dueAt: since }]))
      events.set(event.id, { since, event, waiting })
      continue
    }
    // Done for all, but it may still lie in the outbox.
    if (note.type === 'seen') events.set(note.event, { since: 0, event: undefined, waiting: {} })
    const known = events.get(note.event)
    if (known === undefined || note.type === 'seen') continue
    if (note.type === 'done') delete known.waiting[note.webhook]
    else known.waiting[note.webhook] = { attempts: note.attempts, dueAt: note.dueAt }
  }
  const changes = [...events].map(([put, { since, event, waiting }]) => ({
    put,
    head: { since, waiting },
    // What is done may still lie in the outbox; its key says that it was taken out.
    ...(Object.keys(waiting).length === 0 ? {} : { body: event }),
  }))
  return { changes, files }
}

/** A file a deploy. */
async function readReports(directory: string, files: readonly string[]): Promise<Earlier> {
  async function* changes(): AsyncGenerator<Put> {
    for (const name of [...files].sort()) {
      const body = parsed(await readFile(join(directory, name), 'utf8'))
      if (body !== null) yield { put: name.slice(0, -'.json'.length), head: {}, body }
    }
  }
  return { changes: changes(), files }
}

async function wholeLines(path: string): Promise<string[]> {
  const text = (await readFile(path, 'utf8').catch(nullIfMissing)) ?? ''
  return text.split('\n').slice(0, -1)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
