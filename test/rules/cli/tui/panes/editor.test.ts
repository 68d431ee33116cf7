import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineWidth } from '#cli/tui/canvas/lines.ts'
import type { Style } from '#cli/tui/canvas/style.ts'
import { EditorPane, type EditorOptions } from '#cli/tui/panes/editor.ts'
import { TextBuffer } from '#cli/tui/text/buffer.ts'
import { Finder } from '#cli/tui/text/find.ts'
import type { Completer } from '#authoring/language.ts'
import { mouse, press, textOf, typeInto } from '#test/support/keys.ts'
import { someText } from '#test/support/texts.ts'

const size = { width: 30, height: 6 }

function editor(text: string, options: Partial<EditorOptions> = {}): EditorPane {
  const pane = new EditorPane({ buffer: new TextBuffer(text), ...options })
  pane.draw(size)
  return pane
}

/** The rows without their gutter. */
function rows(pane: EditorPane): string[] {
  return textOf(pane.draw(size)).map((row) => row.slice(2))
}

function styleOf(pane: EditorPane, word: string): Style | undefined {
  return pane
    .draw(size)
    .flat()
    .find(({ text }) => text.includes(word))?.style
}

test('What is typed stands where the cursor is', () => {
  const pane = editor('Hello\nworld')
  press(pane, 'ctrl+end')
  typeInto(pane, '!')
  expect(rows(pane)).toEqual(['Hello', 'world!'])
  expect(pane.cursor).toEqual({ row: 1, column: 8 })
})

test('Moving up and down keeps the column over shorter lines', () => {
  const pane = editor('a long line\nab\nanother line')
  press(pane, 'end', 'down')
  expect(pane.position).toEqual({ line: 1, column: 2 })
  press(pane, 'down')
  expect(pane.position).toEqual({ line: 2, column: 11 })
})

test('Down goes row by row in a wrapped line, Home and End to the row first and then to the line', () => {
  const pane = editor('one two three four five six seven')
  press(pane, 'down')
  expect(pane.position.column).toBe(28)
  press(pane, 'end', 'home')
  expect(pane.position.column).toBe(28)
  press(pane, 'home')
  expect(pane.position.column).toBe(0)
  press(pane, 'end', 'end')
  expect(pane.position.column).toBe(33)
})

test('Shift selects, and what is typed takes the place of the selection', () => {
  const pane = editor('one two three')
  press(pane, 'ctrl+right', 'ctrl+shift+right')
  expect(pane.selectedText).toBe(' two')
  expect(styleOf(pane, ' two')).toMatchObject({ background: 'selected' })
  typeInto(pane, ',')
  expect(pane.buffer.text()).toBe('one, three')
})

test('Cut, copy and paste work within the editor, and tell the terminal', () => {
  const copied: string[] = []
  const pane = editor('one two', { copy: (text) => copied.push(text) })
  press(pane, 'ctrl+shift+right', 'ctrl+x', 'end', 'ctrl+v')
  expect(pane.buffer.text()).toBe(' twoone')
  expect(copied).toEqual(['one'])
  expect(press(pane, 'ctrl+c')).toBe(false)
})

test('A paste of many lines is one step of undo', () => {
  const pane = editor('ab')
  press(pane, 'right')
  pane.input({ type: 'paste', text: '1\n2\n3' })
  expect(pane.buffer.text()).toBe('a1\n2\n3b')
  press(pane, 'ctrl+z')
  expect(pane.buffer.text()).toBe('ab')
  press(pane, 'ctrl+y')
  expect(pane.buffer.text()).toBe('a1\n2\n3b')
})

test('Backspace takes a whole emoji away', () => {
  const pane = editor('a👩‍👩‍👧‍👦')
  press(pane, 'end', 'backspace')
  expect(pane.buffer.text()).toBe('a')
})

test.each([
  ['- item', '- item\n- x'],
  ['9. nine', '9. nine\n10. x'],
  ['- [x] done', '- [x] done\n- [ ] x'],
  ['> quote', '> quote\n> x'],
  ['    code', '    code\n    x'],
])('Enter goes on with what the line is: %s', (text, expected) => {
  const pane = editor(text)
  press(pane, 'end')
  typeInto(pane, '\nx')
  expect(pane.buffer.text()).toBe(expected)
})

test('Enter in an empty item ends the list', () => {
  const pane = editor('- item\n- ')
  press(pane, 'ctrl+end', 'enter')
  expect(pane.buffer.text()).toBe('- item\n')
})

