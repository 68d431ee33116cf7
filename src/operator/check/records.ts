import { open, readFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { EntryRecord } from '../../changelog/record.ts'
import { nullIfMissing } from '../../lib/disk.ts'
import { streamNames } from '../../storage/records.ts'
import { filesBelow } from '../data-directory.ts'
import type { Findings } from './findings.ts'

const changelogFolder = 'changelog'
const entriesName = /^changelog\/entries-(\d+)\.jsonl$/

/** Looks whether the records of all streams can be read. */
export async function checkRecords(folder: string, findings: Findings): Promise<void> {
  for (const name of streamNames) {
    for (const path of await filesBelow(folder, name)) {
      if (path.endsWith('.jsonl')) await checkLines(folder, path, findings)
      // As version 0.1 kept reports of deploys, until somebody asks for one.
      if (path.endsWith('.json')) await checkJson(folder, path, findings)
    }
  }
}

async function checkJson(folder: string, path: string, findings: Findings): Promise<void> {
  const text = await readFile(join(folder, path), 'utf8').catch(nullIfMissing)
  if (text !== null && !isJson(text)) findings.problem(path, 'is not JSON')
}

/**
 * Lines of JSON, or of several with tabs between. A last line that has no end was never acknowledged, and the next
 * writer cuts it off; what begins with a blank was erased.
 */
async function checkLines(folder: string, path: string, findings: Findings): Promise<void> {
  let number = 0
  let broken: number | null = null
  for await (const line of linesOf(join(folder, path))) {
    number += 1
    if (broken !== null) break
    if (line !== '' && !line.startsWith(' ') && !line.split('\t').every(isJson)) broken = number
  }
  if (broken === null) return
  if (broken === number)
    findings.note(path, 'ends in the middle of a line', 'The next record that is written mends it.')
  else findings.problem(path, `line ${broken} is not JSON`)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

/** A line of the file of entries, as the changelog writes it. */
type EntryLine = Partial<{ readonly texts: number; readonly put: EntryRecord; readonly delete: string }>

/** Looks whether every entry of the changelog has its texts. Lines that are no JSON are told by checkRecords. */
export async function checkChangelog(root: string, findings: Findings): Promise<void> {
  const numbers = (await filesBelow(root, changelogFolder)).map((path) => Number(entriesName.exec(path)?.[1] ?? 0))
  const newest = Math.max(0, ...numbers)
  if (newest === 0) return
  const path = `${changelogFolder}/entries-${newest}.jsonl`
  const { texts, entries } = await readEntries(join(root, path))
  if (texts === null) return findings.problem(path, 'does not say where the texts are')
  const textsPath = `${changelogFolder}/texts-${texts}.jsonl`
  const handle = await open(join(root, textsPath), 'r').catch(nullIfMissing)
  if (handle === null) {
    if (entries.size > 0) findings.problem(textsPath, `is missing, and ${entries.size} entries need it`)
    return
  }
  try {
    for (const record of entries.values()) {
      if (!(await hasTexts(handle, record)))
        findings.problem(textsPath, `lacks the texts of entry ${record.number} (${record.id})`)
    }
  } finally {
    await handle.close()
  }
}

async function readEntries(path: string): Promise<{ texts: number | null; entries: Map<string, EntryRecord> }> {
  const entries = new Map<string, EntryRecord>()
  let texts: number | null = null
  for await (const text of linesOf(path)) {
    const line = parse(text)
    if (line?.texts !== undefined) texts = line.texts
    if (line?.put !== undefined) entries.set(line.put.id, line.put)
    if (line?.delete !== undefined) entries.delete(line.delete)
  }
  return { texts, entries }
}

async function hasTexts(handle: FileHandle, { place }: EntryRecord): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(place.length), 0, place.length, place.offset)
  return bytesRead === place.length && parse(buffer.toString()) !== null
}

function parse(text: string): EntryLine | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

/** The lines of a file, one after the other; none of a file that is gone, as the oldest records go at any time. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const handle = await open(path, 'r').catch(nullIfMissing)
  if (handle === null) return
  try {
    yield* handle.readLines({ autoClose: false })
  } finally {
    await handle.close()
  }
}
