import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sha256 } from '#lib/digest.ts'
import { BlobMissing, type Blobs, type ProjectBlobs } from '#storage/blobs.ts'
import { cases } from '#test/support/properties.ts'

/** Blobs under test. */
export interface BlobsUnderTest {
  readonly blobs: Blobs
  /** Ends them as if their process had died, and opens them again on the same data. */
  reopen(): Promise<Blobs>
  close(): Promise<void>
}

const blobsOf = (...texts: string[]): Map<string, Buffer> =>
  new Map(texts.map((text) => [sha256(text), Buffer.from(text)]))

/** What adapters under test are told that many projects publish. */
export const common = blobsOf('the theme', 'its style')

/** What the blobs port promises. Every adapter must pass. */
export function describeBlobs(adapter: string, openBlobs: () => Promise<BlobsUnderTest>): void {
  describe(`${adapter} keeps the promises of blobs`, () => {
    let subject: BlobsUnderTest
    let all: Blobs
    let project: ProjectBlobs
    beforeEach(async () => {
      subject = await openBlobs()
      all = subject.blobs
      project = await all.open('leaves')
    })
    afterEach(() => subject.close())
    const reopen = async (): Promise<void> => {
      all = await subject.reopen()
      project = await all.open('leaves')
    }

    test('has what was put, whole and by ranges, over a restart', async () => {
      await project.blobs.put(blobsOf('one', '', 'three'))
      await project.blobs.put(blobsOf('one', 'four'))
      for (const round of ['before', 'after']) {
        if (round === 'after') await reopen()
        const { blobs } = project
        expect((await blobs.read(sha256('three'))).toString()).toBe('three')
        expect((await blobs.read(sha256('four'), { start: 1, end: 3 })).toString()).toBe('ou')
        expect((await blobs.read(sha256(''))).length).toBe(0)
        expect([blobs.has(sha256('one')), blobs.has(sha256('five'))]).toEqual([true, false])
        await expect(blobs.read(sha256('five'))).rejects.toBeInstanceOf(BlobMissing)
      }
    })

    test('keeps what is wanted and nothing that is not needed for it, whatever comes and goes', async () => {
      const text = fc.nat(30).map((n) => `${n} `.repeat(50 + n))
      const round = fc.record({ put: fc.uniqueArray(text, { maxLength: 8 }), keep: fc.uniqueArray(text) })
      await fc.assert(
        fc.asyncProperty(fc.array(round, { maxLength: 5 }), async (rounds) => {
          let known = new Set<string>()
          await project.blobs.retain(() => false)
          for (const { put, keep } of rounds) {
            await project.blobs.put(blobsOf(...put))
            for (const one of put) known.add(one)
            const wanted = new Set(keep.map(sha256))
            await project.blobs.retain((blob) => wanted.has(blob))
            known = new Set([...known].filter((one) => wanted.has(sha256(one))))
            for (const one of known) expect((await project.blobs.read(sha256(one))).toString()).toBe(one)
          }
          await reopen()
          for (const one of known) expect((await project.blobs.read(sha256(one))).toString()).toBe(one)
        }),
        { numRuns: cases(15) },
      )
    })

    test('reads beside puts and collections', async () => {
      await project.blobs.put(blobsOf('kept'))
      const reading = Array.from({ length: 50 }, () => project.blobs.read(sha256('kept')))
      await project.blobs.put(blobsOf('other'))
      await project.blobs.retain((blob) => blob === sha256('kept'))
      for (const bytes of await Promise.all(reading)) expect(bytes.toString()).toBe('kept')
    })

    test('gives each project what all have in common until that project gives it up', async () => {
      const other = await all.open('other')
      for (const { blobs } of [project, other]) await blobs.put(new Map([...common, ...blobsOf('own')]))
      await project.blobs.retain((blob) => blob !== sha256('the theme'))
      await all.remove('other')
      const third = await all.open('third')
      await third.blobs.put(common)
      await reopen()
      const { blobs } = project
      expect([blobs.has(sha256('the theme')), (await blobs.read(sha256('its style'))).toString()]).toEqual([
        false,
        'its style',
      ])
      expect((await all.open('other')).blobs.has(sha256('its style'))).toBe(false)
      expect((await (await all.open('third')).blobs.read(sha256('the theme'))).toString()).toBe('the theme')
    })

    test('replaces texts as a whole, lists and removes them', async () => {
      const { texts } = project
      expect([await texts.read('assets'), await texts.list('releases')]).toEqual([null, []])
      await texts.write('assets', 'one')
      await texts.write('assets', 'two “ü”')
      for (const id of ['a1', 'b2', 'c3']) await texts.write(`releases/${id}`, id)
      await texts.remove(['releases/b2', 'releases/never'])
      await reopen()
      expect(await project.texts.read('assets')).toBe('two “ü”')
      expect((await project.texts.list('releases')).toSorted()).toEqual(['a1', 'c3'])
      expect(await project.texts.read('releases/b2')).toBeNull()
    })

    test('a removed project leaves nothing to its successor, and others alone', async () => {
      const other = await all.open('other')
      for (const one of [project, other]) {
        await one.blobs.put(blobsOf('text'))
        await one.texts.write('assets', 'text')
      }
      await all.remove('leaves')
      await all.remove('never')
      await reopen()
      expect([project.blobs.has(sha256('text')), await project.texts.read('assets')]).toEqual([false, null])
      expect((await all.open('other')).blobs.has(sha256('text'))).toBe(true)
    })
  })
}
