import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Maintenance, type MaintenanceOptions } from '#content/maintenance.ts'
import { Repositories } from '#content/repositories.ts'
import type { BareRepository } from '#content/repository.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { author, filesOf, git, newGit } from '#test/support/content/support.ts'

async function maintained(
  options: Partial<MaintenanceOptions>,
): Promise<{ repositories: Repositories; maintenance: Maintenance; errors: unknown[] }> {
  const errors: unknown[] = []
  const maintenance = new Maintenance({ onError: (_, error) => errors.push(error), ...options })
  const repositories = new Repositories({
    directory: await temporaryDirectory(),
    git: newGit(),
    onUpdate: (repository) => maintenance.noteWrite(repository),
  })
  onTestFinished(async () => {
    await maintenance.close()
    await repositories.close()
  })
  return { repositories, maintenance, errors }
}

async function started(
  repositories: Repositories,
  slug = 'docs',
): Promise<{ repository: BareRepository; head: string }> {
  const repository = await repositories.create(slug)
  const files = filesOf(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`d${i % 5}/p${i}`, `${i}\n`])))
  const { commit } = await repository.replaceTree({ files, parent: null, author, message: 'Deploy' })
  await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
  return { repository, head: commit }
}

/** Saves one file on top of a branch and moves it. */
async function save(repository: BareRepository, ref: string, parent: string, content: string): Promise<string> {
  const changes = [{ path: `${ref.slice('refs/heads/'.length)}.mdx`, content: Buffer.from(content) }]
  const { commit } = await repository.commitChanges({ parent, changes, author, message: content })
  await repository.updateRefs([{ ref, old: parent, new: commit }])
  return commit
}

async function looseObjects(repository: BareRepository): Promise<number> {
  return Number(/^count: (\d+)/.exec(await git(repository.directory, 'count-objects', '-v'))?.[1])
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  // A collection gives way to everything else on the machine: what never comes about ends with the time of the test.
  while (!(await condition())) await delay(50)
}

