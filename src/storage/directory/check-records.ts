import { open, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { linesOf as segmentLines } from '../records/segment-files.ts'
import { streamNames, type StreamName } from '../records.ts'
import { filesBelow, linesOf, parsed, type FaultReport } from './reading.ts'

const segmentName = /^[a-z]+\/(\d{8,15})(?:-(\d+))?\.jsonl$/
/** What damage to records comes to. */
const repairRecords = 'The service goes on without these records. Restore a backup for them.'
const earlierEntriesName = /^changelog\/entries-(\d+)\.jsonl$/

/** Looks whether the records of all streams can be read. */
export async function checkRecords(folder: string, report: FaultReport): Promise<void> {
  for (const name of streamNames) {
    for (const path of await filesBelow(folder, name)) {
      if (path.endsWith('.jsonl')) await checkLines(folder, path, report)
      // As version 0.1 kept reports of deploys, until somebody asks for one.
      if (path.endsWith('.json')) await checkJson(folder, path, report)
    }
  }
}

async function checkJson(folder: string, path: string, report: FaultReport): Promise<void> {
  const text = await readFile(join(folder, path), 'utf8').catch(nullIfMissing)
  if (text !== null && !isJson(text)) report.problem(path, 'is not JSON')
}

/**
 * Lines of JSON, or of several with tabs between, and the checksum. A last line that has no end was never acknowledged,
 * and the next writer cuts it off; what begins with a blank was erased.
 */
async function checkLines(folder: string, path: string, report: FaultReport): Promise<void> {
  const bytes = await readFile(join(folder, path)).catch(nullIfMissing)
  if (bytes === null) return
  let number = 0
  let whole = 0
  for (const { start, end, damaged } of segmentLines(bytes)) {
    number += 1
    whole = bytes.indexOf('\n', end) + 1
    if (damaged) return report.problem(path, `line ${number} is not what was written`, repairRecords)
    const line = bytes.toString('utf8', start, end)
    if (line !== '' && !line.startsWith(' ') && !line.split('\t').every(isJson))
      return report.problem(path, `line ${number} is not JSON`, repairRecords)
  }
  if (whole < bytes.length)
    report.note(path, 'ends in the middle of a line', 'The next record that is written mends it.')
}

const isJson = (text: string): boolean => parsed(text) !== undefined

/** A change as a line of a table has it. */
type Operation = Partial<{ readonly key: string; readonly body: number; readonly delete: string }>

/**
 * Looks whether every record of a table has its body. Lines that are no JSON are told by checkRecords.
 *
 * @param table.body what it is, in front of a key.
 */
export async function checkBodies(
  folder: string,
  table: { readonly name: StreamName; readonly body: string },
  report: FaultReport,
): Promise<void> {
  const records = new Map<string, { readonly path: string; readonly hasBody: boolean }>()
  for (const path of currentSegments(await filesBelow(folder, table.name))) {
    for await (const line of linesOf(join(folder, path))) {
      for (const { key, body, delete: deleted } of operationsOf(line)) {
        if (deleted !== undefined) records.delete(deleted)
        if (key !== undefined)
          records.set(key, { path, hasBody: body !== undefined || records.get(key)?.hasBody === true })
      }
    }
  }
  for (const [key, { path, hasBody }] of records) if (!hasBody) report.problem(path, `lacks ${table.body} ${key}`)
}

/** Of a file that was written anew the newest version, oldest file first. */
function currentSegments(paths: readonly string[]): string[] {
  const newest = new Map<number, { readonly path: string; readonly version: number }>()
  for (const path of paths) {
    const [, number, version = '0'] = segmentName.exec(path) ?? []
    if (number === undefined || (newest.get(Number(number))?.version ?? -1) > Number(version)) continue
    newest.set(Number(number), { path, version: Number(version) })
  }
  return [...newest].sort(([a], [b]) => a - b).map(([, { path }]) => path)
}

function operationsOf(line: string): readonly Operation[] {
  const operations = parsed(line.split('\t', 1)[0] ?? '')
  return Array.isArray(operations) ? (operations as Operation[]) : []
}

/** An entry as version 0.1 kept it. */
interface EarlierEntry {
  readonly id: string
  readonly number: number
  readonly place: { readonly offset: number; readonly length: number }
}

/** A line of its file of entries. */
type EarlierLine = Partial<{ readonly texts: number; readonly put: EarlierEntry; readonly delete: string }>

/** As checkBodies, of a changelog that version 0.1 wrote and nobody has opened since. */
export async function checkEarlierChangelog(folder: string, report: FaultReport): Promise<void> {
  const numbers = (await filesBelow(folder, 'changelog')).map((path) => Number(earlierEntriesName.exec(path)?.[1] ?? 0))
  const newest = Math.max(0, ...numbers)
  if (newest === 0) return
  const path = `changelog/entries-${newest}.jsonl`
  const { texts, entries } = await readEntries(join(folder, path))
  if (texts === null) return report.problem(path, 'does not say where the texts are')
  const textsPath = `changelog/texts-${texts}.jsonl`
  const handle = await open(join(folder, textsPath), 'r').catch(nullIfMissing)
  if (handle === null) {
    if (entries.size > 0) report.problem(textsPath, `is missing, and ${entries.size} entries need it`)
    return
  }
  try {
    for (const record of entries.values()) {
      if (!(await hasTexts(handle, record)))
        report.problem(textsPath, `lacks the texts of entry ${record.number} (${record.id})`)
    }
  } finally {
    await handle.close()
  }
}

async function readEntries(path: string): Promise<{ texts: number | null; entries: Map<string, EarlierEntry> }> {
  const entries = new Map<string, EarlierEntry>()
  let texts: number | null = null
  for await (const text of linesOf(path)) {
    const line = parsed(text) as EarlierLine | null | undefined
    if (line?.texts !== undefined) texts = line.texts
    if (line?.put !== undefined) entries.set(line.put.id, line.put)
    if (line?.delete !== undefined) entries.delete(line.delete)
  }
  return { texts, entries }
}

async function hasTexts(handle: FileHandle, { place }: EarlierEntry): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(place.length), 0, place.length, place.offset)
  return bytesRead === place.length && isJson(buffer.toString())
}
