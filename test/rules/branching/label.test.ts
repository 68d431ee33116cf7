import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { previewLabel } from '#branching/registry.ts'

const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/
const slugs = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/).filter((slug) => !slug.includes('--'))
const names = fc.stringMatching(/^[a-z0-9_](?:[a-z0-9_/-]{0,99})$/)

describe('the label of a preview', () => {
  it.each([
    ['docs', 'intro', 'docs--intro'],
    ['docs', 'new-intro', 'docs--new-intro'],
    ['docs', '2', 'docs--2'],
    ['my-docs', 'a--b', 'my-docs--a--b'],
  ])('of %s and %s is %s, as it is', (slug, name, expected) => {
    expect(previewLabel(slug, name)).toBe(expected)
  })

  it.each([
    ['docs', 'a/b', /^docs--a-b--[0-9a-z]{12}$/],
    ['docs', 'a_b', /^docs--a-b--[0-9a-z]{12}$/],
    ['docs', 'a-', /^docs--a--[0-9a-z]{12}$/],
    ['docs', '_', /^docs--branch--[0-9a-z]{12}$/],
    ['docs', 'a--0123456789ab', /^docs--a-0123456789ab--[0-9a-z]{12}$/],
    ['docs', 'x'.repeat(100), /^docs--x{43}--[0-9a-z]{12}$/],
    ['d'.repeat(63), 'intro', /^d{42}--intro--[0-9a-z]{12}$/],
    ['xn', 'intro', /^xn-x--intro--[0-9a-z]{12}$/],
  ])('of %s and %s has a readable part and a hash', (slug, name, expected) => {
    expect(previewLabel(slug, name)).toMatch(expected)
  })

  it('is another one for a/b, a-b and a_b', () => {
    expect(new Set(['a/b', 'a-b', 'a_b', 'a--b'].map((name) => previewLabel('docs', name))).size).toBe(4)
  })

  it('is always a valid host name of at most 63 characters with the two hyphens that no slug has', () => {
    fc.assert(
      fc.property(slugs, names, (slug, name) => {
        const found = previewLabel(slug, name)
        expect(found).toMatch(label)
        expect(found.length).toBeLessThanOrEqual(63)
        expect(found).toContain('--')
        expect(found.startsWith('xn--')).toBe(false)
        expect(previewLabel(slug, name)).toBe(found)
      }),
    )
  })

  it('is another one for every branch of every project', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(slugs, names), { selector: (pair) => pair.join(' '), maxLength: 30 }),
        (pairs) => {
          expect(new Set(pairs.map(([slug, name]) => previewLabel(slug, name))).size).toBe(pairs.length)
        },
      ),
    )
  })

  it('keeps apart names that look like each other’s labels', () => {
    const first = previewLabel('docs', 'a/b')
    const name = first.slice('docs--'.length)
    expect(previewLabel('docs', name)).not.toBe(first)
  })
})
