import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'
import { diskFileSystem, removeFile, replaceFile } from '../../lib/durable-file.ts'
import { isOid, type RefUpdate } from '../repository.ts'

/** An update that says what was there before. */
type JournaledUpdate = Required<RefUpdate>

/** Beside HEAD; git looks at nothing of this name. */
export const journalFile = 'moving-refs.json'

/**
 * The refs that a transaction moves, on disk for as long as git moves them, one after the other. Durable before the first
 * of them moves, and gone before anybody is told of the end: nobody else has moved one of them then.
 */
export async function writeJournal(directory: string, updates: readonly RefUpdate[]): Promise<void> {
  await replaceFile(diskFileSystem, join(directory, journalFile), JSON.stringify(updates))
}

/** Null where there is none, or one that cannot be read. */
export async function readJournal(directory: string): Promise<readonly JournaledUpdate[] | null> {
  const text = await readFile(join(directory, journalFile), 'utf8').catch(nullIfMissing)
  if (text === null) return null
  try {
    const updates = JSON.parse(text) as unknown
    return Array.isArray(updates) && updates.every(isUpdate) ? updates : null
  } catch {
    return null
  }
}

export function removeJournal(directory: string): Promise<void> {
  return removeFile(diskFileSystem, join(directory, journalFile))
}

function isUpdate(value: unknown): value is JournaledUpdate {
  const { ref, old, new: next } = value as Record<string, unknown>
  const isValue = (oid: unknown): boolean => oid === null || (typeof oid === 'string' && isOid(oid))
  return typeof ref === 'string' && isValue(old) && isValue(next)
}
