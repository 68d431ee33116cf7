import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineWidth } from '#cli/tui/canvas/lines.ts'
import { TextField } from '#cli/tui/panes/text-field.ts'
import { press, textOf, typeInto } from '#test/support/keys.ts'

const size = { width: 10, height: 1 }

test('What is typed stands in the field, with the cursor behind it', () => {
  const field = new TextField()
  typeInto(field, 'new-api')
  expect(textOf(field.draw(size))).toEqual(['new-api'])
  expect(field.cursor).toEqual({ row: 0, column: 7 })
  expect(field.value).toBe('new-api')
})

test('A short text is seen from its beginning, also after a long one was cleared', () => {
  const field = new TextField()
  typeInto(field, 'far longer than the field')
  field.draw(size)
  press(field, ...Array.from('far longer than the field', () => 'backspace'))
  field.draw(size)
  typeInto(field, 'HEAD')
  expect(textOf(field.draw(size))).toEqual(['HEAD'])
  expect(field.cursor).toEqual({ row: 0, column: 4 })
})

test('Pasted lines become one, and nothing else of the text is lost', () => {
  const field = new TextField()
  field.input({ type: 'paste', text: 'one\ntwo\r\nthree' })
  expect(field.value).toBe('one two three')
})

test('Backspace takes a whole character away, however many code units it has', () => {
  const field = new TextField({ value: 'a👩‍👩‍👧e\u0301' })
  press(field, 'backspace')
  expect(field.value).toBe('a👩‍👩‍👧')
  press(field, 'backspace')
  expect(field.value).toBe('a')
})

test('Ctrl-W removes the word before the cursor, Ctrl-U all before it, Ctrl-K all behind it', () => {
  const field = new TextField({ value: 'one two three' })
  press(field, 'ctrl+w')
  expect(field.value).toBe('one two ')
  press(field, 'ctrl+left', 'ctrl+k')
  expect(field.value).toBe('one ')
  press(field, 'ctrl+u')
  expect(field.value).toBe('')
})

test('Ctrl-Z brings back what was there, and Ctrl-Y what was undone', () => {
  const field = new TextField({ value: 'one' })
  typeInto(field, ' two')
  press(field, 'ctrl+u', 'ctrl+z')
  expect(field.value).toBe('one two')
  press(field, 'ctrl+z')
  expect(field.value).toBe('one')
  press(field, 'ctrl+y')
  expect(field.value).toBe('one two')
})

test('A long text scrolls so that the cursor is seen', () => {
  const field = new TextField({ value: 'abcdefghijklmnop' })
  expect(textOf(field.draw(size))).toEqual(['hijklmnop'])
  expect(field.cursor).toEqual({ row: 0, column: 9 })
  press(field, 'home')
  expect(textOf(field.draw(size))).toEqual(['abcdefghij'])
  expect(field.cursor).toEqual({ row: 0, column: 0 })
})

test('A secret is neither shown nor said', () => {
  const field = new TextField({ value: 'quire_secret', secret: true })
  expect(textOf(field.draw({ width: 40, height: 1 })).join('')).toBe('•'.repeat(12))
  expect(field.spoken()).not.toContain('secret')
})

test('Enter gives the value to whoever asked for it, and is left alone elsewhere', () => {
  const submitted: string[] = []
  const field = new TextField({ value: 'x', onSubmit: (value) => submitted.push(value) })
  expect(press(field, 'enter')).toBe(true)
  expect(submitted).toEqual(['x'])
  expect(press(new TextField(), 'enter')).toBe(false)
})

test('Control characters of others are shown as symbols', () => {
  const field = new TextField({ value: 'a\u001B[2Jb\u202E' })
  expect(textOf(field.draw({ width: 40, height: 1 }))).toEqual(['a\u241B[2Jb\uFFFD'])
})

test('No text and no width draws more than the width, or loses the cursor', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 30 }), (value, width) => {
      const field = new TextField({ value })
      for (const chord of ['end', 'left', 'left', 'home', 'right', 'ctrl+right', 'end']) {
        press(field, chord)
        const [line = []] = field.draw({ width, height: 1 })
        expect(lineWidth(line)).toBeLessThanOrEqual(width)
        expect(field.cursor.column).toBeLessThan(width)
      }
      expect(field.value).toBe(value.replaceAll(/\r\n|[\r\n\u2028\u2029]/g, ' '))
    }),
  )
})
