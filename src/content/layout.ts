import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, unlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { limits } from '../contract/limits.ts'
import { syncDirectory } from './durable.ts'
import { sweepQuarantines } from './quarantine.ts'

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
 * Makes an empty bare repository, durable and all or nothing: it is built beside its place and renamed into it.
 *
 * @throws the file system’s ENOTEMPTY or EEXIST when the directory is taken.
 */
export async function createLayout(parent: string, name: string): Promise<void> {
  const draft = join(parent, `.new-${randomBytes(8).toString('hex')}`)
  try {
    for (const directory of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'])
      await mkdir(join(draft, directory), { recursive: true })
    await writeSynced(join(draft, 'HEAD'), 'ref: refs/heads/main\n')
    await writeSynced(join(draft, 'config'), config)
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
 * pushes that never arrived.
 */
export async function sweep(directory: string): Promise<string[]> {
  const quarantines = await sweepQuarantines(directory)
  const found: string[] = []
  for (const [folder, deep] of [
    ['', false],
    ['refs', true],
    ['objects', true],
  ] as const) {
    const entries = await readdir(join(directory, folder), { withFileTypes: true, recursive: deep })
    for (const entry of entries) {
      if (!entry.isFile()) continue
      if (entry.name.endsWith('.lock') || entry.name === 'gc.pid' || /^\.?tmp_/.test(entry.name))
        found.push(join(entry.parentPath, entry.name))
    }
  }
  for (const path of found) await unlink(path)
  return [...quarantines, ...found].map((path) => relative(directory, path)).sort()
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o644)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}
