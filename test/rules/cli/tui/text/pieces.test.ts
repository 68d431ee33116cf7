import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TextBuffer } from '#cli/tui/text/buffer.ts'

const unit = fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '\u{1F600}', '', '日本')

it('a text in pieces is the text as it was when they were asked for', () => {
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), fc.nat({ max: 3 }), fc.boolean(), (units, times, hasMark) => {
      const text = (hasMark ? '\uFEFF' : '') + units.join('').repeat(1 + times * 1_500)
      const buffer = new TextBuffer(text)
      const pieces = buffer.pieces()
      const start = { line: 0, column: 0 }
      buffer.replace({ start, end: { line: buffer.count - 1, column: 0 } }, 'something\nelse', 'other')
      expect([...pieces].join('') === text).toBe(true)
      expect([...pieces].join('').length).toBe(pieces.units)
      expect([...buffer.pieces()].join('') === buffer.text()).toBe(true)
    }),
  )
})
