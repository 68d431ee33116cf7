import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { nullIfMissing, syncDirectory } from '../../lib/disk.ts'
import type { Git } from '../git/git.ts'
import { quarantinePrefix } from './quarantine.ts'

/** Folders of `objects/` in which processes leave something but objects. */
const folders = ['', 'pack', 'info', 'info/commit-graphs']
/** Milliseconds. */
const longestIndexing = 10 * 60_000
const packFile = /^(pack-[0-9a-f]{40})\.(pack|idx|rev|mtimes|bitmap)$/

/**
 * Removes half-written objects and pushes that never arrived, if they are older than a moment (milliseconds since 1970),
 * and what only collections leave. Returns what was removed, as paths in the repository.
 */
export async function removeLeftovers(directory: string, before = Number.POSITIVE_INFINITY): Promise<string[]> {
  const removed: string[] = []
  for (const folder of folders) {
    for (const name of await namesIn(join(directory, 'objects', folder))) {
      const path = join('objects', folder, name)
      const left = isHalfWritten(name) ? await isOlder(join(directory, path), before) : isOfCollection(name)
      if (!left) continue
      await rm(join(directory, path), { recursive: true, force: true })
      removed.push(path)
    }
  }
  return removed
}

function isHalfWritten(name: string): boolean {
  return name.startsWith(quarantinePrefix) || /^\.?tmp_/.test(name)
}

/** Locks, and packs of a `git repack` that was killed: `git gc` takes these for packs, and fails for ever. */
function isOfCollection(name: string): boolean {
  return name.endsWith('.lock') || /^\.tmp-\d+-pack-/.test(name)
}

async function isOlder(path: string, before: number): Promise<boolean> {
  const found = await stat(path).catch(nullIfMissing)
  return found !== null && found.mtimeMs < before
}

/** Files of packs of which others are missing: one is written, or removed, or a process that did so was killed. */
export async function incompletePacks(directory: string): Promise<string[]> {
  const names = await namesIn(join(directory, 'objects', 'pack'))
  const there = new Set(names)
  return names.filter((name) => {
    const [, pack = '', kind = ''] = packFile.exec(name) ?? []
    return kind !== '' && !there.has(`${pack}.${kind === 'pack' ? 'idx' : 'pack'}`)
  })
}

/**
 * Makes packs whole of which a killed process left a part: for one without an index no object can be read, and `git gc`
 * fails for ever. Whether its objects are needed nobody knows, so that it gets an index, and what reaches none of
 * them goes with the next collections. A pack that git cannot read is set aside; an index without its pack is removed.
 *
 * @param names as `incompletePacks` gave them, before whoever may write them had come to an end.
 * @returns what was done away with or made whole, as paths in the repository.
 */
export async function mendPacks(git: Git, directory: string, names: readonly string[]): Promise<string[]> {
  const still = new Set(await incompletePacks(directory))
  const mended = names.filter((name) => still.has(name))
  if (mended.length === 0) return []
  const folder = join(directory, 'objects', 'pack')
  for (const name of mended) {
    if (name.endsWith('.pack')) await indexPack(git, directory, join(folder, name))
    else await rm(join(folder, name), { force: true })
  }
  await syncDirectory(folder)
  return mended.map((name) => join('objects', 'pack', name))
}

async function indexPack(git: Git, directory: string, path: string): Promise<void> {
  const { code } = await git.run(['index-pack', path], { directory, timeout: longestIndexing })
  // Not by the name of a pack: git looks at every file with that ending.
  if (code !== 0) await rename(path, `${path}.damaged`).catch(nullIfMissing)
}

async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(nullIfMissing)) ?? []
}
