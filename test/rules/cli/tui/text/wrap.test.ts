import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextBuffer } from '#cli/tui/text/buffer.ts'
import { cellsWidth, graphemeBoundary } from '#cli/tui/text/graphemes.ts'
import { type Row, Wrap } from '#cli/tui/text/wrap.ts'
import { someText } from '#test/support/texts.ts'

function rowsOf(text: string, width: number): { buffer: TextBuffer; rows: Row[]; wrap: Wrap } {
  const buffer = new TextBuffer(text)
  const wrap = new Wrap(buffer)
  wrap.width = width
  const rows: Row[] = []
  for (let row: Row | undefined = wrap.rowAt({ line: 0, column: 0 }); row !== undefined; row = wrap.next(row))
    rows.push(row)
  return { buffer, rows, wrap }
}

function shownRows(text: string, width: number): string[] {
  const { buffer, rows } = rowsOf(text, width)
  return rows.map(({ line, from, to, indent }) => ' '.repeat(indent) + buffer.at(line).slice(from, to).trimEnd())
}

test('Rows end between words', () => {
  expect(shownRows('Never lose a word of the writer', 12)).toEqual(['Never lose a', 'word of the', 'writer'])
})

test('A word that is longer than a row is broken', () => {
  expect(shownRows('a Supercalifragilistic b', 8)).toEqual(['a', 'Supercal', 'ifragili', 'stic b'])
})

test('Lists and quotes go on under their text', () => {
  expect(shownRows('- one two three', 10)).toEqual(['- one two', '  three'])
  expect(shownRows('> quoted words', 9)).toEqual(['> quoted', '  words'])
  expect(shownRows('  1. item of a list', 12)).toEqual(['  1. item of', '     a list'])
})

test('Chinese and Japanese break between characters, but not before a full stop', () => {
  expect(shownRows('漢字仮名交じり文', 6)).toEqual(['漢字仮', '名交じ', 'り文'])
  expect(shownRows('漢字仮。名', 6)).toEqual(['漢字', '仮。名'])
})

test('The rows of any text are the text, whole, in order, and no wider than the screen', () => {
  fc.assert(
    fc.property(someText, fc.integer({ min: 8, max: 60 }), (text, width) => {
      const { buffer, rows } = rowsOf(text, width)
      const lines = Array.from({ length: buffer.count }, () => '')
      for (const { line, from, to, indent } of rows) {
        expect(from).toBe(lines[line]?.length)
        const own = buffer.at(line).slice(from, to)
        expect(graphemeBoundary(buffer.at(line), from)).toBe(from)
        expect(indent + cellsWidth(own.replace(/[ \t]+$/, ''), indent)).toBeLessThanOrEqual(width)
        lines[line] += own
      }
      expect(lines).toEqual(lines.map((_, line) => buffer.at(line)))
    }),
  )
})

test('Going up passes the same rows as going down', () => {
  fc.assert(
    fc.property(someText, fc.integer({ min: 8, max: 60 }), (text, width) => {
      const { rows, wrap } = rowsOf(text, width)
      const up: Row[] = []
      for (let row = rows.at(-1); row !== undefined; row = wrap.previous(row)) up.unshift(row)
      expect(up).toEqual(rows)
    }),
  )
})

test('A position of a row is found at its column', () => {
  fc.assert(
    fc.property(someText, fc.integer({ min: 8, max: 60 }), (text, width) => {
      const { rows, wrap, buffer } = rowsOf(text, width)
      for (const row of rows) {
        const last = { line: row.line, column: wrap.lastOf(row) }
        expect(wrap.positionIn(row, wrap.columnOf(row, last))).toEqual(last)
        expect(wrap.rowAt(last)).toEqual(buffer.at(row.line) === '' ? row : wrap.rowAt({ ...last }))
      }
    }),
  )
})

test('A very long line is wrapped where it is looked at, and its rows are whole', () => {
  const text = 'word und 漢字 '.repeat(2_000)
  const { buffer, rows, wrap } = rowsOf(text, 40)
  expect(rows.map(({ from, to }) => buffer.at(0).slice(from, to)).join('')).toBe(text)
  let row: Row | undefined = wrap.rowAt({ line: 0, column: text.length })
  let count = 0
  for (; row !== undefined; row = wrap.previous(row)) count++
  expect(count).toBe(rows.length)
})
