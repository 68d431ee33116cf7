import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { filesBelow } from '../data-directory.ts'
import type { Findings } from './findings.ts'
import { linesOf } from './records.ts'

const folder = 'changelog'
const entriesName = /^changelog\/entries-(\d+)\.jsonl$/

interface EntryRecord {
  readonly id: string
  readonly number: number
  readonly place: { readonly offset: number; readonly length: number }
}

/** A line of the file of entries. */
type Line = Partial<{ readonly texts: number; readonly put: EntryRecord; readonly delete: string }>

/** As checkChangelog, of a changelog that version 0.1 wrote and nobody has opened since. */
export async function checkEarlierChangelog(root: string, findings: Findings): Promise<void> {
  const numbers = (await filesBelow(root, folder)).map((path) => Number(entriesName.exec(path)?.[1] ?? 0))
  const newest = Math.max(0, ...numbers)
  if (newest === 0) return
  const path = `${folder}/entries-${newest}.jsonl`
  const { texts, entries } = await readEntries(join(root, path))
  if (texts === null) return findings.problem(path, 'does not say where the texts are')
  const textsPath = `${folder}/texts-${texts}.jsonl`
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

function parse(text: string): Line | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
