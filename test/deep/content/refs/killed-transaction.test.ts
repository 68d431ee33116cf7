import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { mendLayout } from '#content/layout.ts'
import { writeJournal } from '#content/refs/ref-journal.ts'
import { Refs } from '#content/refs/refs.ts'
import { RefsHalfMoved, type Oid, type RefUpdate } from '#content/repository.ts'
import { dyingGit, type DyingGit } from '#test/support/dying-git.ts'
import { commits } from '#test/support/content/contract/refs.ts'
import { git, newRepository } from '#test/support/content/support.ts'

const main = 'refs/heads/main'
const work = 'refs/heads/work'

let dying: DyingGit
let refs: Refs
let directory: string
let old: Oid
let next: Oid
let publish: RefUpdate[]

beforeEach(async () => {
  const repository = await newRepository()
  directory = repository.directory
  ;[old = '', next = ''] = await commits(repository, 2)
  await repository.updateRefs([
    { ref: main, old: null, new: old },
    { ref: work, old: null, new: next },
    { ref: 'refs/deploys/1', old: null, new: old },
  ])
  publish = [
    { ref: 'refs/deploys/2', old: null, new: next },
    { ref: main, old, new: next },
    { ref: work, old: next, new: null },
  ]
  dying = await dyingGit()
  refs = new Refs(dying.git, directory)
  onTestFinished(() => refs.close())
})

const values = (): Promise<(Oid | null)[]> => Promise.all(publish.map(({ ref }) => refs.resolve(ref)))

async function locks(): Promise<string[]> {
  return (await readdir(dirname(join(directory, 'HEAD')), { recursive: true })).filter((name) => name.endsWith('.lock'))
}

describe('a ref transaction whose process is killed', () => {
  it.each([-1, 0, 1, 2, 3])('after %i refs have moved is made whole at once, and leaves no lock', async (moves) => {
    await dying.killAfter(moves)
    await refs.update(publish)
    expect(await Promise.all(publish.map(({ ref }) => refs.resolve(ref)))).toEqual([next, next, null])
    expect(await locks()).toEqual([])
    expect(dying.died()).toBe(true)
    await refs.update([{ ref: main, old: next, new: old }])
  })

  it('is not taken for one that moved nothing where git cannot be started again', async () => {
    await dying.killAfter(1)
    const start = dying.git.start.bind(dying.git)
    let times = 0
    vi.spyOn(dying.git, 'start').mockImplementation((...asked) => {
      if (times++ > 0) throw new Error('no room')
      return start(...asked)
    })
    await expect(refs.update(publish)).rejects.toBeInstanceOf(RefsHalfMoved)
    expect(await values()).toEqual([next, old, next])
  })

  it('does not tell whoever moved main that somebody else did', async () => {
    await dying.killAfter(1)
    await expect(refs.update([{ ref: main, old, new: next }])).resolves.toBeUndefined()
    await expect(refs.update([{ ref: main, old, new: next }])).rejects.toMatchObject({ code: 'stale_ref' })
  })

  it('with updates of others ends well for each that could be made', async () => {
    const other = { ref: 'refs/heads/other', old: null, new: old }
    await dying.killAfter(2)
    // They share one transaction: both come before it begins.
    await Promise.all([refs.update(publish), refs.update([other])])
    expect(dying.died()).toBe(true)
    expect(await Promise.all([main, work, other.ref].map((ref) => refs.resolve(ref)))).toEqual([next, null, old])
    expect(await locks()).toEqual([])
  })

  it('beside the packing of refs takes no lock away from it', async () => {
    await refs.update(Array.from({ length: 200 }, (_, index) => ({ ref: `refs/deploys/${index + 10}`, new: old })))
    const packing = refs.pack()
    await dying.killAfter(1)
    await Promise.all([packing, refs.update(publish)])
    expect(await Promise.all(publish.map(({ ref }) => refs.resolve(ref)))).toEqual([next, next, null])
    expect((await refs.list('refs/deploys/')).size).toBe(202)
    expect(await locks()).toEqual([])
  })
})

