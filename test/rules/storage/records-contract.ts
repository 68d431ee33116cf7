import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { RecordLog, Records, RecordTable, StreamSpec } from '#storage/records.ts'
import { cases } from '#test/support/properties.ts'

/** Records under test. */
export interface RecordsUnderTest {
  readonly records: Records
  /** Ends them as if their process had died, and opens them again on the same data. */
  reopen(): Promise<Records>
  close(): Promise<void>
}

interface Entry {
  readonly n: number
  readonly text: string
  readonly at: string
}

interface Head {
  readonly title: string
}

interface Body {
  readonly text: string
}

const project = 'leaves'
const maxBytes = 200_000
const entries: StreamSpec<RecordLog<Entry>> = {
  name: 'audit',
  open: ({ log }) => log<Entry>({ maxBytes, timeOf: ({ at }) => at }),
}
const notes: StreamSpec<RecordTable<Head, Body>> = {
  name: 'changelog',
  open: ({ table }) => table<Head, Body>({ erases: true }),
}
const queue: StreamSpec<RecordTable<Head, Body>> = { name: 'webhooks', open: ({ table }) => table<Head, Body>() }

const day = (n: number): string => new Date(Date.UTC(2026, 0, 1 + n)).toISOString()
const entry = (n: number, text = 'x'): Entry => ({ n, text, at: day(n) })
const countdown = (length: number): number[] => Array.from({ length }, (_, at) => length - 1 - at)

