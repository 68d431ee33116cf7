import type { Dirent } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing } from '../../lib/disk.ts'

/** `packed-refs.new` is no lock by name, but git refuses to delete or pack any ref while it is there. */
const besideRefs = ['HEAD.lock', 'packed-refs.lock', 'packed-refs.new']

/**
 * Removes the locks of refs that a dead process of git left: they would block every later writer. Only while no
 * process works on the refs of the repository. Returns what was removed, as paths in it.
 */
export async function removeRefLocks(directory: string): Promise<string[]> {
  const names = new Set(await readdir(directory))
  const found = [...besideRefs.filter((name) => names.has(name)), ...(await locksBelow(directory, 'refs'))]
  for (const path of found) await rm(join(directory, path), { force: true })
  return found
}

async function locksBelow(directory: string, folder: string): Promise<string[]> {
  const entries: Dirent[] = (await readdir(join(directory, folder), { withFileTypes: true }).catch(nullIfMissing)) ?? []
  const found: string[] = []
  for (const entry of entries) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) found.push(...(await locksBelow(directory, path)))
    else if (entry.name.endsWith('.lock')) found.push(path)
  }
  return found
}
