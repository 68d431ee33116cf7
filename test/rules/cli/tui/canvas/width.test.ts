import fc from 'fast-check'
import { eastAsianWidth } from 'get-east-asian-width'
import { describe, expect, it } from 'vitest'
import { graphemesOf, graphemeWidth, isSure, widthOf } from '#cli/tui/canvas/width.ts'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

describe('characters that need no look into the tables', () => {
  it('are each their own, and as wide as the tables say', () => {
    const wrong: string[] = []
    for (let code = 0x20; code < 0x1_00_00; code++) {
      const character = String.fromCharCode(code)
      if (!isSure(character)) continue
      const isApart = Array.from(segmenter.segment(`a${character}漢${character}`)).length === 4
      const isPlain = !/[\p{Mn}\p{Me}\p{Cf}\p{Cc}\p{Emoji_Presentation}]/u.test(character)
      const width = eastAsianWidth(code) === 2 ? 2 : 1
      if (!isApart || !isPlain || graphemeWidth(character) !== width) wrong.push(code.toString(16))
    }
    expect(wrong).toEqual([])
  })
})

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        'a',
        'é',
        'e\u0301',
        '漢',
        'か',
        '\u3099',
        '한',
        'ᄒ',
        '👩‍🚀',
        '❤',
        '\uFE0F',
        '─',
        '…',
        '\u00AD',
        '🇩🇪',
      ),
    )
    .map((parts) => parts.join('')),
)

describe('any text', () => {
  it('falls apart into what a person takes for characters', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(graphemesOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
      }),
    )
  })

  it('is as wide as its characters together', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(widthOf(text)).toBe(graphemesOf(text).reduce((sum, grapheme) => sum + graphemeWidth(grapheme), 0))
      }),
    )
  })
})

it.each([
  ['a', 1],
  ['漢', 2],
  ['e\u0301', 1],
  ['👩‍🚀', 2],
  ['❤\uFE0F', 2],
  ['🇩🇪', 2],
  ['\u200B', 0],
  ['\u0301', 0],
])('%s takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
})
