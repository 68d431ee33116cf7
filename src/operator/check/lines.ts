import { open } from 'node:fs/promises'
import { nullIfMissing } from '../../lib/disk.ts'

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
