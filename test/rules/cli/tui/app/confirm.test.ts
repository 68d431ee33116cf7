import { expect, test } from 'vitest'
import { ConfirmBox } from '#cli/tui/app/dialogs/confirm.ts'
import { ReaderBox } from '#cli/tui/app/dialogs/reader.ts'
import { lineText } from '#cli/tui/canvas/width.ts'
import { keyOf } from '#test/support/keys.ts'

const body = ['one', 'two', 'three', 'four']

function open(typed?: string) {
  const answers: boolean[] = []
  const box = new ConfirmBox(
    { title: 'Delete it?', body, act: 'Delete', danger: true, ...(typed === undefined ? {} : { typed }) },
    (yes) => answers.push(yes),
  )
  return {
    box,
    answers,
    press: (...chords: string[]): void => {
      for (const chord of chords) box.input({ type: 'key', key: keyOf(chord) })
    },
    shown: (height: number): string[] => {
      const { lines, slots } = box.content(40, height)
      const rows = lines.map(lineText)
      for (const { pane, row, height: most } of slots)
        for (const [at, line] of pane.draw({ width: 40, height: most }).entries()) rows[row + at] = lineText(line)
      return rows.map((row) => row.trimEnd())
    },
  }
}

test('what a small window has no room for is read with the arrows', () => {
  const { box, press, shown } = open()
  expect(shown(3)).toEqual(['one', '', 'two'])
  expect(box.hints.map(({ word }) => word)).toEqual(['delete', 'more', 'cancel'])
  press('pagedown', 'pagedown')
  expect(shown(3)).toEqual(['three', '', 'four'])
  expect(shown(20)).toEqual(['one', '', 'two', '', 'three', '', 'four'])
  expect(box.hints.map(({ word }) => word)).toEqual(['delete', 'cancel'])
})

test('the word that is to be typed is in sight however much there is to be read', () => {
  const { answers, press, shown } = open('docs')
  expect(shown(5)[0]).toBe('one')
  press('d', 'o', 'c', 's', 'down', 'down')
  expect(shown(5)).toEqual(['two', '', '', 'Type docs to go on:', 'docs'])
  press('enter')
  expect(answers).toEqual([true])
})

test('an address is in one piece where the window has room for it, such that it can be selected', () => {
  const address = `https://example.com/${'a'.repeat(80)}`
  const box = new ConfirmBox(
    { title: 'The invitation', body: [address, 'Give it away.'], act: 'Copy' },
    () => undefined,
  )
  expect(box.content(box.width, 20).lines.map(lineText)).toContain(address)
  const reader = new ReaderBox({ title: 'Preview', body: [address] }, () => undefined)
  expect(reader.width).toBe(address.length)
})

test('Esc is called what it does where there is nothing to cancel', () => {
  const box = new ConfirmBox({ title: 'The secret', body, act: 'Copy', leave: 'close' }, () => undefined)
  expect(box.hints.map(({ word }) => word)).toEqual(['copy', 'close'])
})
