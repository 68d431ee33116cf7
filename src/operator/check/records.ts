import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { streamNames } from '../../storage/records.ts'
import { filesBelow } from '../data-directory.ts'
import type { Findings } from './findings.ts'

const segmentName = /^changelog\/(\d{8,15})(?:-(\d+))?\.jsonl$/

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

/** A change as a line of a table has it. */
type Operation = Partial<{ readonly key: string; readonly body: number; readonly delete: string }>

/** Looks whether every entry of the changelog has its texts. Lines that are no JSON are told by checkRecords. */
export async function checkChangelog(root: string, findings: Findings): Promise<void> {
  const entries = new Map<string, { readonly path: string; readonly hasTexts: boolean }>()
  for (const path of currentSegments(await filesBelow(root, 'changelog'))) {
    for await (const line of linesOf(join(root, path))) {
      for (const { key, body, delete: deleted } of operationsOf(line)) {
        if (deleted !== undefined) entries.delete(deleted)
        if (key !== undefined)
          entries.set(key, { path, hasTexts: body !== undefined || entries.get(key)?.hasTexts === true })
      }
    }
  }
  for (const [id, { path, hasTexts }] of entries)
    if (!hasTexts) findings.problem(path, `lacks the texts of entry ${id}`)
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
  try {
    const value: unknown = JSON.parse(line.split('\t', 1)[0] ?? '')
    return Array.isArray(value) ? (value as Operation[]) : []
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

/** The lines of a file, one after the other; none of a file that is gone, as the oldest records go at any time. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  const handle = await open(path, 'r').catch(nullIfMissing)
  if (handle === null) return
  try {
    yield* handle.readLines({ autoClose: false })
  } finally {
    await handle.close()
  }
}
