import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { streamNames } from '../../storage/records.ts'
import { filesBelow } from '../snapshot.ts'
import type { Findings } from './findings.ts'
import { linesOf } from './lines.ts'

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
