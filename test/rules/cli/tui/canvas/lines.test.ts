import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fit, lineWidth, overlay, slice, span, wrapText } from '#cli/tui/canvas/lines.ts'
import { lineText, widthOf } from '#cli/tui/canvas/width.ts'
import { someText } from '#test/support/texts.ts'

test('A text whose units are as many as its columns by chance is cut by columns', () => {
  // Two columns and one unit, then one column and two units.
  const line = [span('漢𐀀ab')]
  expect(lineText(slice(line, 2, 4))).toBe('𐀀a')
  expect(lineText(slice(line, 1, 3))).toBe(' 𐀀')
})

test('A text that is wrapped keeps what its lines are indented by', () => {
  expect(wrapText('{\n  "a": 1,\n    "b": two words\n}', 12)).toEqual(['{', '  "a": 1,', '    "b": two', 'words', '}'])
})

test('Whatever is cut out of a line or laid over it has its columns', () => {
  const text = someText.map((whole) => whole.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ''))
  const column = fc.integer({ min: 1, max: 20 })
  fc.assert(
    fc.property(text, text, column, column, (under, over, at, width) => {
      expect(lineWidth(slice([span(under)], at, at + width))).toBe(Math.max(0, Math.min(width, widthOf(under) - at)))
      expect(lineWidth(fit([span(under)], width))).toBe(width)
      expect(lineWidth(overlay([span(under)], [span(over)], { column: at, width }))).toBe(
        Math.max(at + width, widthOf(under)),
      )
    }),
  )
})
