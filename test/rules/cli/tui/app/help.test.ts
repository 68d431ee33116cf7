import { expect, test } from 'vitest'
import { ReaderBox } from '#cli/tui/app/dialogs/reader.ts'
import { helpOf } from '#cli/tui/app/help.ts'
import type { View } from '#cli/tui/app/view.ts'
import { textOf } from '#test/support/keys.ts'

const view = { title: 'Page', about: 'A page.' } as View
const unavailable = 'No problems were found in this page.'
const commands = [{ id: 'next', title: 'Next problem', keys: ['f8'], unavailable, run: () => undefined }]

test('Help cuts nothing off: why a command cannot be done goes on in the next row', () => {
  const rows = textOf(helpOf(view, commands).draw({ width: 72, height: 40 }))
  expect(rows.join(' ').replaceAll(/\s+/g, ' ')).toContain(`Next problem (now: ${unavailable})`)
})

test('What has more rows than there is room for says so', () => {
  const box = new ReaderBox({ title: 'Help', body: helpOf(view, commands) }, () => undefined)
  box.content(72, 6)
  expect(box.hints.map(({ word }) => word)).toEqual(['more', 'close'])
  box.content(72, 40)
  expect(box.hints.map(({ word }) => word)).toEqual(['close'])
})
