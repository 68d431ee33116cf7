import { createWriteStream } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { Repositories } from '#content/repositories.ts'
import { OperatedProjects } from '#operator/projects.ts'
import { DataDirectory } from '#storage/directory/data-directory.ts'
import { lookAt, openRoom, type ChangelogRoom } from '#test/support/changelog/support.ts'
import { openHosting } from '#test/support/hosting/support.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { backupTo, checkOf, git, operatorClient, restoreInto, slug } from '#test/support/operator/support.ts'

async function openService() {
  const { hosting, directory } = await openHosting()
  const repositories = new Repositories({ directory, git })
  onTestFinished(() => repositories.close())
  const room = await openRoom({ directory })
  const { records } = room
  const projects = new OperatedProjects({
    directory: new DataDirectory(directory),
    repositories,
    hosting,
    records,
    repairReleases: () => Promise.reject(new Error('nothing is to be repaired')),
    collectReleases: () => Promise.resolve({ releases: 0, bytes: 0 }),
  })
  return { room, projects, directory }
}

/** Everything that the files of the changelog hold. */
async function textIn(directory: string): Promise<string> {
  const folder = join(directory, slug, 'changelog')
  const names = await readdir(folder)
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
}

const filler = 'what is new '.repeat(2000)

/** Changes and deletes entries until it is told to stop. */
function startWriter({ changelog }: ChangelogRoom, name: string) {
  const kept: string[] = []
  let turns = 0
  const ending = new AbortController()
  const write = async (): Promise<void> => {
    for (; !ending.signal.aborted; turns++) {
      const { id } = await changelog.create(slug, { title: name, content: `doomed ${name} ${turns} ${filler}` })
      await changelog.update(slug, { id, content: `kept ${name} ${turns}`, is_draft: false })
      if (turns % 3 > 0) await changelog.remove(slug, id)
      else kept.push(id)
    }
  }
  const written = write()
  const stop = async (): Promise<void> => {
    ending.abort()
    await written
  }
  return { kept, turns: () => turns, stop }
}

it('a backup holds the changelog of one moment, however much it is written meanwhile', async () => {
  const { room, projects, directory } = await openService()
  for (let index = 0; index < 100; index++)
    await room.changelog.create(slug, { title: `Entry ${index}`, content: `${index} ${filler.repeat(4)}` })
  const writers = ['ada', 'grace', 'edsger'].map((name) => startWriter(room, name))
  while (writers.some(({ kept }) => kept.length < 2)) await nextTurn()
  const before = writers.flatMap(({ kept }) => kept)
  const turns = writers.map((writer) => writer.turns())
  const file = join(await temporaryDirectory(), 'backup.tar.gz')
  // Takes no more than the writers have done something for.
  const slow = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const reached = writers.map((writer) => writer.turns())
      const wait = (): void => {
        if (writers.every((writer, index) => writer.turns() > (reached[index] ?? 0))) done(null, chunk)
        else setImmediate(wait)
      }
      wait()
    },
  })
  const written = pipeline(slow, createWriteStream(file))
  await backupTo(directory, slow, await operatorClient({ hold: (name) => projects.hold(name) }))
  await written
  for (const writer of writers) await writer.stop()
  for (const [index, writer] of writers.entries()) expect(writer.turns()).toBeGreaterThan(turns[index] ?? 0)

  await expect.poll(() => textIn(directory)).not.toContain('doomed')
  const restored = join(await temporaryDirectory(), 'new')
  await restoreInto(restored, file)
  // The project has nothing but a changelog.
  const { problems, notes } = await checkOf(restored)
  expect([...problems, ...notes].filter(({ where }) => where.startsWith('changelog'))).toEqual([])
  await lookAt(restored, slug, async (entries) => {
    for (const id of before) expect((await entries.read(id))?.texts.content).toMatch(/^kept /)
    expect(entries.index.size).toBeGreaterThanOrEqual(100 + before.length)
  })
  expect(room.errors).toEqual([])
})

it('what was deleted while a project is held is erased when it is let go', async () => {
  const { room, projects, directory } = await openService()
  const { id } = await room.changelog.create(slug, { title: 'Entry', content: 'secret', tags: ['confidential'] })
  const hold = await projects.hold(slug)
  await room.changelog.remove(slug, id)
  expect(await textIn(directory)).toMatch(/confidential[^]*secret/)
  hold.release()
  await expect.poll(() => textIn(directory)).not.toMatch(/confidential|secret/)
})

it('what was deleted while a project is held is erased when the service ends, too', async () => {
  const { room, projects, directory } = await openService()
  const { id } = await room.changelog.create(slug, { title: 'Entry', content: 'secret' })
  const hold = await projects.hold(slug)
  await room.changelog.remove(slug, id)
  await room.changelog.close()
  await room.records.close()
  expect(await textIn(directory)).not.toContain('secret')
  hold.release()
})

it('a changelog that cannot be read keeps nothing from being held', async () => {
  const { room, projects, directory } = await openService()
  const folder = join(directory, slug, 'changelog')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'entries-1.jsonl'), '{"format":1,"tex\n')
  const hold = await projects.hold(slug)
  expect(hold.snapshot.grown).toEqual({ 'changelog/entries-1.jsonl': 17 })
  hold.release()
  await expect(room.changelog.newest50(slug)).rejects.toThrow('JSON')
})
