import { expect, test } from 'vitest'
import type { Form } from '#cli/tui/app/dialogs.ts'
import { FormBox } from '#cli/tui/app/dialogs/form.ts'
import { Failure } from '#contract/failure.ts'
import { keyOf } from '#test/support/keys.ts'
import { lineText } from '#cli/tui/canvas/width.ts'

const form: Form = {
  title: 'Create a key',
  fields: [
    { name: 'name', label: 'Name', help: 'What it is for.' },
    {
      name: 'scopes',
      label: 'Scopes',
      value: 'read',
      checks: ['read', 'write', 'deploy', 'generate', 'admin'].map((value) => ({ value })),
    },
    { name: 'expires', label: 'Good for', choices: ['30 days', 'never'], value: 'never' },
  ],
  act: 'Create it',
}

function open(own: Partial<Form> = {}) {
  const answers: unknown[] = []
  const ignore = (): void => undefined
  const host = { answer: (values: unknown) => answers.push(values), refresh: ignore, fail: ignore }
  const box = new FormBox({ ...form, ...own }, host)
  return {
    box,
    answers,
    press: (...chords: string[]): void => {
      for (const chord of chords) box.input({ type: 'key', key: keyOf(chord) })
    },
    /** What stands in so many rows, panes over their lines. */
    shown: (height: number, width = 40): string[] => {
      const { lines, slots } = box.content(width, height)
      const rows = lines.map(lineText)
      for (const { pane, row, height: most } of slots)
        for (const [at, line] of pane.draw({ width, height: most }).entries()) rows[row + at] = lineText(line)
      return rows.map((row) => row.trimEnd())
    },
  }
}

test('the arrows go through a list to tick, and on to the next field', async () => {
  const { answers, press } = open()
  press('C', 'I', 'down', 'down', 'space', 'down', 'down', 'down', 'down', 'left', 'enter')
  await expect.poll(() => answers).toEqual([{ name: 'CI', scopes: 'read, write', expires: '30 days' }])
})

test('one at least is ticked', () => {
  const { answers, press, shown, box } = open()
  press('C', 'tab', 'space', 'enter')
  expect(answers).toEqual([])
  expect(shown(40).join('\n')).toContain('Tick one at least.')
  expect(box.stands()).toEqual(['Scopes', 'read, not ticked, 1 of 5', 'Tick one at least.', ''])
})

test('of a form that is higher than the screen, the field with the keyboard is in sight', () => {
  const { press, shown } = open()
  expect(shown(5)[0]).toBe('Name')
  press('tab')
  expect(shown(5)).toEqual(['Scopes', '[x] read', '[ ] write', '[ ] deploy', '[ ] generate'])
  press('end')
  expect(shown(5)).toEqual(['Scopes', '[ ] write', '[ ] deploy', '[ ] generate', '[ ] admin'])
  press('tab')
  expect(shown(5)).toEqual(['Good for', ' 30 days  never'])
})

test('in a small window, why it did not work stands where the keyboard is', async () => {
  const message = 'The address is not public.'
  const refusal = new Failure('forbidden', message, { errors: [{ message }], hint: 'Use another one.' })
  const { press, shown } = open({ submit: () => Promise.reject(refusal) })
  press('C', 'enter')
  await expect.poll(() => shown(4)).toEqual(['Name', 'C', message, ''])
  expect(shown(40).filter((row) => row === message)).toHaveLength(1)
  expect(shown(40).at(-1)).toBe('Use another one.')
})

test('a screen reader is told which field the keyboard is in', () => {
  const { box, press } = open()
  expect(box.stands()[0]).toBe('Name')
  press('tab', 'down')
  expect(box.stands().slice(0, 2)).toEqual(['Scopes', 'write, not ticked, 2 of 5'])
})

test('what a field has no room for is said to be left out, until that was seen to', () => {
  const { box, shown, press } = open()
  const words = 'There is room for 10,000 characters'
  box.input({ type: 'paste', text: 'x'.repeat(9_999) })
  expect(shown(20, 68).join('\n')).not.toContain(words)
  box.input({ type: 'paste', text: '\r\n'.repeat(20_000) })
  expect(shown(20, 68).join('\n')).toContain(words)
  expect(box.spoken()).toContain(words)
  press('backspace')
  expect(shown(20, 68).join('\n')).not.toContain(words)
})
