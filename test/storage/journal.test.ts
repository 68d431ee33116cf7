import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openJournal, type Journal, type JournalOptions } from '../../src/storage/journal.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { failingFileSystem } from './failing-file-system.ts'

interface Counted {
  readonly n: number
  readonly text: string
}

const small = { maxSegmentBytes: 200, maxSegments: 1000 }

async function openAt(directory: string, options: Partial<JournalOptions<Counted>> = {}): Promise<Journal<Counted>> {
  const journal = await openJournal<Counted>(directory, { ...small, ...options })
  onTestFinished(() => journal.close())
  return journal
}

/** All of it, by pages. */
async function paged(
  journal: Journal<Counted>,
  limit: number,
  where?: (record: Counted) => boolean,
): Promise<{ numbers: number[]; sizes: number[] }> {
  const numbers: number[] = []
  const sizes: number[] = []
  let before: string | undefined
  do {
    const page = await journal.readBackwards({ before, limit, where })
    numbers.push(...page.records.map(({ n }) => n))
    sizes.push(page.records.length)
    before = page.next
  } while (before !== undefined)
  return { numbers, sizes }
}

const countdown = (length: number): number[] => Array.from({ length }, (_, at) => length - 1 - at)

test('pages give every record once, newest first, whatever the sizes and wherever the files end', async () => {
  const scenario = fc.record({
    texts: fc.array(fc.string({ unit: 'grapheme', maxLength: 60 }), { maxLength: 40 }),
    limit: fc.integer({ min: 1, max: 12 }),
    maxSegmentBytes: fc.integer({ min: 1, max: 600 }),
    reopenAfter: fc.nat(40),
    odd: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(scenario, async ({ texts, limit, maxSegmentBytes, reopenAfter, odd }) => {
      const directory = join(await temporaryDirectory(), 'journal')
      let journal = await openAt(directory, { maxSegmentBytes })
      for (const [n, text] of texts.entries()) {
        if (n === reopenAfter) {
          await journal.close()
          journal = await openAt(directory, { maxSegmentBytes })
        }
        await journal.append({ n, text })
      }
      const where = odd ? (record: Counted): boolean => record.n % 2 === 1 : undefined
      const expected = countdown(texts.length).filter((n) => !odd || n % 2 === 1)
      const { numbers, sizes } = await paged(journal, limit, where)
      expect(numbers).toEqual(expected)
      // Every page is full but the last, and none is empty unless all is.
      expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true)
      expect(sizes.at(-1) === 0).toBe(expected.length === 0)
      await journal.close()
    }),
    { numRuns: 60 },
  )
})

test('records that many append at once are all there, across many files', async () => {
  const journal = await openAt(join(await temporaryDirectory(), 'journal'))
  await Promise.all(countdown(300).map((n) => journal.append({ n, text: 'x' })))
  const { numbers } = await paged(journal, 7)
  expect(numbers).toEqual(countdown(300).toReversed())
})

test('what is appended between two pages does not shift the second', async () => {
  const journal = await openAt(join(await temporaryDirectory(), 'journal'))
  for (let n = 0; n < 10; n++) await journal.append({ n, text: 'x' })
  const first = await journal.readBackwards({ limit: 4 })
  for (let n = 10; n < 30; n++) await journal.append({ n, text: 'x' })
  const second = await journal.readBackwards({ limit: 4, before: first.next })
  expect([...first.records, ...second.records].map(({ n }) => n)).toEqual([9, 8, 7, 6, 5, 4, 3, 2])
})

test('the oldest files go when there are too many, and a page that stood there is empty', async () => {
  const directory = join(await temporaryDirectory(), 'journal')
  const journal = await openAt(directory, { maxSegments: 3 })
  for (let n = 0; n < 12; n++) await journal.append({ n, text: 'x'.repeat(50) })
  const { next } = await journal.readBackwards({ limit: 3 })
  expect(next).toBeDefined()
  for (let n = 12; n < 100; n++) await journal.append({ n, text: 'x'.repeat(50) })
  expect(await readdir(directory)).toHaveLength(3)
  const { numbers } = await paged(journal, 5)
  expect(numbers).toEqual(countdown(100).slice(0, numbers.length))
  expect(numbers.length).toBeGreaterThan(5)
  expect(await journal.readBackwards({ limit: 5, before: next })).toEqual({ records: [] })
})

