import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Quarantine } from '#content/objects/quarantine.ts'
import type { BareRepository } from '#content/repository.ts'
import { author, filesOf, git, newGit, newRepositories } from '#test/support/content/support.ts'

/** A repository with a commit on main, and a push whose pack is still in quarantine. */
async function pushed() {
  const { repositories, directory } = await newRepositories()
  const [source, target] = [await repositories.create('source'), await repositories.create('target')]
  const make = (repository: BareRepository, text: string) =>
    repository.replaceTree({ files: filesOf({ 'index.mdx': text }), parent: null, author, message: text })
  const kept = await make(target, 'kept')
  await target.updateRefs([{ ref: 'refs/heads/main', old: null, new: kept.commit }])
  const { commit } = await make(source, 'pushed')
  await source.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
  const pack = await newGit().check(['pack-objects', '--all', '--stdout', '-q'], { directory: source.directory })
  const quarantine = await Quarantine.open(newGit(), target.directory)
  await quarantine.git.check(['index-pack', '--stdin'], { directory: target.directory, input: pack })
  const packs = join(target.directory, 'objects', 'pack')
  const name = (await readdir(join(quarantine.folder, 'pack'))).find((file) => file.endsWith('.pack')) ?? ''
  /** What `migrate` has done when the process is killed after the first file. */
  const migrateOnly = (ending: 'pack' | 'idx') =>
    rename(join(quarantine.folder, 'pack', name.replace(/pack$/, ending)), join(packs, name.replace(/pack$/, ending)))
  return { repositories, directory, target, quarantine, commit, packs, name, migrateOnly }
}

/** Ids of the objects that Git finds. */
async function objects(repository: BareRepository): Promise<string[]> {
  const all = await git(repository.directory, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)')
  return all.split('\n')
}

describe('a push that was killed between the files of its pack', () => {
  it.each(['pack', 'idx'] as const)('keeps no collection from its end when only its .%s arrived', async (ending) => {
    const { target, commit, migrateOnly } = await pushed()
    await migrateOnly(ending)
    expect(await objects(target)).not.toContain(commit)
    await target.maintain()
    expect(await target.fsck()).toEqual([])
    // What nobody knows to be rubbish stays for as long as other objects that no ref keeps.
    expect((await objects(target)).includes(commit)).toBe(ending === 'pack')
    await target.maintain()
    expect(await target.fsck()).toEqual([])
  })

  it('has its objects back at the next start', async () => {
    const { repositories, target, commit, packs, name, migrateOnly } = await pushed()
    await migrateOnly('pack')
    await repositories.sweep()
    await repositories.open('target')
    expect(await objects(target)).toContain(commit)
    expect(await readdir(packs)).toContain(name.replace(/pack$/, 'idx'))
  })

  it('loses no object of a pack that a ref needs, also when it is the index that was lost', async () => {
    const { target, quarantine, commit, packs, name } = await pushed()
    await quarantine.migrate()
    await target.updateRefs([{ ref: 'refs/heads/other', old: null, new: commit }])
    await rm(join(packs, name.replace(/pack$/, 'idx')))
    await target.maintain()
    expect(await target.fsck()).toEqual([])
    expect(await objects(target)).toContain(commit)
  })
})

it('sets a pack aside that cannot be read, and goes on', async () => {
  const { target, packs, name, migrateOnly } = await pushed()
  await migrateOnly('pack')
  await truncate(join(packs, name), 40)
  await target.maintain()
  expect(await readdir(packs)).toContain(`${name}.damaged`)
  await target.maintain()
  expect(await target.fsck()).toEqual([])
})

it('goes on after a collection that was killed while it moved its packs into place', async () => {
  const { target, quarantine, packs, name } = await pushed()
  await rename(join(quarantine.folder, 'pack', name), join(packs, `.tmp-4711-${name}`))
  await target.maintain()
  expect((await readdir(packs)).filter((file) => file.startsWith('.tmp'))).toEqual([])
  expect(await target.fsck()).toEqual([])
})

it('waits with a pack that is being written until its writer has ended', async () => {
  const { target, packs, name, migrateOnly } = await pushed()
  const index = name.replace(/pack$/, 'idx')
  let end: () => void = () => undefined
  const waiting = new Promise<void>((resolve) => (end = resolve))
  const writing = target.withoutMaintenance(async () => {
    await migrateOnly('pack')
    await waiting
    expect(await readdir(packs)).not.toContain(index)
    await migrateOnly('idx')
  })
  const collecting = target.maintain()
  end()
  await Promise.all([writing, collecting])
  expect(await target.fsck()).toEqual([])
})

it('removes before a collection what half-written objects are older than any push, and locks of dead collections', async () => {
  const { target, quarantine } = await pushed()
  const { directory } = target
  const old = join(directory, 'objects', 'tmp_objdir-push-old')
  await mkdir(join(old, 'pack'), { recursive: true })
  await writeFile(join(directory, 'objects', 'pack', 'tmp_pack_old'), 'x')
  await mkdir(join(directory, 'objects', 'info'), { recursive: true })
  await writeFile(join(directory, 'objects', 'info', 'commit-graph.lock'), '')
  const before = new Date(Date.now() - 2 * 60 * 60_000)
  for (const path of [old, join(directory, 'objects', 'pack', 'tmp_pack_old')]) await utimes(path, before, before)
  await target.maintain()
  const left = await readdir(join(directory, 'objects'), { recursive: true })
  expect(left.filter((name) => /old|\.lock$/.test(name))).toEqual([])
  expect(await quarantine.objects()).toHaveLength(3)
})

describe('git that somebody runs by hand in a repository', () => {
  /** All files of the object store, with digests. */
  async function stored(repository: BareRepository): Promise<Record<string, string>> {
    const found: Record<string, string> = {}
    const root = join(repository.directory, 'objects')
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const path = join(entry.parentPath, entry.name)
      if (!path.includes('commit-graph'))
        found[path] = createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
    }
    return found
  }

  it.each([
    ['gc', '--prune=now'],
    ['gc', '--aggressive', '--prune=all'],
    ['prune', '--expire=now'],
    ['repack', '-a', '-d'],
    ['maintenance', 'run', '--task=gc'],
  ])(
    '%s %s loses nothing: neither a deploy before its refs move, nor content sent ahead, nor a push',
    async (...words) => {
      const { target, quarantine, commit } = await pushed()
      const parent = await target.resolveRef('refs/heads/main')
      const deploy = await target.replaceTree({ files: filesOf({ 'b.mdx': 'new' }), parent, author, message: 'next' })
      await target.writeBlobs([Buffer.from('sent ahead')])
      const before = await stored(target)
      await git(target.directory, ...words).catch(() => undefined)
      expect(await stored(target)).toEqual(before)

      await target.updateRefs([{ ref: 'refs/heads/main', old: parent, new: deploy.commit }])
      await quarantine.migrate()
      await target.updateRefs([{ ref: 'refs/heads/pushed', old: null, new: commit }])
      expect(await target.fsck()).toEqual([])
    },
  )

  it('does not keep the service from collecting', async () => {
    const { target, quarantine } = await pushed()
    await quarantine.remove()
    const [blob = ''] = await target.writeBlobs([Buffer.from('sent ahead')])
    const long = new Date(Date.now() - 30 * 24 * 60 * 60_000)
    await utimes(join(target.directory, 'objects', blob.slice(0, 2), blob.slice(2)), long, long)
    await target.maintain()
    expect(await objects(target)).not.toContain(blob)
    await git(target.directory, 'gc', '--prune=now')
    await expect(git(target.directory, 'prune')).rejects.toThrow('precious')
  })
})
