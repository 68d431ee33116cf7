import { afterAll, describe, expect, it } from 'vitest'
import { Chrome } from '#cli/tui/app/chrome/chrome.tsx'
import { span } from '#cli/tui/canvas/lines.ts'
import { lineText } from '#cli/tui/canvas/width.ts'

const state = {
  width: 60,
  crumbs: ['Projects', 'docs'],
  corner: 'ada@example.com',
  offline: false,
  hints: [{ key: 'F1', word: 'help' }],
}
const dialog = { width: 30, height: 9, title: 'Delete it?', danger: false, lines: [[span('Gone is gone.')]], hints: [] }

const chrome = new Chrome()
afterAll(() => chrome.close())

describe('what Ink draws', () => {
  it('is two lines where no dialog is open, however high the screen is', () => {
    const drawn = chrome.lines(state)
    expect(lineText(drawn.header)).toMatch(/^ Quire {2}Projects › docs +ada@example\.com ?$/)
    expect(lineText(drawn.keys).trimEnd()).toBe(' F1 help')
    expect(drawn.dialog).toEqual([])
  })

  it('is as much more as the dialog takes', () => {
    const drawn = chrome.lines({ ...state, dialog }).dialog.map(lineText)
    expect(drawn).toHaveLength(dialog.height)
    expect(new Set(drawn.map(({ length }) => length))).toEqual(new Set([dialog.width]))
    expect(drawn[1]).toMatch(/^│ {2}Delete it\? +│$/)
  })

  it('follows a screen that becomes narrower, and one that becomes wider again', () => {
    for (const width of [50, 90]) {
      const { header } = chrome.lines({ ...state, width })
      // Behind the address is an empty column, which is there where there are colours.
      expect(lineText(header).trimEnd()).toHaveLength(width - 1)
    }
  })

  it('is the same object until something else is to be seen', () => {
    const drawn = chrome.lines(state)
    expect(chrome.lines({ ...state })).toBe(drawn)
    expect(chrome.lines({ ...state, offline: true })).not.toBe(drawn)
  })
})
