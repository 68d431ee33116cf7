import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { excerptOf } from '#lib/feeds.ts'

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
const clusters = (text: string): string[] => [...graphemes.segment(text)].map(({ segment }) => segment)
const unescape = (html: string): string => html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 1500 }),
  fc.string({
    unit: fc.constantFrom('&', '<', '>', 'a', ' ', '\n', '👩‍👩‍👧‍👦', 'é', 'ש', '漢'),
    minLength: 300,
    maxLength: 1500,
  }),
)

describe('an excerpt', () => {
  it('is the whole text when that is short', () => {
    expect(excerptOf('  A new\n\nsearch.  ')).toBe('A new search.')
    expect(excerptOf('a'.repeat(500))).toBe('a'.repeat(500))
    expect(excerptOf('')).toBe('')
  })

  it('ends between words', () => {
    expect(excerptOf('word '.repeat(200))).toBe(`${'word '.repeat(99)}word…`)
  })

  it('ends anywhere in a text without spaces', () => {
    expect(excerptOf('漢'.repeat(600))).toBe(`${'漢'.repeat(499)}…`)
  })

  it('never cuts an entity', () => {
    expect(excerptOf('&'.repeat(300))).toBe(`${'&amp;'.repeat(99)}…`)
    expect(excerptOf(`${'a'.repeat(498)}<b>`)).toBe(`${'a'.repeat(498)}…`)
  })

  it('leaves out a character that alone is too long', () => {
    expect(excerptOf(`e${'\u0301'.repeat(3000)}`)).toBe('…')
  })

  it('has at most 500 characters, all of them whole, whatever the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const excerpt = excerptOf(text)
        expect(excerpt.length).toBeLessThanOrEqual(500)
        expect(excerpt).not.toMatch(/\p{Surrogate}/u)
        expect(excerpt).not.toMatch(/&(?!(?:amp|lt|gt);)|[<>]/)
        const flat = text.replace(/\s+/g, ' ').trim()
        const shown = unescape(excerpt)
        if (shown === flat) return
        expect(shown.endsWith('…')).toBe(true)
        const kept = clusters(shown.slice(0, -1))
        expect(clusters(flat).slice(0, kept.length)).toEqual(kept)
      }),
    )
  })
})
