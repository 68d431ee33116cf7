import { expect, test } from 'vitest'
import { ReaderBox } from '#cli/tui/app/dialogs/reader.ts'
import { lineText } from '#cli/tui/canvas/width.ts'

test('A long text is read to its end, also where the box is laid out anew meanwhile', () => {
  const body = Array.from({ length: 5_000 }, (_, number) => `Problem ${number}.`)
  const box = new ReaderBox({ title: 'Problems', body }, () => undefined)
  const seen = (): string => {
    box.content(70, 20)
    return box.focused.draw({ width: 70, height: 20 }).map(lineText).join('\n')
  }
  expect(seen()).toContain('Problem 0.')
  box.input({ type: 'key', key: { name: 'end', ctrl: false, alt: false, shift: false } })
  expect(seen()).toContain('Problem 4999.')
  expect(seen()).toContain('Problem 4999.')
})
