import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'

/** Tells one state of a repository’s packed refs from another, finer than git does; empty where there are none. */
export async function packedVersion(directory: string): Promise<string> {
  const now = await stat(join(directory, 'packed-refs'), { bigint: true }).catch(nullIfMissing)
  return now === null ? '' : `${now.ino} ${now.size} ${now.mtimeNs}`
}