test('Tab and Shift-Tab move an item under the one before and back', () => {
  const pane = editor('- one\n- two')
  press(pane, 'ctrl+end', 'tab')
  expect(pane.buffer.text()).toBe('- one\n  - two')
  expect(pane.position).toEqual({ line: 1, column: 7 })
  press(pane, 'shift+tab')
  expect(pane.buffer.text()).toBe('- one\n- two')
})

test('Alt and an arrow move lines, also the last one of a file without an end', () => {
  const pane = editor('one\r\ntwo')
  press(pane, 'alt+down')
  expect(pane.buffer.text()).toBe('two\r\none')
  press(pane, 'alt+down', 'alt+up')
  expect(pane.buffer.text()).toBe('one\r\ntwo')
})

test('Ctrl-B makes a word bold, and again plain; Ctrl-K makes a link', () => {
  const pane = editor('one word')
  press(pane, 'ctrl+end', 'ctrl+b')
  expect(pane.buffer.text()).toBe('one **word**')
  press(pane, 'ctrl+b')
  expect(pane.buffer.text()).toBe('one word')
  press(pane, 'ctrl+k')
  typeInto(pane, '/start')
  expect(pane.buffer.text()).toBe('one [word](/start)')
})

test('What is read-only is moved in and copied from, never changed', () => {
  const pane = editor('one\ntwo', { readOnly: true })
  typeInto(pane, 'x\n')
  press(pane, 'backspace', 'delete', 'ctrl+x', 'ctrl+v', 'tab', 'alt+down', 'ctrl+b', 'ctrl+shift+right', 'ctrl+c')
  pane.input({ type: 'paste', text: 'x' })
  expect(pane.buffer.text()).toBe('one\ntwo')
  expect(pane.selectedText).not.toBe('')
})

test('A click sets the cursor, a drag selects, two clicks take the word, three the line', () => {
  const pane = editor('one two\nthree')
  pane.input(mouse('press', 1, 4))
  expect(pane.position).toEqual({ line: 1, column: 2 })
  pane.input(mouse('drag', 0, 6))
  expect(pane.selectedText).toBe('two\nth')
  for (const action of ['release', 'press', 'release', 'press'] as const) pane.input(mouse(action, 0, 7))
  expect(pane.selectedText).toBe('two')
  pane.input(mouse('press', 0, 7))
  expect(pane.selectedText).toBe('one two')
})

