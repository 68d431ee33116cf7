import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Git } from '#content/git/git.ts'
import { repositoryConfig } from '#content/git/repository-config.ts'
import { Repositories } from '#content/repositories.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { commit } from '#test/support/content/contract/support.ts'
import { newGit, newRepositories } from '#test/support/content/support.ts'

type Mended = Record<string, readonly string[] | Error>

/** Repositories that own their data directory, and what they say they put right. */
async function owned(directory: string, git = newGit()) {
  const mended: Mended = {}
  const repositories = new Repositories({ directory, git, onMend: (id, what) => (mended[id] = what) })
  onTestFinished(() => repositories.close())
  await repositories.sweep()
  return { repositories, mended }
}

/** A repository with a commit on main, and nobody who works in it. */
async function left() {
  const { repositories, directory } = await newRepositories()
  const repository = await repositories.create('docs')
  const oid = await commit(repository, { 'index.mdx': '# Home' })
  await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: oid }])
  await repositories.close()
  return { directory, path: repository.directory, oid }
}

describe('the first opening of a repository', () => {
  it('removes what a killed process left, once', async () => {
    const { directory, path, oid } = await left()
    const names = [
      'HEAD.lock',
      'gc.pid',
      'gc.pid.lock',
      'objects/info/commit-graph.lock',
      'objects/pack/tmp_pack_1',
      'objects/tmp_obj_1',
      'packed-refs.lock',
      'packed-refs.new',
      'refs/heads/main.lock',
    ]
    for (const name of names) await writeFile(join(path, name), '')
    await mkdir(join(path, 'objects', 'tmp_objdir-push-1', 'pack'), { recursive: true })
    const { repositories, mended } = await owned(directory)
    expect(mended).toEqual({})
    const repository = await repositories.open('docs')
    expect(mended).toEqual({ docs: [...names, 'objects/tmp_objdir-push-1'].sort() })
    await repository.updateRefs([{ ref: 'refs/heads/main', old: oid, new: null }])
    await writeFile(join(path, 'refs', 'heads', 'other.lock'), '')
    await repositories.open('docs')
    expect(await readFile(join(path, 'refs', 'heads', 'other.lock'), 'utf8')).toBe('')
  })

  it.each([
    ['is damaged', '[core\n\tbare = tr'],
    ['is missing', null],
    ['is empty', ''],
    ['says something else', '[core]\n\tfsync = none\n\thooksPath = /tmp\n[gc]\n\tauto = 1\n'],
  ])('writes the settings anew where their file %s, and HEAD', async (_, text) => {
    const { directory, path, oid } = await left()
    await rm(join(path, 'HEAD'))
    if (text === null) await rm(join(path, 'config'))
    else await writeFile(join(path, 'config'), text)
    const { repositories, mended } = await owned(directory)
    const repository = await repositories.open('docs')
    expect(mended).toEqual({ docs: ['HEAD', 'config'] })
    expect(await readFile(join(path, 'config'), 'utf8')).toBe(repositoryConfig)
    expect(await repository.resolveRef('refs/heads/main')).toBe(oid)
    expect(await repository.fsck()).toEqual([])
  })

  it('changes nothing for whoever does not own the directory', async () => {
    const { directory, path } = await left()
    await writeFile(join(path, 'refs', 'heads', 'main.lock'), '')
    const reader = new Repositories({ directory, git: newGit() })
    onTestFinished(() => reader.close())
    await reader.open('docs')
    expect(await readFile(join(path, 'refs', 'heads', 'main.lock'), 'utf8')).toBe('')
  })

  it('goes on where nothing can be put right', async () => {
    const { directory, path, oid } = await left()
    // A folder where the file should be: not even its owner can put the file there.
    await rm(join(path, 'config'))
    await mkdir(join(path, 'config', 'in-the-way'), { recursive: true })
    const { repositories, mended } = await owned(directory)
    expect(await (await repositories.open('docs')).resolveRef('refs/heads/main')).toBe(oid)
    expect(mended['docs']).toBeInstanceOf(Error)
  })

  it('costs the start no process and no look into the repositories, however many there are', async () => {
    const { directory } = await left()
    const log = join(await temporaryDirectory(), 'trace')
    const git = new Git({ searchPath: process.env['PATH'], environment: { GIT_TRACE2_EVENT: log } })
    for (let number = 0; number < 200; number++)
      await mkdir(join(directory, `p${number}.git`, 'objects', 'tmp_objdir-push-1'), { recursive: true })
    const { repositories, mended } = await owned(directory, git)
    expect(await repositories.list()).toHaveLength(201)
    expect(mended).toEqual({})
    await repositories.open('p7')
    expect(Object.keys(mended)).toEqual(['p7'])
    await expect(readFile(log)).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

it('is one object for as long as somebody works with it, however many are opened meanwhile', async () => {
  const { directory } = await left()
  const many = 1_100
  for (let number = 0; number < many; number++)
    await mkdir(join(directory, `p${number}.git`, 'objects'), { recursive: true })
  const repositories = new Repositories({ directory, git: newGit() })
  onTestFinished(() => repositories.close())
  const repository = await repositories.open('docs')
  for (let number = 0; number < many; number++) await repositories.open(`p${number}`)
  expect(await repositories.open('docs')).toBe(repository)
})

it('moves refs as durably when the file with the settings is lost while the service runs', async () => {
  const { directory, path, oid } = await left()
  const log = join(await temporaryDirectory(), 'trace')
  const git = new Git({ searchPath: process.env['PATH'], environment: { GIT_TRACE2_EVENT: log } })
  const { repositories } = await owned(directory, git)
  const repository = await repositories.open('docs')
  await rm(join(path, 'config'))
  await repository.updateRefs([{ ref: 'refs/heads/next', old: null, new: oid }])
  // Git tells at its end how often it flushed.
  await repositories.close()
  const events = (await readFile(log, 'utf8')).split('\n').filter((line) => line.includes('"category":"fsync"'))
  const flushes = events.map((line) => JSON.parse(line) as { key: string; value: string })
  expect(flushes.filter(({ key }) => key === 'fsync/hardware-flush').map(({ value }) => Number(value))).toEqual([1])
})
