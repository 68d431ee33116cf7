import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { RefWriter } from '../../../src/content/refs/ref-writer.ts'
import type { Repository } from '../../../src/content/repository.ts'
import { Failure } from '../../../src/contract/failure.ts'
import { author, filesOf, git, newRepository } from '../support.ts'

const main = 'refs/heads/main'

async function commits(repository: Repository, count: number): Promise<string[]> {
  const oids: string[] = []
  for (let i = 0; i < count; i++) {
    const parent = oids.at(-1) ?? null
    const { commit } = await repository.replaceTree({
      files: filesOf({ 'n.mdx': `${i}` }),
      parent,
      author,
      message: `${i}`,
    })
    oids.push(commit)
  }
  return oids
}

describe('updateRefs', () => {
  it('moves several refs in one transaction', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    await repository.updateRefs([
      { ref: main, old: null, new: a },
      { ref: 'refs/deploys/1', old: null, new: a },
    ])
    await repository.updateRefs([
      { ref: main, old: a, new: b },
      { ref: 'refs/deploys/2', old: null, new: b },
      { ref: 'refs/deploys/1', old: a, new: null },
    ])
    expect(await repository.listRefs('refs/deploys/')).toEqual(new Map([['refs/deploys/2', b]]))
    expect(await repository.resolveRef(main)).toBe(b)
    expect(await repository.resolveRef('refs/deploys/1')).toBeNull()
    expect(await git(repository.directory, 'rev-parse', 'HEAD')).toBe(b)
  })

  it.each([
    ['another value', (a: string, b: string) => ({ ref: main, old: b, new: a })],
    ['nothing', (_a: string, b: string) => ({ ref: main, old: null, new: b })],
    ['something, where nothing is', (a: string, b: string) => ({ ref: 'refs/heads/none', old: a, new: b })],
    ['another value, to delete', (_a: string, b: string) => ({ ref: main, old: b, new: null })],
  ])('moves nothing when a ref was expected to have %s', async (_name, update) => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    await repository.updateRefs([{ ref: main, old: null, new: a }])
    const both = [{ ref: 'refs/deploys/1', old: null, new: b }, update(a, b)]
    await expect(repository.updateRefs(both)).rejects.toMatchObject({ code: 'stale_ref' })
    expect(await repository.resolveRef(main)).toBe(a)
    expect(await repository.resolveRef('refs/deploys/1')).toBeNull()
  })

  it('moves a ref whatever it was when no old value is given', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    for (const oid of [a, b, a]) await repository.updateRefs([{ ref: main, new: oid }])
    expect(await repository.resolveRef(main)).toBe(a)
  })

  it('refuses an object that is not there and names that are none', async () => {
    const repository = await newRepository()
    const [a = ''] = await commits(repository, 1)
    await expect(repository.updateRefs([{ ref: main, old: null, new: '1'.repeat(40) }])).rejects.not.toBeInstanceOf(
      Failure,
    )
    for (const ref of [
      'HEAD',
      'main',
      'refs/heads/a b',
      'refs/heads/x\0delete refs/heads/main',
      'refs/../config',
      'refs/heads/x.lock',
      'refs/heads/',
    ]) {
      await expect(repository.updateRefs([{ ref, new: a }])).rejects.toThrow('ref name')
      await expect(repository.resolveRef(ref)).rejects.toThrow('ref name')
    }
  })

  it('says when a branch’s name is a folder of others', async () => {
    const repository = await newRepository()
    const [a = ''] = await commits(repository, 1)
    await repository.updateRefs([{ ref: 'refs/heads/a', old: null, new: a }])
    await expect(repository.updateRefs([{ ref: 'refs/heads/a/b', old: null, new: a }])).rejects.toMatchObject({
      code: 'branch_name_conflict',
    })
  })

  it('reads refs that were packed, and newer values over packed ones', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    await repository.updateRefs([{ ref: main, new: a }])
    await git(repository.directory, 'pack-refs', '--all', '--prune')
    expect(await repository.resolveRef(main)).toBe(a)
    await repository.updateRefs([{ ref: main, old: a, new: b }])
    expect(await repository.resolveRef(main)).toBe(b)
    await git(repository.directory, 'pack-refs', '--all', '--prune')
    expect(await repository.resolveRef(main)).toBe(b)
    await repository.updateRefs([{ ref: main, old: b, new: null }])
    expect(await repository.resolveRef(main)).toBeNull()
  })

  it('compares with packed values of now, where git remembers older ones', async () => {
    const repository = await newRepository()
    const [a = '', b = ''] = await commits(repository, 2)
    await repository.updateRefs([{ ref: main, old: null, new: a }])
    // Git tells times apart by the second: for it to be mistaken all of this has to happen within one.
    await delay(1000 - (Date.now() % 1000))
    await git(repository.directory, 'pack-refs', '--all')
    await repository.updateRefs([{ ref: 'refs/heads/other', old: null, new: a }])
    await repository.updateRefs([{ ref: main, old: a, new: a }])
    const packed = join(repository.directory, 'packed-refs')
    await rm(join(repository.directory, main), { force: true })
    await writeFile(packed, (await readFile(packed, 'utf8')).replace(a, b))
    await expect(repository.updateRefs([{ ref: main, old: a, new: a }])).rejects.toMatchObject({ code: 'stale_ref' })
    await repository.updateRefs([{ ref: main, old: b, new: a }])
    expect(await repository.resolveRef(main)).toBe(a)
  })

  it('moves what many want at once in few transactions, and refuses each by itself', async () => {
    const repository = await newRepository()
    const [a = '', b = '', c = ''] = await commits(repository, 3)
    const ref = (index: number): string => `refs/heads/n${index}`
    await repository.updateRefs(Array.from({ length: 20 }, (_, index) => ({ ref: ref(index), old: null, new: a })))
    const transactions = vi.spyOn(RefWriter.prototype, 'commit')
    onTestFinished(() => transactions.mockRestore())
    const moved = Array.from({ length: 20 }, (_, index) => repository.updateRefs([{ ref: ref(index), old: a, new: b }]))
    await Promise.all(moved)
    expect(transactions.mock.calls.length).toBeLessThanOrEqual(3)

    const answers = await Promise.allSettled([
      repository.updateRefs([{ ref: ref(0), old: b, new: c }]),
      // Refused, with the main that goes with it.
      repository.updateRefs([
        { ref: ref(1), old: a, new: c },
        { ref: main, old: null, new: c },
      ]),
      repository.updateRefs([{ ref: ref(2), old: b, new: null }]),
      // In the way of a branch that is there.
      repository.updateRefs([{ ref: `${ref(3)}/more`, old: null, new: c }]),
      // On top of the first: nobody overtakes.
      repository.updateRefs([{ ref: ref(0), old: c, new: a }]),
      repository.updateRefs([{ ref: ref(4), old: b, new: c }]),
    ])
    expect(answers.map((answer) => (answer.status === 'fulfilled' ? 'moved' : answer.reason.code))).toEqual([
      'moved',
      'stale_ref',
      'moved',
      'branch_name_conflict',
      'moved',
      'moved',
    ])
    const now = await Promise.all([0, 1, 2, 3, 4].map((index) => repository.resolveRef(ref(index))))
    expect(now).toEqual([a, b, null, b, c])
    expect(await repository.resolveRef(main)).toBeNull()
  })

  it('takes a name and its folder in turn', async () => {
    const repository = await newRepository()
    const [a = ''] = await commits(repository, 1)
    await repository.updateRefs([{ ref: 'refs/heads/m/n', old: null, new: a }])
    await Promise.all([
      repository.updateRefs([{ ref: 'refs/heads/m/n', old: a, new: null }]),
      repository.updateRefs([{ ref: 'refs/heads/m', old: null, new: a }]),
    ])
    expect(await repository.listRefs('refs/heads/')).toEqual(new Map([['refs/heads/m', a]]))
  })

  it('loses no change of writers that race', async () => {
    const repository = await newRepository()
    const [first = ''] = await commits(repository, 1)
    await repository.updateRefs([{ ref: main, old: null, new: first }])
    let refusals = 0
    const writer = async (name: string) => {
      for (let round = 0; round < 4; round++) {
        for (let done = false; !done;) {
          const parent = await repository.resolveRef(main)
          const { commit } = await repository.replaceTree({
            files: filesOf({ [`${name}.mdx`]: `${round}` }),
            parent,
            author,
            message: `${name} ${round}`,
          })
          done = await repository.updateRefs([{ ref: main, old: parent, new: commit }]).then(
            () => true,
            (error: unknown) => {
              if (!(error instanceof Failure) || error.code !== 'stale_ref') throw error
              refusals++
              return false
            },
          )
        }
      }
    }
    await Promise.all(['a', 'b', 'c', 'd'].map(writer))
    const subjects = (await git(repository.directory, 'log', '--format=%s', 'main')).split('\n')
    expect(subjects.sort()).toEqual([
      '0',
      ...['a', 'b', 'c', 'd'].flatMap((name) => [0, 1, 2, 3].map((round) => `${name} ${round}`)),
    ])
    expect(refusals).toBeGreaterThan(0)
    expect(await repository.fsck()).toEqual([])
  })
})
