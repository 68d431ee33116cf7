import { join } from 'node:path'
import { Failure } from '../../contract/failure.ts'
import { readIfThere, replaceFile, type FileSystem } from '../../lib/durable-file.ts'

const startsFile = '.starts'

/** Counts this start of the store, durably, and gives its number: 1, 2, 3 … Fencing numbers grow by it. */
export async function countStart(directory: string, fs: FileSystem): Promise<number> {
  const path = join(directory, startsFile)
  const text = await readIfThere(fs, path)
  const before = text === null ? 0 : Number(text)
  if (!Number.isSafeInteger(before) || before < 0) {
    throw new Failure('unavailable', `${path} is damaged: it must hold the number of starts so far.`, {
      hint: 'Restore it from a backup.',
    })
  }
  await replaceFile(fs, path, `${before + 1}\n`)
  return before + 1
}