describe('maintenance', () => {
  it('collects a repository after so many writes', async () => {
    const { repositories, errors } = await maintained({ every: 20 })
    const { repository, head } = await started(repositories)
    let parent = head
    for (let number = 0; number < 18; number++) parent = await save(repository, 'refs/heads/main', parent, `${number}`)
    expect(await looseObjects(repository)).toBeGreaterThan(40)
    await save(repository, 'refs/heads/main', parent, 'last')
    await until(async () => (await looseObjects(repository)) === 0)
    expect(await repository.fsck()).toEqual([])
    expect(errors).toEqual([])
  })

  it('collects at start what gathered before', async () => {
    const { repositories, maintenance } = await maintained({})
    const { repository } = await started(repositories)
    // Some twenty of 256 folders’ share: as many as a repository of 5,000 loose objects has in each.
    const contents = Array.from({ length: 24 }, (_, pack) =>
      Array.from({ length: 25 }, (_unused, index) => Buffer.from(`${pack} ${index}`)),
    )
    for (const batch of contents) await repository.writeBlobs(batch)
    const packs = async () => Number(/^packs: (\d+)/m.exec(await git(repository.directory, 'count-objects', '-v'))?.[1])
    expect(await packs()).toBeGreaterThan(20)
    await maintenance.start(repositories)
    expect(await packs()).toBeLessThan(4)
  })

  it('leaves a small repository alone', async () => {
    const { repositories, maintenance } = await maintained({})
    const { repository, head } = await started(repositories)
    await save(repository, 'refs/heads/main', head, 'x')
    const before = await looseObjects(repository)
    await maintenance.start(repositories)
    expect(await looseObjects(repository)).toBe(before)
  })

  it('tells what went wrong and goes on with the others', async () => {
    const { repositories, maintenance, errors } = await maintained({})
    const { repository } = await started(repositories)
    await repositories.create('gone')
    await maintenance.start({
      list: () => Promise.resolve(['missing', 'lost', 'docs']),
      open: (slug) => repositories.open(slug),
    })
    expect(errors).toMatchObject([{ code: 'not_found' }, { code: 'not_found' }])
    await maintenance.collect(repository)
    expect(await looseObjects(repository)).toBe(0)

    const { repository: damaged, head } = await started(repositories, 'damaged')
    const { tree } = await damaged.readCommit(await save(damaged, 'refs/heads/main', head, 'loose'))
    await rm(join(damaged.directory, 'objects', tree.slice(0, 2), tree.slice(2)))
    await Promise.all([maintenance.collect(damaged), maintenance.collect(repository)])
    expect(errors).toHaveLength(3)
    expect(maintenance.counts).toEqual({ done: 2, failed: 1 })
  })

  it('ends when it is closed, and harms nothing by that', async () => {
    const { repositories, maintenance, errors } = await maintained({})
    const { repository } = await started(repositories)
    const collecting = maintenance.collect(repository)
    await delay(5)
    await maintenance.close()
    await collecting
    expect(await repository.fsck()).toEqual([])
    expect(errors).toEqual([])
    // It left nothing that would keep another one from its end.
    await repository.maintain()
    expect(await looseObjects(repository)).toBe(0)
  })

  it('waits for whoever holds it back, and ends waiting when it is closed', async () => {
    const { repositories, maintenance } = await maintained({})
    const { repository, head } = await started(repositories)
    for (let number = 0, parent = head; number < 3; number++)
      parent = await save(repository, 'refs/heads/main', parent, `${number}`)
    const loose = await looseObjects(repository)
    const release = await repository.holdMaintenance()
    const collected = maintenance.collect(repository)
    // Writers go on meanwhile: they do not wait for a collection that waits itself.
    await repository.withoutMaintenance(() => Promise.resolve())
    expect(await looseObjects(repository)).toBe(loose)
    release()
    await collected
    expect(await looseObjects(repository)).toBe(0)

    await repository.holdMaintenance()
    const waiting = maintenance.collect(repository)
    await maintenance.close()
    await waiting
  })

  it('moves no ref while somebody wants to read several', async () => {
    const { repositories } = await maintained({})
    const { repository, head } = await started(repositories)
    let moved: Promise<string> | undefined
    await repository.withRefsLocked(async () => {
      moved = save(repository, 'refs/heads/main', head, 'meanwhile')
      await delay(50)
      expect(await repository.resolveRef('refs/heads/main')).toBe(head)
    })
    expect(await moved).toBe(await repository.resolveRef('refs/heads/main'))
  })

  it('fails no reader and loses no write beside it', async () => {
    const { repositories, maintenance, errors } = await maintained({})
    const { repository, head } = await started(repositories)
    const ended = new AbortController()
    onTestFinished(() => ended.abort())
    let rounds = 0
    const collecting = (async () => {
      for (; !ended.signal.aborted; rounds++) {
        await maintenance.collect(repository)
        await delay(1)
      }
    })()
    let reads = 0
    const reading = (async () => {
      while (!ended.signal.aborted) {
        const main = await repository.resolveRef('refs/heads/main')
        const tree = await repository.readTree(main ?? '')
        // Contents are not cached: each of these asks git.
        await Promise.all([...tree.values()].map((file) => repository.readBlob(file.oid)))
        expect((await repository.log({ from: main ?? '', limit: 5 })).length).toBeGreaterThan(0)
        reads += tree.size
      }
    })()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      const ref = `refs/heads/writer-${writer}`
      await repository.updateRefs([{ ref, old: null, new: head }])
      const saved: string[] = []
      for (let number = 0, parent = head; number < 25; number++) {
        parent = await save(repository, ref, parent, `${writer} ${number}`)
        saved.push(parent)
      }
      return { ref, saved }
    })
    const results = await Promise.all(writers)
    // Then all are published, one after the other, still beside the collection.
    let main = head
    for (const { ref, saved } of results) {
      const branch = saved.at(-1) ?? ''
      const { tree } = await repository.mergeTree(main, branch)
      const merge = await repository.commitTree({
        tree: tree ?? '',
        parents: [main, branch],
        author,
        message: 'Publish',
      })
      await repository.updateRefs([
        { ref: 'refs/heads/main', old: main, new: merge },
        { ref, old: branch, new: null },
      ])
      main = merge
    }
    await expect.poll(() => Math.min(rounds, 2)).toBe(2)
    await expect.poll(() => reads).toBeGreaterThan(100)
    ended.abort()
    await Promise.all([reading, collecting])
    const kept = new Set((await repository.log({ from: main, limit: 1000 })).map(({ oid }) => oid))
    for (const { saved } of results) for (const oid of saved) expect(kept).toContain(oid)
    expect(await repository.fsck()).toEqual([])
    expect(errors).toEqual([])
  })
})
