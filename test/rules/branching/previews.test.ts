import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Previews, type PreviewEvent } from '#branching/previews.ts'
import type { BranchRecord } from '#branching/registry.ts'
import { Failure } from '#contract/failure.ts'
import { Rooms, projectId } from '#test/support/rooms.ts'

let rooms: Rooms

beforeEach(async () => {
  rooms = await Rooms.open()
  await rooms.deploy({ 'index.md': 'main' })
})

const previewEvents = (): string[] =>
  rooms.events.flatMap((event) => ('build' in event ? [`${event.branch} ${event.build.status}`] : []))

describe('a preview', () => {
  it('is there with the branch and shows main, without a build', async () => {
    const { builds } = rooms.builder
    const branch = await rooms.previewed(await rooms.branch('fresh'))
    expect(rooms.builder.builds).toBe(builds)
    expect(branch.preview).toMatchObject({ kind: 'preview', status: 'live', branch: 'fresh', served: branch.head })
    expect(rooms.preview(branch, '/index.md')).toBe('main')
  })

  it('shows each save, and is told with its end', async () => {
    const branch = await rooms.previewed(await rooms.branch('intro'))
    await rooms.save(branch, 'index.md', 'two')
    const shown = await rooms.previewed(branch)
    expect(shown.preview).toMatchObject({ status: 'live', served: shown.head, commit: shown.head })
    expect(rooms.preview(branch, '/index.md')).toBe('two')
    expect(rooms.site('/index.md')).toBe('main')
    await expect.poll(previewEvents).toEqual(['intro live', 'intro live'])
  })

  it('is gone with its branch, and back with a branch of the same name', async () => {
    const branch = await rooms.branch('short')
    await rooms.save(branch, 'index.md', 'two')
    await rooms.previewed(branch)
    await rooms.branches.remove(projectId, branch.id)
    expect(rooms.recordOf(branch)).toBeUndefined()
    const again = await rooms.previewed(await rooms.branch('short'))
    expect(rooms.preview(again, '/index.md')).toBe('main')
  })

  it('of names that look alike are different sites', async () => {
    for (const name of ['a/b', 'a-b', 'a_b']) {
      const branch = await rooms.branch(name)
      await rooms.save(branch, 'index.md', name)
      await rooms.previewed(branch)
    }
    for (const branch of await rooms.list()) expect(rooms.preview(branch, '/index.md')).toBe(branch.name)
  })

  it('ends on the last of ten quick saves, with fewer builds than saves', async () => {
    const branch = await rooms.previewed(await rooms.branch('quick'))
    rooms.builder.holding = true
    const before = rooms.builder.texts.length
    await rooms.save(branch, 'index.md', 'save 1')
    await expect.poll(() => rooms.builder.held.length).toBe(1)
    for (let n = 2; n <= 10; n++) await rooms.save(branch, 'index.md', `save ${n}`)
    expect((await rooms.read(branch)).preview).toMatchObject({ status: 'building' })
    rooms.builder.release()
    const shown = await rooms.previewed(branch)
    expect(rooms.builder.texts.slice(before)).toEqual(['save 1', 'save 10'])
    expect(shown.preview).toMatchObject({ status: 'live', served: shown.head })
    expect(rooms.preview(branch, '/index.md')).toBe('save 10')
  })

  it('never goes back to an older save, however long its build takes', async () => {
    const branch = await rooms.previewed(await rooms.branch('order'))
    const texts = (): string[] => rooms.builder.held.map(({ text }) => text)
    rooms.builder.holding = true
    await rooms.save(branch, 'index.md', 'older')
    await expect.poll(texts).toEqual(['older'])
    await rooms.save(branch, 'index.md', 'newer')
    // The older build still runs; the newer one waits for it and then has the last word.
    rooms.builder.held[0]?.open()
    await expect.poll(texts).toEqual(['older', 'newer'])
    expect(rooms.preview(branch, '/index.md')).toBe('older')
    rooms.builder.release()
    await rooms.previewed(branch)
    expect(rooms.preview(branch, '/index.md')).toBe('newer')
  })

  it('waits for its turn when two are being built', async () => {
    rooms.builder.holding = true
    const branches = []
    for (const name of ['one', 'two', 'three']) {
      const branch = await rooms.branch(name)
      await rooms.save(branch, 'index.md', name)
      branches.push(branch)
    }
    await expect.poll(() => rooms.builder.held.length).toBe(2)
    const statuses = await Promise.all(branches.map(async (branch) => (await rooms.read(branch)).preview.status))
    expect(statuses.sort()).toEqual(['building', 'building', 'queued'])
    rooms.builder.release()
    for (const branch of branches) await rooms.previewed(branch)
  })

  it('that waits for its turn when its branch goes leaves the queue', async () => {
    const turns = await Promise.all([rooms.previewBuilds.acquire('owner'), rooms.previewBuilds.acquire('owner')])
    const branch = await rooms.branch('gone')
    await rooms.save(branch, 'index.md', 'never built')
    await rooms.branches.remove(projectId, branch.id)
    // As long as the turns are taken: what is settled waits for nothing.
    await rooms.branches.removed(projectId)
    for (const endTurn of turns) endTurn()
    expect(rooms.builder.texts).not.toContain('never built')
    expect(rooms.logged).toEqual([])
  })

  it('that is being built when its branch goes leaves nothing behind', async () => {
    const branch = await rooms.previewed(await rooms.branch('cut'))
    rooms.builder.holding = true
    await rooms.save(branch, 'index.md', 'never shown')
    await expect.poll(() => rooms.builder.held.length).toBe(1)
    await rooms.branches.remove(projectId, branch.id)
    rooms.builder.release()
    const again = await rooms.previewed(await rooms.branch('cut'))
    expect(rooms.preview(again, '/index.md')).toBe('main')
    expect(rooms.logged).toEqual([])
  })

  it('keeps the last good one when a save does not build, says what failed, and remembers both', async () => {
    const branch = await rooms.branch('broken')
    await rooms.save(branch, 'index.md', 'good')
    const good = await rooms.previewed(branch)
    await rooms.save(branch, 'broken.md', 'x')
    const failed = await rooms.previewed(branch)
    expect(failed.preview).toMatchObject({
      status: 'failed',
      commit: failed.head,
      served: good.head,
      errors: [{ path: 'broken.md', line: 3, column: 7, message: 'It is broken' }],
      counts: { errors: 1 },
    })
    await expect.poll(previewEvents).toContain('broken failed')
    await rooms.restart()
    expect(rooms.preview(branch, '/index.md')).toBe('good')
    expect((await rooms.read(branch)).preview).toMatchObject({ status: 'failed', errors: [{ path: 'broken.md' }] })
    await rooms.save(branch, 'broken.md', null)
    expect((await rooms.previewed(branch)).preview.status).toBe('live')
  })

  it('whose build breaks off says so, and the next save builds it', async () => {
    const branch = await rooms.previewed(await rooms.branch('odd'))
    const publish = rooms.releases.publish.bind(rooms.releases)
    rooms.releases.publish = () => Promise.reject(new Error('EIO'))
    await rooms.save(branch, 'index.md', 'lost')
    expect((await rooms.previewed(branch)).preview).toMatchObject({
      status: 'failed',
      errors: [{ message: 'The service made a mistake. Save again, and the preview is built once more.' }],
    })
    expect(rooms.logged).toEqual(['a preview broke off'])
    rooms.releases.publish = publish
    await rooms.save(branch, 'index.md', 'found')
    await rooms.previewed(branch)
    expect(rooms.preview(branch, '/index.md')).toBe('found')
  })

  it('that a kill cut off is built by the next start', async () => {
    const branch = await rooms.previewed(await rooms.branch('cut-off'))
    rooms.builder.holding = true
    await rooms.save(branch, 'index.md', 'after all')
    await expect.poll(() => rooms.builder.held.length).toBe(1)
    await rooms.restart()
    await rooms.previewed(branch)
    expect(rooms.preview(branch, '/index.md')).toBe('after all')
  })

  it('whose release was lost is built by the next start', async () => {
    const branch = await rooms.branch('lost')
    await rooms.save(branch, 'index.md', 'two')
    await rooms.previewed(branch)
    await expect.poll(previewEvents).toContain('lost live')
    const { release = '' } = rooms.recordOf(branch)?.served ?? {}
    rooms.releases.releases.delete(release)
    await rooms.restart()
    await expect.poll(() => rooms.preview(branch, '/index.md')).toBe('two')
    expect(rooms.recordOf(branch)?.served?.release).not.toBe(release)
  })

  it('is shown also when its event has no room, and told when there is some', async () => {
    rooms.outboxRefuses = new Failure('unavailable', 'The outbox is full.')
    const branch = await rooms.previewed(await rooms.branch('full'))
    expect(branch.preview.status).toBe('live')
    expect(previewEvents()).toEqual([])
    await expect.poll(() => rooms.logged).toEqual(['a preview could not be recorded yet'])
  })

  it('goes with its project', async () => {
    const branch = await rooms.previewed(await rooms.branch('project'))
    rooms.builder.holding = true
    await rooms.save(branch, 'index.md', 'x')
    await expect.poll(() => rooms.builder.held.length).toBe(1)
    await rooms.branches.removed(projectId)
    expect(rooms.recordOf(branch)).toBeUndefined()
    expect(rooms.branches.releases(projectId)).toEqual([])
  })
})

