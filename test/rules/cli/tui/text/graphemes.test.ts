import fc from 'fast-check'
import { expect, test } from 'vitest'
import { graphemesOf, widthOf } from '#cli/tui/canvas/width.ts'
import { cellsOf, graphemeBoundary, graphemeEnd, graphemeStart } from '#cli/tui/text/graphemes.ts'
import { someLine } from '#test/support/texts.ts'

function byUnicode(text: string): string[] {
  return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
}

/** Where the user-perceived characters of a text begin, and its end. */
function boundaries(text: string): number[] {
  const ends = [0]
  for (const grapheme of byUnicode(text)) ends.push((ends.at(-1) ?? 0) + grapheme.length)
  return ends
}

test('Steps go by what Unicode takes for a character, forwards and back', () => {
  fc.assert(
    fc.property(someLine, (text) => {
      const ends = boundaries(text)
      for (const [index, at] of ends.entries()) {
        expect(graphemeBoundary(text, at)).toBe(at)
        expect(graphemeEnd(text, at)).toBe(ends[index + 1] ?? text.length)
        expect(graphemeStart(text, at)).toBe(ends[Math.max(0, index - 1)])
      }
    }),
  )
})

test('Cells are the characters of a text, each as wide as the terminal has it', () => {
  fc.assert(
    fc.property(fc.oneof(someLine, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), (text) => {
      const cells = cellsOf(text)
      expect(graphemesOf(text)).toEqual(byUnicode(text))
      expect(cells.map(({ index, length }) => text.slice(index, index + length))).toEqual(byUnicode(text))
      for (const { text: shown, width, index, length } of cells) {
        if (!text.slice(index, index + length).startsWith('\t')) expect([shown, widthOf(shown)]).toEqual([shown, width])
        expect(width).toBeGreaterThan(0)
      }
    }),
  )
})

test('A tab reaches to the next stop', () => {
  expect(cellsOf('a\tb', 0).map(({ width }) => width)).toEqual([1, 3, 1])
  expect(cellsOf('\t', 3).map(({ width }) => width)).toEqual([1])
})
