import { readdir } from 'node:fs/promises'
import { hasCode, isMissing } from '../lib/disk.ts'
import { removeFile, type FileSystem } from '../storage/durable-file.ts'
import { openLineFile, type LineFile, type Position } from '../storage/line-file.ts'
import type { EntryRecord } from './entry.ts'

/** Lines written at once when texts are copied: bounds memory. */
const batchBytes = 4 * 1024 * 1024

/** Writes the texts of entries into a new file. Returns it with the records as they are then. */
export async function copyTexts(
  from: LineFile,
  records: readonly EntryRecord[],
  to: { readonly fs: FileSystem; readonly path: string },
): Promise<{ readonly file: LineFile; readonly records: readonly EntryRecord[] }> {
  await removeFile(to.fs, to.path)
  const file = await openLineFile(to.path, to.fs)
  const moved: EntryRecord[] = []
  let batch: { record: EntryRecord; text: string }[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    const places = await file.append(batch.map(({ text }) => text))
    for (const [index, place] of places.entries()) {
      const record = batch[index]?.record
      if (record !== undefined) moved.push({ ...record, place })
    }
    batch = []
    bytes = 0
  }
  for (const record of records) {
    batch.push({ record, text: await from.read(record.place) })
    bytes += record.place.length
    if (bytes >= batchBytes) await flush()
  }
  await flush()
  return { file, records: moved }
}

/** The number of a file of a kind; 0 for other files. */
export function numberOf(name: string, kind: 'entries' | 'texts'): number {
  return Number(new RegExp(`^${kind}-([1-9]\\d{0,14})\\.jsonl$`).exec(name)?.[1] ?? 0)
}

/** Names of the files of a log; none where there is no directory. */
export async function fileNames(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory)
    return names.filter((name) => /^(?:entries|texts)-\d+\.jsonl(?:\.new)?$/.test(name))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** The text at a place; undefined when the file was closed, because another one has taken its place. */
export async function readLine(file: LineFile, place: Position): Promise<string | undefined> {
  try {
    return await file.read(place)
  } catch (error) {
    if (hasCode(error, 'EBADF')) return undefined
    throw error
  }
}
