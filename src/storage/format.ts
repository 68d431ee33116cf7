import { join } from 'node:path'
import { Failure } from '../contract/failure.ts'
import { diskFileSystem, readIfThere, replaceFile } from '../lib/durable-file.ts'

/**
 * Version of what a data directory as a whole may hold. It grows only when a service of before would lose or misread
 * something: what it would merely leave alone is no reason. See README.md.
 */
export const dataFormat = 2
/** Absent where nothing has opened the directory since there is such a file: version 1, or 2. */
export const formatFile = '.format'

/**
 * Throws Failure `unavailable` for a data directory that a newer version has written: to go on would lose data. Nothing
 * has been changed then.
 */
export async function requireKnownFormat(directory: string): Promise<void> {
  const text = await readIfThere(diskFileSystem, join(directory, formatFile))
  // What stands there is no number: the disk has lost it. Each document has one of its own.
  const format = text !== null && /^\d{1,9}\n?$/.test(text) ? Number(text) : dataFormat
  if (format <= dataFormat) return
  throw new Failure(
    'unavailable',
    `The data directory ${directory} has format ${format}; this version of Quire reads up to ${dataFormat}.`,
    {
      hint: 'A newer version of Quire wrote it. Start that version, or restore a backup from before the upgrade into another directory.',
      lasts: true,
    },
  )
}

/** Before anything is written that versions of before cannot read: from here on they refuse. Durable; once more changes nothing. */
export async function noteFormat(directory: string): Promise<void> {
  const path = join(directory, formatFile)
  const text = `${dataFormat}\n`
  if ((await readIfThere(diskFileSystem, path)) !== text) await replaceFile(diskFileSystem, path, text)
}
