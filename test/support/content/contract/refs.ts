import { describe, expect, it } from 'vitest'
import type { Repository } from '#content/repository.ts'
import { Failure } from '#contract/failure.ts'
import { author, filesOf } from '#test/support/content/support.ts'
import type { Open } from './support.ts'

const main = 'refs/heads/main'

/** Commits, each on the one before. */
export async function commits(repository: Repository, count: number): Promise<string[]> {
  const oids: string[] = []
  for (let i = 0; i < count; i++) {
    const parent = oids.at(-1) ?? null
    const files = filesOf({ 'n.mdx': `${i}` })
    oids.push((await repository.replaceTree({ files, parent, author, message: `${i}` })).commit)
  }
  return oids
}

export function refsContract(open: Open): void {
  describe('updateRefs', () => {
    it('moves several refs in one transaction', async () => {
      const repository = await open()
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
    })

    it.each([
      ['another value', (a: string, b: string) => ({ ref: main, old: b, new: a })],
      ['nothing', (_a: string, b: string) => ({ ref: main, old: null, new: b })],
      ['something, where nothing is', (a: string, b: string) => ({ ref: 'refs/heads/none', old: a, new: b })],
      ['another value, to delete', (_a: string, b: string) => ({ ref: main, old: b, new: null })],
    ])('moves nothing when a ref was expected to have %s', async (_name, update) => {
      const repository = await open()
      const [a = '', b = ''] = await commits(repository, 2)
      await repository.updateRefs([{ ref: main, old: null, new: a }])
      const both = [{ ref: 'refs/deploys/1', old: null, new: b }, update(a, b)]
      await expect(repository.updateRefs(both)).rejects.toMatchObject({ code: 'stale_ref' })
      expect(await repository.resolveRef(main)).toBe(a)
      expect(await repository.resolveRef('refs/deploys/1')).toBeNull()
    })

    it('says of a stale ref where it is', async () => {
      const repository = await open()
      const [a = '', b = ''] = await commits(repository, 2)
      await repository.updateRefs([{ ref: main, old: null, new: a }])
      await expect(repository.updateRefs([{ ref: main, old: b, new: a }])).rejects.toMatchObject({
        extra: { ref: main, expected: b, actual: a },
      })
    })

    it('moves a ref whatever it was when no old value is given', async () => {
      const repository = await open()
      const [a = '', b = ''] = await commits(repository, 2)
      for (const oid of [a, b, a]) await repository.updateRefs([{ ref: main, new: oid }])
      expect(await repository.resolveRef(main)).toBe(a)
    })

    it('refuses an object that is not there and names that are none', async () => {
      const repository = await open()
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
      const repository = await open()
      const [a = ''] = await commits(repository, 1)
      await repository.updateRefs([{ ref: 'refs/heads/a', old: null, new: a }])
      await expect(repository.updateRefs([{ ref: 'refs/heads/a/b', old: null, new: a }])).rejects.toMatchObject({
        code: 'branch_name_conflict',
      })
    })

    it('refuses each of many at once by itself, and none overtakes another', async () => {
      const repository = await open()
      const [a = '', b = '', c = ''] = await commits(repository, 3)
      const ref = (index: number): string => `refs/heads/n${index}`
      await repository.updateRefs(Array.from({ length: 5 }, (_, index) => ({ ref: ref(index), old: null, new: b })))
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
      const repository = await open()
      const [a = ''] = await commits(repository, 1)
      await repository.updateRefs([{ ref: 'refs/heads/m/n', old: null, new: a }])
      await Promise.all([
        repository.updateRefs([{ ref: 'refs/heads/m/n', old: a, new: null }]),
        repository.updateRefs([{ ref: 'refs/heads/m', old: null, new: a }]),
      ])
      expect(await repository.listRefs('refs/heads/')).toEqual(new Map([['refs/heads/m', a]]))
    })

    it('loses no change of writers that race', async () => {
      const repository = await open()
      const [first = ''] = await commits(repository, 1)
      await repository.updateRefs([{ ref: main, old: null, new: first }])
      let refusals = 0
      const writer = async (name: string) => {
        for (let round = 0; round < 4; round++) {
          for (let done = false; !done;) {
            const parent = await repository.resolveRef(main)
            const files = filesOf({ [`${name}.mdx`]: `${round}` })
            const message = `${name} ${round}`
            const made = await repository.replaceTree({ files, parent, author, message })
            done = await repository.updateRefs([{ ref: main, old: parent, new: made.commit }]).then(
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
      const history = await repository.log({ from: (await repository.resolveRef(main)) ?? '', limit: 100 })
      expect(history.map(({ message }) => message.trim()).sort()).toEqual([
        '0',
        ...['a', 'b', 'c', 'd'].flatMap((name) => [0, 1, 2, 3].map((round) => `${name} ${round}`)),
      ])
      expect(refusals).toBeGreaterThan(0)
      expect(await repository.fsck()).toEqual([])
    })

    it('moves no ref while somebody wants to read several', async () => {
      const repository = await open()
      const [a = '', b = ''] = await commits(repository, 2)
      await repository.updateRefs([{ ref: main, new: a }])
      let moved: Promise<void> | undefined
      await repository.withRefsLocked(async () => {
        moved = repository.updateRefs([{ ref: main, old: a, new: b }])
        await new Promise((resolve) => setTimeout(resolve, 20))
        expect(await repository.resolveRef(main)).toBe(a)
      })
      await moved
      expect(await repository.resolveRef(main)).toBe(b)
    })
  })
}