test('The wheel scrolls and leaves the cursor alone; the next key comes back to it', () => {
  const pane = editor(Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n'))
  pane.input(mouse('wheelDown', 0, 0))
  expect(rows(pane)[0]).toBe('line 3')
  expect(pane.cursor).toBeUndefined()
  press(pane, 'right')
  expect(rows(pane)[0]).toBe('line 0')
})

test('The cursor is seen wherever it goes', () => {
  const pane = editor(Array.from({ length: 300 }, (_, line) => `line ${line} ${'word '.repeat(line % 20)}`).join('\n'))
  for (const chord of ['pagedown', 'pagedown', 'ctrl+end', 'pageup', 'up', 'ctrl+home', 'down', 'end', 'ctrl+down']) {
    press(pane, chord)
    pane.draw(size)
    expect(pane.cursor).toBeDefined()
  }
  pane.reveal({ line: 150, column: 0 })
  expect(rows(pane)[3]).toContain('line 150')
})

test('Markers stand at their lines, move along with the text, and are said', () => {
  const pane = editor('one\ntwo\nthree')
  pane.markers = [{ line: 1, column: 0, severity: 'error', message: 'No such component.' }]
  expect(textOf(pane.draw(size))[1]).toBe('● two')
  expect(styleOf(pane, 'two')).toMatchObject({ underline: true })
  press(pane, 'enter')
  expect(pane.markers).toMatchObject([{ line: 2 }])
  press(pane, 'down')
  expect(pane.spoken()).toContain('No such component.')
})

test('Finds are marked, and the one that is selected more', async () => {
  const pane = editor('one two one')
  const finder = new Finder(pane.buffer, { text: 'one' })
  pane.matches = finder
  const found = await finder.next({ line: 0, column: 1 })
  if (found !== undefined) pane.reveal(found)
  const backgrounds = pane
    .draw(size)
    .flat()
    .filter(({ text }) => text === 'one')
    .map(({ style }) => style?.background)
  expect(backgrounds).toEqual(['match', 'currentMatch'])
})

test('Text of others reaches the screen without control characters', () => {
  const pane = editor('a\u001B[31mb\u0007\u202Ec\u009B2J')
  expect(rows(pane).join('')).toBe('a\u241B[31mb\u2407\uFFFDc\uFFFD2J')
  expect(pane.spoken()).not.toMatch(/\p{Cc}|\u202E/u)
})

const words: Completer = {
  complete(lines, { line, column }, asked) {
    const before = /\w*$/.exec(lines.at(line).slice(0, column))?.[0] ?? ''
    const items = ['Note', 'Notice', 'Tip'].filter((word) => asked || (before !== '' && word.startsWith(before)))
    return { from: column - before.length, items: items.map((label) => ({ label, insert: label })) }
  },
}

test('Completions open while typing; arrows choose, Enter takes, Esc closes', () => {
  const pane = editor('', { completer: words })
  typeInto(pane, 'No')
  expect(
    rows(pane)
      .slice(1)
      .map((row) => row.trim()),
  ).toEqual(['Note    Tab', 'Notice'])
  press(pane, 'down', 'enter')
  expect(pane.buffer.text()).toBe('Notice')
  typeInto(pane, ' T')
  press(pane, 'escape')
  expect(pane.isChoosing).toBe(false)
  expect(press(pane, 'escape')).toBe(false)
  press(pane, 'ctrl+z', 'ctrl+z', 'ctrl+z', 'ctrl+z')
  expect(pane.buffer.text()).toBe('')
})

test('Where a word is written out, Enter is a new line', () => {
  const pane = editor('', { completer: words })
  typeInto(pane, 'Tip\nx')
  expect(pane.buffer.text()).toBe('Tip\nx')
})

test('Enter takes nothing from a list that opened by itself; Tab does', () => {
  const pane = editor('', { completer: words })
  typeInto(pane, 'No')
  press(pane, 'enter')
  typeInto(pane, 'No')
  press(pane, 'tab')
  expect(pane.buffer.text()).toBe('No\nNote')
})

test('Enter takes from a list that was asked for, also when more is typed', () => {
  const pane = editor('', { completer: words })
  press(pane, 'ctrl+space', 'enter')
  expect(pane.buffer.text()).toBe('Note')
  press(pane, 'enter', 'ctrl+space')
  typeInto(pane, 'T')
  press(pane, 'enter')
  expect(pane.buffer.text()).toBe('Note\nTip')
})

test('No text and no keys break it: rows fit, the cursor is on the screen, undo gives the original', () => {
  const chord = fc.constantFrom(
    ...`left right up down home end pageup pagedown ctrl+left ctrl+right ctrl+up ctrl+down shift+left shift+down
      ctrl+shift+right shift+end enter tab shift+tab backspace delete ctrl+backspace ctrl+delete alt+up alt+down ctrl+b
      ctrl+k ctrl+a ctrl+x ctrl+c ctrl+v ctrl+z ctrl+y ctrl+end ctrl+home ctrl+space a 漢 - space 👍`.split(/\s+/),
  )
  fc.assert(
    fc.property(
      someText,
      fc.array(chord, { maxLength: 40 }),
      fc.integer({ min: 8, max: 40 }),
      (text, chords, width) => {
        const pane = new EditorPane({ buffer: new TextBuffer(text), completer: words })
        for (const one of chords) {
          press(pane, one)
          for (const line of pane.draw({ width, height: 5 })) expect(lineWidth(line)).toBeLessThanOrEqual(width)
          // Selecting all does not scroll.
          if (!chords.includes('ctrl+a')) expect(pane.cursor).toBeDefined()
          expect(pane.cursor?.column ?? 0).toBeLessThan(width)
        }
        while (pane.buffer.undo()) continue
        expect(pane.buffer.text()).toBe(text)
      },
    ),
  )
})

/** What is seen in a window of so many rows. */
function seen(pane: EditorPane, height: number): string[] {
  return textOf(pane.draw({ width: 30, height })).map((row) => row.slice(2))
}

test('what a lower window scrolled away is seen again as soon as there is room, step by step', () => {
  const pane = editor('1\n2\n3\n4\n5\n6\n7\n8')
  seen(pane, 8)
  press(pane, 'ctrl+end', 'up', 'up')
  expect(seen(pane, 8)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
  expect(seen(pane, 6)).toEqual(['2', '3', '4', '5', '6', '7'])
  expect(seen(pane, 3)).toEqual(['4', '5', '6'])
  expect(seen(pane, 6)).toEqual(['2', '3', '4', '5', '6', '7'])
  expect(seen(pane, 8)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8'])
})

test('who scrolls or moves away in a lower window stays there in a higher one', () => {
  const pane = editor('1\n2\n3\n4\n5\n6\n7\n8')
  seen(pane, 8)
  press(pane, 'ctrl+end')
  seen(pane, 3)
  pane.top = { line: 4, column: 0 }
  expect(seen(pane, 3)).toEqual(['5', '6', '7'])
  expect(seen(pane, 8)[0]).toBe('5')
})
