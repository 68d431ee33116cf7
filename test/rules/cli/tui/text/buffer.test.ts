import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextBuffer } from '#cli/tui/text/buffer.ts'
import type { LinesChange } from '#authoring/lines.ts'
import { cursorAt, endOf } from '#cli/tui/text/positions.ts'
import { someText } from '#test/support/texts.ts'

const at = (line: number, column: number) => ({ line, column })
const somePosition = fc.record({ line: fc.nat(14), column: fc.nat(30) })
const someEdit = fc.record({ one: somePosition, other: somePosition, text: someText })

function edit(
  buffer: TextBuffer,
  { one, other, text }: { one: ReturnType<typeof at>; other: typeof one; text: string },
) {
  const [start, end] =
    one.line < other.line || (one.line === other.line && one.column < other.column) ? [one, other] : [other, one]
  buffer.replace({ start, end }, text)
}

test('A text comes back as it was put in, byte for byte', () => {
  fc.assert(
    fc.property(someText, (text) => {
      expect(new TextBuffer(text).text()).toBe(text)
    }),
  )
})

test('Undo to the start gives the original, redo to the end what was written', () => {
  fc.assert(
    fc.property(someText, fc.array(someEdit, { maxLength: 8 }), (text, edits) => {
      const buffer = new TextBuffer(text)
      for (const one of edits) edit(buffer, one)
      const written = buffer.text()
      while (buffer.undo()) expect(buffer.canRedo).toBe(true)
      expect(buffer.text()).toBe(text)
      while (buffer.redo()) expect(buffer.canUndo).toBe(true)
      expect(buffer.text()).toBe(written)
    }),
  )
})

test('After an edit there is nothing to redo', () => {
  const buffer = new TextBuffer('')
  edit(buffer, { one: at(0, 0), other: at(0, 0), text: 'before' })
  buffer.undo()
  edit(buffer, { one: at(0, 0), other: at(0, 0), text: 'after' })
  expect([buffer.canRedo, buffer.redo(), buffer.text()]).toEqual([false, false, 'after'])
})

test('An edit changes the range and nothing else', () => {
  fc.assert(
    fc.property(someText, someEdit, (text, one) => {
      const buffer = new TextBuffer(text)
      const from = buffer.offsetOf(buffer.positionOf(Math.min(one.one.column, text.length)))
      const to = buffer.offsetOf(buffer.positionOf(text.length))
      buffer.replace({ start: buffer.positionOf(from), end: buffer.positionOf(to) }, 'X')
      expect(buffer.text()).toBe(`${text.slice(0, from)}X`)
    }),
  )
})

test('Offsets and positions tell of the same places', () => {
  fc.assert(
    fc.property(someText, somePosition, (text, position) => {
      const buffer = new TextBuffer(text)
      buffer.selection = cursorAt(position)
      const { head } = buffer.selection
      expect(buffer.positionOf(buffer.offsetOf(head))).toEqual(head)
      expect(buffer.offsetOf(endOf(buffer))).toBe(text.length)
    }),
  )
})

test('Whoever follows the changes has the same lines', () => {
  fc.assert(
    fc.property(someText, fc.array(someEdit, { maxLength: 8 }), (text, edits) => {
      const buffer = new TextBuffer(text)
      const linesOf = () => Array.from({ length: buffer.count }, (_, line) => buffer.at(line))
      const copy = linesOf()
      buffer.onChange(({ line, removed, added }: LinesChange) => {
        copy.splice(line, removed, ...Array.from({ length: added }, (_, index) => buffer.at(line + index)))
      })
      for (const one of edits) {
        edit(buffer, one)
        expect(copy).toEqual(linesOf())
      }
      while (buffer.undo()) expect(copy).toEqual(linesOf())
    }),
  )
})

test('Becoming another text is one step, and keeps the line ends of that text', () => {
  fc.assert(
    fc.property(someText, someText, (before, after) => {
      const buffer = new TextBuffer(before.replaceAll('\uFEFF', ''))
      buffer.become(after.replaceAll('\uFEFF', ''))
      expect(buffer.text()).toBe(after.replaceAll('\uFEFF', ''))
      buffer.undo()
      expect(buffer.text()).toBe(before.replaceAll('\uFEFF', ''))
      expect(buffer.canUndo).toBe(false)
    }),
  )
})

test('Becoming a text that differs in the middle leaves the lines around it alone', () => {
  const buffer = new TextBuffer('a\nb\nc\nd\n')
  const changes: LinesChange[] = []
  buffer.onChange((change) => changes.push(change))
  buffer.become('a\nb\nX\nY\nd\n')
  expect(changes).toEqual([{ line: 2, removed: 1, added: 2 }])
})

test('New lines end as most lines of the file do', () => {
  const buffer = new TextBuffer('a\r\nb\r\nc\n')
  buffer.replace({ start: at(0, 1), end: at(0, 1) }, '\nnew')
  expect(buffer.text()).toBe('a\r\nnew\r\nb\r\nc\n')
})

test('What is written in one go is undone word by word, a pause begins a new step', () => {
  let now = 0
  const buffer = new TextBuffer('', { now: () => now })
  const type = (text: string): void => {
    for (const character of text) {
      now += 100
      buffer.replace({ start: buffer.selection.head, end: buffer.selection.head }, character, 'typing')
    }
  }
  type('Never lose')
  now += 5_000
  type('rs')
  const steps = [buffer.text()]
  while (buffer.undo()) steps.push(buffer.text())
  expect(steps).toEqual(['Never losers', 'Never lose', 'Never ', ''])
})

test('Undo brings back what was selected', () => {
  const buffer = new TextBuffer('one two')
  buffer.selection = { anchor: at(0, 4), head: at(0, 7) }
  buffer.replace({ start: at(0, 4), end: at(0, 7) }, 'three')
  expect(buffer.selection).toEqual(cursorAt(at(0, 9)))
  buffer.undo()
  expect(buffer.selection).toEqual({ anchor: at(0, 4), head: at(0, 7) })
})

test('Several changes of one step are undone at once', () => {
  const buffer = new TextBuffer('a a a')
  buffer.step(() => {
    for (const column of [4, 2, 0]) buffer.replace({ start: at(0, column), end: at(0, column + 1) }, 'b')
  })
  expect(buffer.text()).toBe('b b b')
  buffer.undo()
  expect(buffer.text()).toBe('a a a')
})

test('The memory of undo has a limit: the oldest steps are forgotten, the newest is kept', () => {
  const buffer = new TextBuffer('', { undoLimit: 5_000 })
  for (let step = 0; step < 20; step++) buffer.replace({ start: at(0, 0), end: at(0, 0) }, 'x'.repeat(500))
  let undone = 0
  while (buffer.undo()) undone++
  expect(undone).toBeGreaterThan(0)
  expect(undone).toBeLessThan(20)
  buffer.replace({ start: at(0, 0), end: at(0, 0) }, 'y'.repeat(50_000))
  expect(buffer.undo()).toBe(true)
})