describe('who watches a preview', () => {
  it('is told of each new release, of failures and of the end, until it stops', async () => {
    const branch = await rooms.previewed(await rooms.branch('watched'))
    const record = rooms.recordOf(branch)
    if (record === undefined) throw new Error('the branch has no record')
    const [events, stopped]: [PreviewEvent['type'][], PreviewEvent['type'][]] = [[], []]
    rooms.branches.watch(record, ({ type }) => events.push(type))
    const stop = rooms.branches.watch(record, ({ type }) => stopped.push(type))
    await rooms.save(branch, 'index.md', 'new')
    await rooms.previewed(branch)
    stop()
    await rooms.save(branch, 'broken.md', 'x')
    await rooms.previewed(branch)
    await rooms.branches.remove(projectId, branch.id)
    expect(events).toEqual(['release', 'failed', 'gone'])
    expect(stopped).toEqual(['release'])
  })
})

describe('the record of a preview', () => {
  const recordNamed = (name: string): BranchRecord => ({
    projectId,
    id: `br_${name}`,
    name,
    label: `docs--${name}`,
    createdAt: '2026-11-21T12:00:00.000Z',
    gone: false,
    served: undefined,
    build: undefined,
    sent: undefined,
  })
  /** Previews of branches at main, over a registry that refuses until it is opened. */
  const refusing = async (...names: string[]) => {
    const saved: string[] = []
    const warnings: string[] = []
    const registry = { isOpen: false }
    const main = (await rooms.main()) ?? ''
    for (const name of names) await rooms.repository.updateRefs([{ ref: `refs/heads/${name}`, new: main }])
    const previews = new Previews(
      {
        repositories: { open: async () => rooms.repository },
        hosting: { open: async () => rooms.releases },
        builder: rooms.builder,
        builds: rooms.previewBuilds,
        ownerOf: () => 'owner',
        slugOf: () => 'docs',
        deploys: rooms.deploys,
        titleOf: async () => 'Docs',
        onErrorOf: async () => 'refuse' as const,
        urlOf: (label) => `https://${label}`,
        now: () => new Date(),
        log: {
          info: () => undefined,
          warn: (details) => void warnings.push(String(details['branch'])),
          error: () => undefined,
        },
      },
      {
        savePreview: async ({ name }) => {
          if (!registry.isOpen) throw new Error('there is no room')
          saved.push(name)
        },
      },
      5,
    )
    onTestFinished(() => previews.close())
    return { previews, registry, saved, warnings }
  }

  it('that is refused is written when there is room, once', async () => {
    const { previews, registry, saved, warnings } = await refusing('one', 'two', 'three')
    previews.request(recordNamed('one'))
    previews.request(recordNamed('two'))
    await expect.poll(() => warnings.length).toBeGreaterThan(4)
    expect(saved).toEqual([])
    registry.isOpen = true
    await expect.poll(() => [...saved].sort()).toEqual(['one', 'two'])
    previews.request(recordNamed('three'))
    await expect.poll(() => saved.at(-1)).toBe('three')
    expect(saved).toHaveLength(3)
  })

  it('is not written any more when its branch is gone', async () => {
    const { previews, registry, saved, warnings } = await refusing('gone', 'kept')
    const gone = recordNamed('gone')
    previews.request(gone)
    previews.request(recordNamed('kept'))
    await expect.poll(() => new Set(warnings).size).toBe(2)
    gone.gone = true
    registry.isOpen = true
    await expect.poll(() => saved).toEqual(['kept'])
  })
})
