import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'

/** Told of what a look at a data directory finds. */
export interface FaultReport {
  /** Something is lost or damaged. @param next What to do; without it to restore a backup. */
  problem(where: string, problem: string, next?: string): void
  /** The service mends it, or it only takes room. */
  note(where: string, problem: string, next: string): void
}

/**
 * Paths of a folder's files, with the folder in front, sorted; none where there is no such folder. Those that are being
 * written, and hidden ones, are left out.
 */
export async function filesBelow(root: string, folder = ''): Promise<string[]> {
  const entries = (await readdir(join(root, folder), { withFileTypes: true }).catch(nullIfMissing)) ?? []
  const files: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name.startsWith('.') || entry.name.endsWith('.tmp')) continue
    if (entry.isDirectory()) files.push(...(await filesBelow(root, path)))
    else if (entry.isFile()) files.push(path)
  }
  return files
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

/** The value of a text; undefined where it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