describe('a ref transaction with a journal', () => {
  const journal = async (): Promise<string[]> =>
    (await readdir(directory)).filter((name) => name.startsWith('moving-refs'))

  it('leaves none when it is done, and when it is refused', async () => {
    await refs.update(publish, true)
    expect(await values()).toEqual([next, next, null])
    await expect(refs.update(publish, true)).rejects.toMatchObject({ code: 'stale_ref' })
    expect(await journal()).toEqual([])
  })

  it.each([[[]], [[0]], [[1]], [[2]], [[0, 1]], [[1, 2]], [[0, 1, 2]]])(
    'of which the service died when the updates %j were made is all or nothing after the next opening',
    async (made) => {
      await writeJournal(directory, publish)
      for (const at of made) {
        const { ref, new: value } = publish[at]!
        await git(directory, 'update-ref', ...(value === null ? ['-d', ref] : [ref, value]))
      }
      await mendLayout(dying.git, directory)
      expect(await values()).toEqual(made.length > 0 ? [next, next, null] : [null, old, next])
      expect(await journal()).toEqual([])
    },
  )

  it('leaves alone what somebody moved elsewhere before the next opening', async () => {
    await writeJournal(directory, publish)
    await git(directory, 'update-ref', main, next)
    await git(directory, 'update-ref', work, old)
    await mendLayout(dying.git, directory)
    expect(await values()).toEqual([next, next, old])
    await writeJournal(directory, [{ ref: main, old, new: old }, ...publish])
    await git(directory, 'update-ref', main, old)
    await git(directory, 'update-ref', '-d', 'refs/deploys/2')
    await mendLayout(dying.git, directory)
    expect(await values()).toEqual([null, old, old])
  })

  it('that git could not be brought to finish is finished before the next one', async () => {
    await dying.killAfter(1, 0)
    await expect(refs.update(publish, true)).rejects.toBeInstanceOf(RefsHalfMoved)
    expect(await values()).toEqual([next, old, next])
    await expect(refs.update([{ ref: main, old, new: next }])).rejects.toMatchObject({ code: 'stale_ref' })
    expect(await values()).toEqual([next, next, null])
    expect(await journal()).toEqual([])
  })
})

describe('a ref transaction whose process hangs', () => {
  const told: string[] = []

  beforeEach(async () => {
    told.length = 0
    dying = await dyingGit({ onTimeout: (what) => told.push(what) })
    refs = new Refs(dying.git, directory, 300)
    onTestFinished(() => refs.close())
  })

  it.each([-1, 0, 1, 2, 3])('after %i refs have moved is made whole by another', async (moves) => {
    await dying.hangAfter(moves)
    await refs.update(publish)
    expect(await values()).toEqual([next, next, null])
    expect(await locks()).toEqual([])
  })

  it('twice has moved nothing, and whoever waited is told to come back', async () => {
    const others = Array.from({ length: 5 }, (_, n) => ({ ref: `refs/heads/other${n}`, old: null, new: old }))
    // The third one would take, and does not get, its time.
    await dying.hangAfter(-1, -1, -1)
    const first = Promise.allSettled([refs.update(publish), refs.update(others.slice(0, 1))])
    await expect.poll(locks).not.toEqual([])
    const later = Promise.allSettled(others.slice(1).map((other) => refs.update([other])))
    const all = [...(await first), ...(await later)]
    for (const result of all) expect(result).toMatchObject({ reason: { code: 'unavailable', retryAfter: 10 } })
    expect(dying.died()).toBe(false)
    expect(told).toContain('git update-ref: took too long')
    expect(await values()).toEqual([null, old, next])
    expect(await locks()).toEqual([])
    await dying.killAfter(-1)
    await refs.update(publish)
    expect(await values()).toEqual([next, next, null])
  })

  it('is not waited for at the end', async () => {
    await dying.hangAfter(-1)
    refs.warm()
    await expect.poll(() => dying.died()).toBe(true)
    await refs.close()
  })
})
