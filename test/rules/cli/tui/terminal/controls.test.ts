import { describe, expect, it } from 'vitest'
import * as controls from '#cli/tui/terminal/controls.ts'

const escape = '\u001B'

describe('a copy', () => {
  const plain = `${escape}]52;c;${Buffer.from('héllo').toString('base64')}\u0007`

  it('goes to the clipboard of the terminal', () => {
    expect(controls.copyOf('héllo', undefined)).toBe(plain)
  })

  it('passes through tmux, whichever way that is set up', () => {
    expect(controls.copyOf('héllo', 'tmux')).toBe(
      `${plain}${escape}Ptmux;${plain.replace(escape, escape + escape)}${escape}\\`,
    )
  })

  it('passes through screen in pieces that it takes', () => {
    const passed = controls.copyOf('x'.repeat(3000), 'screen')
    const pieces = passed.split(`${escape}\\`).slice(0, -1)
    expect(pieces.every((piece) => piece.startsWith(`${escape}P`) && piece.length < 768)).toBe(true)
    expect(pieces.map((piece) => piece.slice(2)).join('')).toBe(controls.copyOf('x'.repeat(3000), undefined))
  })

  it('that no terminal would take is not sent', () => {
    expect(controls.copyOf('x'.repeat(1_000_000), undefined)).toBe('')
  })
})

it('a title is a line without what a terminal would obey', () => {
  expect(controls.titleOf('new-api\u0007\u001B]2;other')).toBe(`${escape}]2;new-api��]2;other${escape}\\`)
})

it('everything that is switched on is switched off', () => {
  const { modes } = controls
  const names = (text: string, end: string): string[] =>
    [...text.matchAll(/\[\?(\d+)([hl])/g)].filter(([, , turn]) => turn === end).map(([, name]) => name ?? '')
  const all = modes.leave + modes.mouseOff
  for (const name of names(modes.enter + modes.mouseOn, 'h')) expect(names(all, 'l')).toContain(name)
  for (const name of names(modes.enter, 'l')) expect(names(all, 'h')).toContain(name)
})

it('asks a terminal that has the keyboard protocol for the keys of other layouts, without which Ctrl-S is not told there', () => {
  const [, flags] = /\[>(\d+)u$/.exec(controls.modes.keysOn) ?? []
  expect(Number(flags) & 1).toBe(1)
  expect(Number(flags) & 4).toBe(4)
})

it.each([
  ['[?62;22c', ''],
  ['[?2026;2$y', 'synchronized'],
  ['[?2026;0$y', ''],
  ['[?1u', 'keys'],
  [']11;rgb:0/0/0', ''],
])('the answer %s is understood', (answer, meaning) => {
  const told = [
    controls.knowsSynchronized(answer) ? 'synchronized' : '',
    controls.knowsKeyProtocol(answer) ? 'keys' : '',
  ]
  expect(told.join('')).toBe(meaning)
})
