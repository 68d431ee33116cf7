import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Release } from '#contract/release.ts'
import { sameJson } from '#hosting/manifest.ts'
import { blobNames, decodeRelease, encodeRelease as encodeInSteps, partsOf } from '#hosting/manifest.ts'
import { atOnce } from '#test/support/at-once.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'

const encodeRelease = (...input: Parameters<typeof encodeInSteps>) => atOnce(encodeInSteps(...input))
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

function manyPages(count: number, changed: Record<string, string> = {}): Release {
  const pages = Object.fromEntries(Array.from({ length: count }, (_, i) => [`/guide/page-${i}`, `Page ${i}`]))
  return makeRelease({ pages: { ...pages, ...changed } }).release
}

describe('a manifest', () => {
  it('gives back the release that it was made of', async () => {
    const release = manyPages(300)
    const { manifest, parts } = encodeRelease(release, null)
    const read = (blob: string): Promise<Buffer> => Promise.resolve(Buffer.from(parts.get(blob) ?? ''))
    const decoded = await decodeRelease(JSON.parse(JSON.stringify(manifest)), { read })
    expect(plain(decoded.release)).toEqual(plain(release))
  })

  it('is read beside another one as far as the two differ', async () => {
    const base = encodeRelease(manyPages(2000), null)
    const next = encodeRelease(manyPages(2000, { '/guide/page-7': 'New words', '/more': 'A page' }), null)
    const asked: string[] = []
    const read = async (blob: string): Promise<Buffer> => {
      asked.push(blob)
      return Buffer.from(next.parts.get(blob) ?? '')
    }
    const known = await decodeRelease(base.manifest, { read: async (blob) => Buffer.from(base.parts.get(blob) ?? '') })
    const decoded = await decodeRelease(next.manifest, { read, base: known })
    expect(plain(decoded.release)).toEqual(plain(next.release))
    expect(asked.length).toBeLessThanOrEqual(6)
    expect(decoded.release.pages['guide/page-8.mdx']).toBe(known.release.pages['guide/page-8.mdx'])
    // What was read so is as good a base as what was made.
    const after = manyPages(2000, { '/guide/page-9': 'Other words' })
    expect(encodeRelease(after, decoded).manifest).toEqual(encodeRelease(after, null).manifest)
  })

  it('costs the change, not the site, after one page has changed', () => {
    const first = manyPages(2000)
    const base = encodeRelease(first, null)
    const next = encodeRelease(manyPages(2000, { '/guide/page-7': 'New words' }), base)
    expect(base.parts.size).toBeGreaterThan(100)
    // The page, its twin, and its record: a chunk each.
    expect(next.parts.size).toBe(3)
    expect([...partsOf(next.manifest)].filter((part) => next.parts.has(part))).toHaveLength(3)
  })

  it('is equal to one that was made from scratch, whatever it was based on', () => {
    const table = fc.dictionary(fc.oneof(fc.constant('__proto__'), fc.string()), fc.jsonValue(), {
      maxKeys: 120,
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(table, table, (before, after) => {
        const [one, two] = [before, after].map((pages) => ({ ...makeRelease({}).release, pages }) as unknown as Release)
        if (one === undefined || two === undefined) return
        const base = encodeRelease(one, null)
        const scratch = encodeRelease(two, null)
        const based = encodeRelease(two, base)
        expect(based.manifest).toEqual(scratch.manifest)
        for (const part of partsOf(based.manifest)) expect(based.parts.has(part) || base.parts.has(part)).toBe(true)
      }),
    )
  })

  it('names every blob of its release', () => {
    const { release, blobs } = makeRelease({
      pages: { '/': 'Hello' },
      files: { '/a.png': { content: 'png', type: 'image/png' } },
    })
    const { manifest, parts } = encodeRelease(release, null)
    const names = new Set(blobNames(JSON.stringify(manifest)))
    for (const part of parts.values()) for (const blob of blobNames(Buffer.from(part).toString())) names.add(blob)
    for (const blob of blobs.keys()) expect(names).toContain(blob)
  })
})

describe('sameJson', () => {
  it('agrees with Node’s deep equality', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (a, b) => {
        expect(sameJson(plain(a), plain(a))).toBe(true)
        expect(sameJson(plain(a), plain(b))).toBe(isDeepStrictEqual(plain(a), plain(b)))
      }),
    )
  })
})