test('what has grown old is dropped a file at a time, also from the current file, and nothing else', async () => {
  const directory = join(await temporaryDirectory(), 'journal')
  const timeOf = ({ n }: Counted): string => String(n).padStart(3, '0')
  const limits = (drop: number, cut: number) => ({
    dropBefore: timeOf({ n: drop, text: '' }),
    cutBefore: timeOf({ n: cut, text: '' }),
  })
  const options = { timeOf, maxSegmentBytes: 1_000_000 }
  const numbers = async (): Promise<number[]> => (await paged(journal, 3)).numbers
  let journal = await openAt(directory, options)
  await journal.expire(limits(999, 999))
  for (let n = 0; n < 5; n++) await journal.append({ n, text: 'x' })
  // All are young, then the current file has one that is not: the next records go into another one.
  await journal.expire(limits(0, 0))
  await journal.append({ n: 5, text: 'x' })
  await journal.expire(limits(3, 4))
  await journal.append({ n: 6, text: 'x' })
  expect(await numbers()).toEqual(countdown(7))
  expect(await readdir(directory)).toHaveLength(2)
  // Its newest record decides about a file.
  await journal.expire(limits(5, 6))
  expect(await numbers()).toEqual(countdown(7))
  await journal.close()
  journal = await openAt(directory, options)
  await Promise.all([journal.expire(limits(6, 6)), journal.append({ n: 7, text: 'x' })])
  expect(await numbers()).toEqual([7, 6])
  const { next } = await journal.readBackwards({ limit: 1 })
  await journal.expire(limits(900, 900))
  expect(await numbers()).toEqual([])
  expect(await journal.readBackwards({ limit: 5, before: next })).toEqual({ records: [] })
  await journal.append({ n: 8, text: 'x' })
  expect(await numbers()).toEqual([8])
  expect(await readdir(directory)).toHaveLength(1)
})

test('a disk that fails when a file is dropped harms no other, and it is dropped the next time', async () => {
  const fs = failingFileSystem()
  const directory = join(await temporaryDirectory(), 'journal')
  const journal = await openAt(directory, { fs, timeOf: ({ n }) => String(n), maxSegmentBytes: 1 })
  for (const n of [1, 2, 6]) await journal.append({ n, text: 'x' })
  fs.failAt('directory')
  const limits = { dropBefore: '5', cutBefore: '5' }
  await expect(journal.expire(limits)).rejects.toThrow('the directory of')
  expect((await paged(journal, 5)).numbers.at(0)).toBe(6)
  fs.failAt(null)
  await journal.expire(limits)
  expect((await paged(journal, 5)).numbers).toEqual([6])
  expect(await readdir(directory)).toHaveLength(1)
})

test('a torn last line is not read, and what comes after it is', async () => {
  const directory = join(await temporaryDirectory(), 'journal')
  const first = await openAt(directory)
  await first.append({ n: 0, text: 'x' })
  await first.close()
  await appendFile(join(directory, '00000001.jsonl'), '{"n":1,"te')
  const journal = await openAt(directory)
  expect((await paged(journal, 5)).numbers).toEqual([0])
  await journal.append({ n: 2, text: 'x' })
  expect((await paged(journal, 5)).numbers).toEqual([2, 0])
})

test.each(['open', 'write', 'short', 'append', 'sync', 'directory'] as const)(
  'a disk that fails at %s refuses the record, and the next one is kept',
  async (step) => {
    const fs = failingFileSystem()
    const journal = await openAt(join(await temporaryDirectory(), 'journal'), { fs, maxSegmentBytes: 1 })
    await journal.append({ n: 0, text: 'x' })
    fs.failAt(step, step === 'sync' ? 1 : undefined)
    await expect(journal.append({ n: 1, text: 'x' })).rejects.toMatchObject({ code: 'unavailable' })
    fs.failAt(null)
    await journal.append({ n: 2, text: 'x' })
    expect((await paged(journal, 5)).numbers).toEqual([2, 0])
  },
)

test('reading a journal that nothing was written to makes no file', async () => {
  const parent = await temporaryDirectory()
  const journal = await openAt(join(parent, 'journal'))
  expect(await journal.readBackwards({ limit: 5 })).toEqual({ records: [] })
  expect(await readdir(parent)).toEqual([])
})

test.each(['', 'x', '1-', '-1', '1-2-3', '../etc', '1-!'])('the cursor %j is refused', async (before) => {
  const journal = await openAt(await temporaryDirectory())
  await expect(journal.readBackwards({ limit: 5, before })).rejects.toMatchObject({ code: 'invalid_request' })
})
