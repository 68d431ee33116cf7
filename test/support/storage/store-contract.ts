import { setImmediate } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LeaseLost, type Lease, type Reservation, type Store } from '#storage/store.ts'
import { checkAgainstModel } from './store-model.ts'

/** A store under test. */
export interface StoreUnderTest {
  readonly store: Store
  /** Ends the store as if its process had died, and opens it again on the same data. */
  reopen(): Promise<Store>
  close(): Promise<void>
}

interface Notes {
  title: string
  items: string[]
}

const document = 'project/leaves'
const day = { meter: 'deploys', period: '2026-11-21', amount: 1 }

/** What the Store port promises. Every adapter must pass. */
export function describeStore(adapter: string, openStore: () => Promise<StoreUnderTest>): void {
  describe(`${adapter} keeps the store’s promises`, () => {
    let subject: StoreUnderTest
    let store: Store
    beforeEach(async () => {
      subject = await openStore()
      store = subject.store
    })
    afterEach(() => subject.close())

    const reopen = async (): Promise<void> => {
      store = await subject.reopen()
    }
    const put = (notes: Notes | undefined, at = document): Promise<void> =>
      store.mutate<Notes, void>(at, () => ({ document: notes, result: undefined }))
    const append = (item: string, lease?: Lease): Promise<number> =>
      store.mutate<Notes, number>(
        document,
        (draft) => {
          const notes = draft ?? { title: '', items: [] }
          notes.items.push(item)
          return { document: notes, result: notes.items.length }
        },
        lease === undefined ? {} : { lease },
      )
    const read = (at = document): Promise<Readonly<Notes> | undefined> => store.read<Notes>(at)

    describe('documents', () => {
      test('a document that was never written is undefined', async () => {
        expect(await read()).toBeUndefined()
        expect(
          await store.mutate<Notes, boolean>(document, (draft) => ({ document: draft, result: draft === undefined })),
        ).toBe(true)
        expect(await store.list()).toEqual([])
      })

      test('a change edits its draft in place, and is there after a restart', async () => {
        await put({ title: 'Autumn', items: ['oak'] })
        expect(await append('beech')).toBe(2)
        await reopen()
        expect(await read()).toEqual({ title: 'Autumn', items: ['oak', 'beech'] })
      })

      test('what is read cannot be changed, and does not change', async () => {
        await put({ title: 'Autumn', items: [] })
        const before = await read()
        await append('oak')
        expect(before?.items).toEqual([])
        expect(Object.isFrozen(before)).toBe(true)
        expect(Object.isFrozen(before?.items)).toBe(true)
      })

      test('what a change put in stays its owner’s: later edits of it change nothing', async () => {
        const mine: Notes = { title: 'Autumn', items: ['oak'] }
        await put(mine)
        mine.items.push('forged')
        expect((await read())?.items).toEqual(['oak'])
      })

      test('a result may be a part of the draft', async () => {
        await put({ title: 'Autumn', items: ['oak'] })
        const items = await store.mutate<Notes, string[]>(document, (draft) => {
          draft?.items.push('elm')
          return { document: draft, result: draft?.items ?? [] }
        })
        expect(items).toEqual(['oak', 'elm'])
      })

      test('a change that throws leaves everything as it was, edits of the draft included', async () => {
        await put({ title: 'Autumn', items: ['oak'] })
        const failing = store.mutate<Notes, void>(document, (draft) => {
          draft?.items.push('half')
          throw new RangeError('no')
        })
        await expect(failing).rejects.toThrow(RangeError)
        expect((await read())?.items).toEqual(['oak'])
        await reopen()
        expect((await read())?.items).toEqual(['oak'])
      })

      test('returning undefined deletes, also across a restart', async () => {
        await put({ title: 'Autumn', items: [] })
        await put(undefined)
        expect(await read()).toBeUndefined()
        await reopen()
        expect(await store.list()).toEqual([])
      })

      test('changes that come together are applied one after the other, each with its own result', async () => {
        const lengths = await Promise.all(Array.from({ length: 100 }, (_, index) => append(String(index))))
        expect(lengths).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
        expect((await read())?.items).toHaveLength(100)
      })

      test('one that throws among others that come together does not disturb them', async () => {
        const failing = store.mutate<Notes, void>(document, (draft) => {
          draft?.items.push('half')
          throw new RangeError('no')
        })
        const [first, refused, last] = await Promise.allSettled([append('a'), failing, append('b')])
        expect([first.status, refused.status, last.status]).toEqual(['fulfilled', 'rejected', 'fulfilled'])
        expect((await read())?.items).toEqual(['a', 'b'])
      })

      test('names are listed sorted, by prefix', async () => {
        for (const at of ['project/b', 'service', 'project/a', 'project/service'])
          await put({ title: at, items: [] }, at)
        expect(await store.list()).toEqual(['project/a', 'project/b', 'project/service', 'service'])
        expect(await store.list('project/')).toEqual(['project/a', 'project/b', 'project/service'])
        for (const at of ['project/a/deep/er', 'project/a/deep', 'projects/a']) await put({ title: at, items: [] }, at)
        await reopen()
        expect(await store.list('project/a')).toEqual(['project/a', 'project/a/deep', 'project/a/deep/er'])
        expect(await store.list('project/a/')).toEqual(['project/a/deep', 'project/a/deep/er'])
        expect(await store.list('project/a/de')).toEqual(['project/a/deep', 'project/a/deep/er'])
        expect(await store.list('projects')).toEqual(['projects/a'])
        expect(await store.list('project/a/deep/er/')).toEqual([])
        expect(await read('service')).toEqual({ title: 'service', items: [] })
        expect(await read('project/service')).toEqual({ title: 'project/service', items: [] })
      })

      test.each(['', '/', 'project/', 'project/../x', 'Project/x', 'project/a b', 'project/.x', 'project/ä'])(
        'the name %j is refused',
        async (at) => {
          await expect(put({ title: '', items: [] }, at)).rejects.toThrow('not a document name')
        },
      )

      test.each([
        ['a lone surrogate', '\ud800'],
        ['a NUL', 'a\0b'],
      ])('text with %s is refused, with nothing changed', async (_what, text) => {
        await put({ title: 'Autumn', items: [] })
        await expect(append(text)).rejects.toMatchObject({ code: 'invalid_request' })
        await expect(put({ title: text, items: [] })).rejects.toMatchObject({ code: 'invalid_request' })
        expect(await read()).toEqual({ title: 'Autumn', items: [] })
      })

      test.each([[Number.NaN], [new Date(0)], [1n], [() => 1], [new Map()]])(
        '%s is not JSON and refused',
        async (value) => {
          const change = store.mutate<unknown, void>(document, () => ({ document: { value }, result: undefined }))
          await expect(change).rejects.toThrow(TypeError)
        },
      )

      test('any JSON comes back as it was', async () => {
        const json = fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 })
        await fc.assert(
          fc.asyncProperty(json, async (value) => {
            const storable = JSON.parse(
              JSON.stringify(value).replaceAll('\\u0000', '').replaceAll('__proto__', 'proto'),
            ) as unknown
            await store.mutate<unknown, void>(document, () => ({ document: { storable }, result: undefined }))
            expect(await store.read(document)).toEqual({ storable })
          }),
        )
      })
    })

    describe('leases', () => {
      test('only one holds a lease; after its release another may', async () => {
        const lease = await store.acquire(document, 'deploy')
        expect(lease).toMatchObject({ document, name: 'deploy' })
        expect(await store.acquire(document, 'deploy')).toBeNull()
        expect(await store.acquire(document, 'gc')).not.toBeNull()
        expect(await store.acquire('project/other', 'deploy')).not.toBeNull()
        if (lease !== null) await store.release(lease)
        expect(await store.acquire(document, 'deploy')).not.toBeNull()
      })

      test('of many who try at once one wins', async () => {
        const leases = await Promise.all(Array.from({ length: 20 }, () => store.acquire(document, 'deploy')))
        expect(leases.filter((lease) => lease !== null)).toHaveLength(1)
      })

      test('fences grow, over releases, restarts and deletions', async () => {
        const fences: number[] = []
        for (let round = 0; round < 4; round++) {
          await put({ title: '', items: [] })
          const lease = await store.acquire(document, 'deploy')
          fences.push(lease?.fence ?? Number.NaN)
          if (round === 1 && lease !== null) await store.release(lease)
          else await reopen()
          if (round === 2) await put(undefined)
        }
        expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b))
      })

      test('a restart frees the lease, and its old holder cannot write any more', async () => {
        const old = await store.acquire(document, 'deploy')
        await reopen()
        const next = await store.acquire(document, 'deploy')
        if (old === null || next === null) throw new Error('not acquired')
        await expect(append('stale', old)).rejects.toBeInstanceOf(LeaseLost)
        expect(await append('good', next)).toBe(1)
        await store.release(old)
        expect(await append('still', next)).toBe(2)
      })

      test('a released lease, and one of another document, does not write', async () => {
        const lease = await store.acquire(document, 'deploy')
        const other = await store.acquire('project/other', 'deploy')
        if (lease === null || other === null) throw new Error('not acquired')
        await expect(append('foreign', other)).rejects.toBeInstanceOf(LeaseLost)
        await store.release(lease)
        await expect(append('late', lease)).rejects.toBeInstanceOf(LeaseLost)
        expect(await read()).toBeUndefined()
      })
    })

    describe('meters', () => {
      beforeEach(() => put({ title: '', items: [] }))
      const used = (period = day.period): Promise<number> => store.used(document, 'deploys', period)
      const reserve = async (limit: number | null = 3): Promise<Reservation> => {
        const reservation = await store.reserve(document, { ...day, limit })
        if (reservation === null) throw new Error('not reserved')
        return reservation
      }

      test('never over the limit, however many try at once', async () => {
        const taken = await Promise.all(Array.from({ length: 64 }, () => store.reserve(document, { ...day, limit: 3 })))
        expect(taken.filter((reservation) => reservation !== null)).toHaveLength(3)
        expect(await used()).toBe(3)
      })

      test('a reservation and its use count as one at every moment', async () => {
        const reservation = await reserve()
        const state = { settled: false }
        const settling = store.settle(reservation, 1).then(() => (state.settled = true))
        const seen = new Set<number>()
        for (let looks = 1; !state.settled; looks++) {
          seen.add(await used())
          if (looks % 100 === 0) await setImmediate()
        }
        await settling
        expect([...seen]).toEqual([1])
      })

      test('use of several documents and of the days of a month is one sum, open reservations included', async () => {
        const others = ['project/other', 'project/other/deep', 'elsewhere']
        for (const at of others) await put({ title: '', items: [] }, at)
        const days = ['2026-11-20', '2026-11-21', '2026-12-01']
        for (const at of [document, ...others])
          for (const period of days) {
            const taken = await store.reserve(at, { meter: 'deploys', period, amount: 1, limit: null })
            if (taken !== null && period !== '2026-11-21') await store.settle(taken, 1)
          }
        const sums = async (): Promise<number[]> => [
          await store.used('project/', 'deploys', '2026-11-20'),
          await store.used('project/', 'deploys', '2026-11-21'),
          await store.used('project/', 'deploys', '2026-11-'),
          await store.used('project/other/', 'deploys', '2026-'),
          await store.used('project/none/', 'deploys', '2026-'),
        ]
        expect(await sums()).toEqual([3, 3, 6, 3, 0])
        await store.mutate('project/other', () => ({ document: undefined, result: undefined }))
        expect(await sums()).toEqual([2, 2, 4, 3, 0])
        await reopen()
        expect(await sums()).toEqual([2, 0, 2, 2, 0])
      })

      test('never over the limit while others settle', async () => {
        let live = 0
        await Promise.all(
          Array.from({ length: 40 }, async (_, index) => {
            const reservation = await store.reserve(document, { ...day, limit: 5 })
            if (reservation === null) return
            await store.settle(reservation, index % 2)
            live += index % 2
          }),
        )
        expect(live).toBeLessThanOrEqual(5)
        expect(await used()).toBe(live)
      })

      test('settled use stays over a restart, given back use does not count', async () => {
        await store.settle(await reserve(), 1)
        await store.settle(await reserve(), 0)
        expect(await used()).toBe(1)
        await reopen()
        expect(await used()).toBe(1)
      })

      test('settling twice, also at once, changes nothing', async () => {
        const reservation = await reserve()
        await Promise.all([store.settle(reservation, 1), store.settle(reservation, 1)])
        await store.settle(reservation, 1)
        await store.settle(reservation, 0)
        expect(await used()).toBe(1)
        await reopen()
        await store.settle(reservation, 1)
        expect(await used()).toBe(1)
      })

      test('what a dead process had reserved is given back', async () => {
        await reserve()
        await reserve()
        await reopen()
        expect(await used()).toBe(0)
      })

      test('what a dead process held stays taken until it is settled, and counts once', async () => {
        const kept = await reserve()
        await store.hold(kept, 'deploy a')
        await store.hold(await reserve(), 'deploy b')
        await reserve()
        await reopen()
        expect(await used()).toBe(2)
        const held = await store.held(document)
        expect(held).toMatchObject([
          { subject: 'deploy a', meter: 'deploys', period: day.period },
          { subject: 'deploy b', meter: 'deploys', period: day.period },
        ])
        expect(await store.reserve(document, { ...day, limit: 2 })).toBeNull()
        for (const reservation of held) await store.settle(reservation, reservation.subject === 'deploy a' ? 1 : 0)
        await store.settle(kept, 1)
        expect(await used()).toBe(1)
        await reopen()
        expect(await used()).toBe(1)
        expect(await store.held(document)).toEqual([])
      })

      test('a held reservation that is settled at once, before or after it is on disk, leaves nothing', async () => {
        const [early, late] = [await reserve(), await reserve()]
        await Promise.all([store.hold(early, 'early'), store.settle(early, 0)])
        await store.settle(late, 1)
        await store.hold(late, 'late')
        expect(await store.held(document)).toEqual([])
        await append('oak')
        await reopen()
        expect(await store.held(document)).toEqual([])
        expect(await used()).toBe(1)
      })

      test('what is held goes with the document', async () => {
        await store.hold(await reserve(), 'deploy')
        await put(undefined)
        await put({ title: 'again', items: [] })
        expect(await store.held(document)).toEqual([])
        expect(await used()).toBe(0)
      })

      test('periods and meters count apart; unlimited has no end', async () => {
        for (let index = 0; index < 10; index++) await store.settle(await reserve(null), 1)
        expect(await store.reserve(document, { ...day, limit: 3 })).toBeNull()
        expect(await store.reserve(document, { ...day, period: '2026-11-22', limit: 3 })).not.toBeNull()
        expect(await store.reserve(document, { ...day, meter: 'generations', limit: 1 })).not.toBeNull()
      })

      test('use belongs to the document and goes with it', async () => {
        const open = await reserve()
        await store.settle(await reserve(), 1)
        await put(undefined)
        await store.settle(open, 1)
        expect(await read()).toBeUndefined()
        await put({ title: 'again', items: [] })
        expect(await used()).toBe(0)
        await reopen()
        expect(await used()).toBe(0)
      })

      test('the document’s changes keep the use, and use keeps the document', async () => {
        await store.settle(await reserve(), 1)
        await append('oak')
        await reopen()
        expect(await used()).toBe(1)
        expect((await read())?.items).toEqual(['oak'])
      })

      test('old periods are forgotten, recent ones kept', async () => {
        const periodOf = (index: number): string => new Date(Date.UTC(2026, 0, index)).toISOString().slice(0, 10)
        for (let index = 1; index <= 60; index++) {
          const reservation = await store.reserve(document, { ...day, period: periodOf(index), limit: null })
          if (reservation !== null) await store.settle(reservation, 1)
        }
        expect(await used(periodOf(60))).toBe(1)
        expect(await used(periodOf(32))).toBe(1)
        expect(await used(periodOf(1))).toBe(0)
      })

      test('reserving for a document that is not there is a mistake', async () => {
        await expect(store.reserve('project/none', { ...day, limit: null })).rejects.toThrow('there is no document')
      })
    })

    test('a closed store refuses to change', async () => {
      await store.close()
      await expect(append('late')).rejects.toThrow('Nothing was changed')
    })

    test('any order of operations, alone or at once, ends as the model says', async () => {
      await expect(checkAgainstModel(subject)).resolves.toBeUndefined()
    })
  })
}
