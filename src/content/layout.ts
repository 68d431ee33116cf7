import { randomBytes } from 'node:crypto'
import type { Dirent } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { limits } from '../contract/limits.ts'
import { nullIfMissing, syncDirectory, writeNewFile } from '../lib/disk.ts'
import { endLeftoverCollection } from './objects/garbage-collection.ts'
import { sweepQuarantines } from './objects/quarantine.ts'

/** https://git-scm.com/docs/gitrepository-layout and git-config. */
const config = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	logAllRefUpdates = false
	fsync = all
	fsyncMethod = batch
	hooksPath = /dev/null
	filesRefLockTimeout = 2000
	packedRefsTimeout = 5000
[gc]
	auto = 0
[receive]
	autogc = false
	denyNonFastForwards = true
	maxInputSize = ${20 * limits.requestBytes}
[transfer]
	fsckObjects = true
	hideRefs = refs/internal
[uploadpack]
	allowFilter = true
[merge]
	directoryRenames = false
`

/**
 * Makes an empty bare repository, durable and all or nothing: it is made under another name and then renamed.
 *
 * @throws the file system’s ENOTEMPTY or EEXIST when the directory is taken.
 */
export async function createLayout(parent: string, name: string): Promise<void> {
  const draft = join(parent, `.new-${randomBytes(8).toString('hex')}`)
  try {
    for (const directory of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
      await mkdir(join(draft, directory), { recursive: true })
    await writeNewFile(join(draft, 'HEAD'), 'ref: refs/heads/main\n', 0o644)
    await writeNewFile(join(draft, 'config'), config, 0o644)
    for (const directory of ['objects/info', 'objects/pack', 'objects', 'refs/heads', 'refs/tags', 'refs', ''])
      await syncDirectory(join(draft, directory))
    await rename(draft, join(parent, name))
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
  await syncDirectory(parent)
}

/**
 * Removes what a killed process left: lock files (they would block every later writer), half-written objects and
 * pushes that never arrived. A `git gc` that outlived the service that started it is ended first.
 */
export async function sweep(directory: string): Promise<string[]> {
  await endLeftoverCollection(directory)
  const quarantines = await sweepQuarantines(directory)
  const found = [
    ...(await namesOf(directory)).filter(({ entry }) => entry.isFile()),
    ...(await entriesBelow(join(directory, 'refs'))),
    ...(await entriesBelow(join(directory, 'objects'))),
  ]
  const left = found.filter(({ entry }) => isLeftover(entry.name)).map(({ path }) => path)
  for (const path of left) await rm(path, { force: true })
  return [...quarantines, ...left].map((path) => relative(directory, path)).sort()
}

/** `packed-refs.new` is no lock by name, but git refuses to delete or pack any ref while it is there. */
function isLeftover(name: string): boolean {
  return name.endsWith('.lock') || name === 'gc.pid' || name === 'packed-refs.new' || /^\.?tmp_/.test(name)
}

interface NamedEntry {
  readonly path: string
  readonly entry: Dirent
}

/** All that is below a directory but directories; what goes while this looks is left out. */
export async function entriesBelow(directory: string): Promise<NamedEntry[]> {
  const found: NamedEntry[] = []
  for (const { path, entry } of await namesOf(directory)) {
    if (entry.isDirectory()) found.push(...(await entriesBelow(path)))
    else found.push({ path, entry })
  }
  return found
}

/** What lies in a directory; nothing when it was removed meanwhile. */
async function namesOf(directory: string): Promise<NamedEntry[]> {
  const entries = (await readdir(directory, { withFileTypes: true }).catch(nullIfMissing)) ?? []
  return entries.map((entry) => ({ path: join(directory, entry.name), entry }))
}