/** What the records port promises. Every adapter must pass. */
export function describeRecords(adapter: string, openRecords: () => Promise<RecordsUnderTest>): void {
  describe(`${adapter} keeps the promises of records`, () => {
    let subject: RecordsUnderTest
    let records: Records
    beforeEach(async () => {
      subject = await openRecords()
      records = subject.records
    })
    afterEach(() => subject.close())
    const reopen = async (): Promise<void> => {
      records = await subject.reopen()
    }

    describe('a log', () => {
      const append = (record: Entry): Promise<void> => records.use(project, entries, (log) => log.append(record))
      const page = (query: Parameters<RecordLog<Entry>['page']>[0]) =>
        records.use(project, entries, (log) => log.page(query))
      const paged = async (limit: number, where?: (record: Entry) => boolean) => {
        const pages: number[][] = []
        let before: string | undefined
        do {
          const { records: found, next } = await page({ before, limit, where })
          pages.push(found.map(({ n }) => n))
          before = next
        } while (before !== undefined)
        return pages
      }

      test('that nothing was written to is empty, and stays nothing', async () => {
        expect(await page({ limit: 5 })).toEqual({ records: [] })
        expect(await records.exists(project, 'audit')).toBe(false)
      })

      test('gives every record once, newest first, whatever the sizes of pages and over a restart', async () => {
        const scenario = fc.record({
          texts: fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 25 }),
          limit: fc.integer({ min: 1, max: 12 }),
          odd: fc.boolean(),
        })
        let base = 0
        const written: Entry[] = []
        await fc.assert(
          fc.asyncProperty(scenario, async ({ texts, limit, odd }) => {
            for (const text of texts) {
              written.push(entry(base, text))
              await append(entry(base++, text))
            }
            await reopen()
            const where = odd ? (record: Entry): boolean => record.n % 2 === 1 : undefined
            const pages = await paged(limit, where)
            expect(pages.flat()).toEqual(countdown(base).filter((n) => !odd || n % 2 === 1))
            expect(pages.slice(0, -1).every((one) => one.length === limit)).toBe(true)
          }),
          { numRuns: cases(8) },
        )
        const { records: all } = await page({ limit: 10_000 })
        expect(all).toEqual(written.toReversed())
      })

      test('has all of what many append at once', async () => {
        await Promise.all(countdown(200).map((n) => append(entry(n))))
        expect((await paged(7)).flat().sort((a, b) => b - a)).toEqual(countdown(200))
      })

      test('ends a page where it has looked at enough, and goes on behind that', async () => {
        for (let n = 0; n < 20; n++) await append(entry(n))
        const where = ({ n }: Entry): boolean => n < 4 || n === 18
        const seen: number[][] = []
        let before: string | undefined
        do {
          const { records: found, next } = await page({ before, limit: 2, where, most: 6 })
          seen.push(found.map(({ n }) => n))
          before = next
        } while (before !== undefined)
        expect(seen).toEqual([[18], [], [3, 2], [1, 0]])
      })

      test('ends where its reader says', async () => {
        for (let n = 0; n < 9; n++) await append(entry(n))
        const within = ({ n }: Entry): boolean => n > 4
        const first = await page({ limit: 3, within })
        expect(first.records.map(({ n }) => n)).toEqual([8, 7, 6])
        expect((await page({ limit: 3, within, before: first.next })).records.map(({ n }) => n)).toEqual([5])
      })

      test('does not shift a page for what is appended after the one before', async () => {
        for (let n = 0; n < 10; n++) await append(entry(n))
        const first = await page({ limit: 4 })
        for (let n = 10; n < 30; n++) await append(entry(n))
        const second = await page({ limit: 4, before: first.next })
        expect([...first.records, ...second.records].map(({ n }) => n)).toEqual([9, 8, 7, 6, 5, 4, 3, 2])
      })

      test('loses its oldest beyond its size, and a page that stood there is empty', async () => {
        const text = 'x'.repeat(5000)
        for (let n = 0; n < 10; n++) await append(entry(n, text))
        const { next } = await page({ limit: 8 })
        for (let n = 10; n < 90; n++) await append(entry(n, text))
        const left = (await paged(50)).flat()
        expect(left).toEqual(countdown(90).slice(0, left.length))
        expect(left.length).toBeGreaterThan(30)
        expect(left.length).toBeLessThan(60)
        expect(await page({ limit: 5, before: next })).toEqual({ records: [] })
      })

      test('drops what is older than a time, and nothing younger', async () => {
        const expire = (n: number): Promise<void> => records.use(project, entries, (log) => log.expire(day(n)))
        await expire(9)
        for (let n = 0; n < 6; n++) await append(entry(n))
        await expire(0)
        expect((await paged(50)).flat()).toEqual(countdown(6))
        await reopen()
        await expire(3)
        expect((await paged(50)).flat()).toEqual([5, 4, 3])
        await Promise.all([expire(99), append(entry(100))])
        await expire(99)
        expect((await paged(50)).flat()).toEqual([100])
      })

      test.each(['', 'x', '1', '-1', '1-2-3', '../etc', '1-!'])('refuses the cursor %j', async (before) => {
        await append(entry(0))
        await expect(page({ limit: 5, before })).rejects.toMatchObject({ code: 'invalid_request' })
      })
    })

    describe.each([
      ['that erases', notes],
      ['that does not', queue],
    ])('a table %s', (_kind, spec) => {
      const table = <R>(work: (table: RecordTable<Head, Body>) => R | Promise<R>): Promise<R> =>
        records.use(project, spec, work)
      const all = () =>
        table(async (one) => {
          const found: Record<string, { head: Head; body: Body | undefined } | undefined> = {}
          for (const [key] of one.heads()) found[key] = await one.read(key)
          return found
        })

      test('that nothing was written to is empty', async () => {
        expect(await table(({ size }) => size)).toBe(0)
        expect(await table((one) => one.read('a'))).toBeUndefined()
        expect(await records.exists(project, spec.name)).toBe(false)
      })

      test('keeps head and body, replaces both or the head alone, and deletes', async () => {
        await table((one) =>
          one.write([
            { put: 'a', head: { title: 'A' }, body: { text: 'tab\there\n“ü”\0' } },
            { put: 'b', head: { title: 'B' } },
            { put: 'c', head: { title: 'C' }, body: { text: 'c' } },
          ]),
        )
        await table((one) => one.write([{ put: 'a', head: { title: 'A2' } }, { delete: 'b' }, { delete: 'never' }]))
        await table((one) => one.write([{ put: 'c', head: { title: 'C2' }, body: { text: 'c2' } }]))
        const expected = {
          a: { head: { title: 'A2' }, body: { text: 'tab\there\n“ü”\0' } },
          c: { head: { title: 'C2' }, body: { text: 'c2' } },
        }
        expect(await all()).toEqual(expected)
        await reopen()
        expect(await all()).toEqual(expected)
        expect(await table((one) => [one.size, one.head('b'), one.bodyBytes('b'), one.bodyBytes('c') > 0])).toEqual([
          2,
          undefined,
          0,
          true,
        ])
      })

      test('has its keys in the order in which they came, over a restart', async () => {
        const keys = countdown(50).map((n) => `k${n}`)
        for (const key of keys)
          await table((one) => one.write([{ put: key, head: { title: '' }, body: { text: key } }]))
        for (const key of keys.slice(0, 20).toReversed())
          await table((one) => one.write([{ put: key, head: { title: 'again' } }]))
        expect(Object.keys(await all())).toEqual(keys)
        await reopen()
        expect(Object.keys(await all())).toEqual(keys)
      })

      test('does the changes of many at once, each as a whole', async () => {
        await Promise.all(
          countdown(100).map((n) =>
            table((one) =>
              one.write([
                { put: `a${n}`, head: { title: String(n) }, body: { text: 'a' } },
                { put: `b${n}`, head: { title: String(n) } },
              ]),
            ),
          ),
        )
        await reopen()
        expect(await table(({ size }) => size)).toBe(200)
      })

      test('is what a map would be, whatever is done to it', async () => {
        const key = fc.constantFrom('a', 'b', 'c', 'd')
        const change = fc.oneof(
          fc.record({ put: key, head: fc.record({ title: fc.string({ maxLength: 5 }) }) }),
          fc.record({
            put: key,
            head: fc.record({ title: fc.string({ maxLength: 5 }) }),
            body: fc.record({ text: fc.string({ unit: 'binary', maxLength: 9 }) }),
          }),
          fc.record({ delete: key }),
        )
        const step = fc.oneof(
          {
            weight: 6,
            arbitrary: fc.uniqueArray(change, {
              minLength: 1,
              maxLength: 3,
              selector: (one) => ('delete' in one ? one.delete : one.put),
            }),
          },
          { weight: 1, arbitrary: fc.constant(null) },
        )
        const model = new Map<string, { head: Head; body: Body | undefined }>()
        await fc.assert(
          fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
            for (const changes of steps) {
              if (changes === null) {
                await reopen()
                continue
              }
              await table((one) => one.write(changes))
              for (const one of changes) {
                if ('delete' in one) model.delete(one.delete)
                else {
                  const body = 'body' in one ? one.body : model.get(one.put)?.body
                  model.set(one.put, { head: one.head, body })
                }
              }
            }
            expect(await all()).toEqual(Object.fromEntries(model))
          }),
          { numRuns: cases(20) },
        )
      })
    })

    test('who has a stream of a project that is removed can write no more, and its successor begins anew', async () => {
      const { view } = await records.open(project, notes)
      await view.write([{ put: 'a', head: { title: 'A' } }])
      await records.leave(project)
      await expect(view.write([{ put: 'b', head: { title: 'B' } }])).rejects.toMatchObject({ code: 'not_found' })
      expect(await records.use(project, notes, (one) => one.size)).toBe(1)
    })

    test('what is written while a project is held is there, and what was deleted is not', async () => {
      const use = <R>(work: (table: RecordTable<Head, Body>) => R | Promise<R>) => records.use(project, notes, work)
      await use((one) => one.write([{ put: 'a', head: { title: 'A' }, body: { text: 'a' } }]))
      const hold = await records.hold(project)
      await use((one) => one.write([{ delete: 'a' }, { put: 'b', head: { title: 'B' } }]))
      expect(await hold.whileStill(() => use(({ size }) => size))).toBe(1)
      hold.release()
      await reopen()
      expect(await use((one) => [...one.heads()])).toEqual([['b', { title: 'B' }]])
    })
  })
}
