import { describe, expect, it } from 'vitest'
import type { Input } from '#cli/tui/canvas/input.ts'
import { lineText } from '#cli/tui/canvas/width.ts'
import { DetailsPane, type Detail } from '#cli/tui/views/shared/details-pane.ts'

const key = (name: string): Input => ({ type: 'key', key: { name, ctrl: false, alt: false, shift: false } })

function opened(details: readonly Detail[], height = 4) {
  const pane = new DetailsPane()
  pane.show(details)
  const rows = (): string[] => pane.draw({ width: 20, height }).map((line) => lineText(line).trimEnd())
  rows()
  return { pane, rows, press: (...names: string[]) => names.map((name) => pane.input(key(name))) }
}

describe('details', () => {
  it('are wrapped at words and never draw what a terminal would obey', () => {
    const { rows } = opened([{ text: 'a word\u001B[2J and another', indent: 2 }])
    expect(rows()).toEqual(['  a word�[2J and', '  another'])
  })

  it('are gone through link by link, without passing over what stands between', () => {
    const went: string[] = []
    const link = (name: string): Detail => ({ text: name, open: () => void went.push(name) })
    const between = Array.from({ length: 8 }, (_, index) => ({ text: `line ${index}` }))
    const { press, rows } = opened([link('first'), ...between, link('last')])
    press('down', 'down')
    expect(rows()[0]).toBe('line 1')
    press('down', 'down', 'down', 'down', 'enter')
    expect(went).toEqual(['last'])
    press('home', 'enter')
    expect(went).toEqual(['last', 'first'])
  })

  it('keep their place when the same subject is shown anew', () => {
    const link = (name: string): Detail => ({ text: name, open: () => undefined })
    const { pane, press, rows } = opened([link('a'), link('b'), link('c')])
    press('down')
    pane.show([link('a'), link('b'), link('c'), link('d')], { sameSubject: true })
    rows()
    expect(pane.spoken()).toBe('b')
    pane.show([link('x')])
    expect(pane.spoken()).toBe('x')
  })

  it('open by a click', () => {
    const went: string[] = []
    const { pane } = opened([{ text: 'words' }, { text: 'go', open: () => void went.push('go') }])
    const click = (row: number): boolean =>
      pane.input({
        type: 'mouse',
        mouse: { action: 'press', button: 'left', row, column: 1, shift: false, ctrl: false, alt: false },
      })
    expect([click(0), click(1)]).toEqual([false, true])
    expect(went).toEqual(['go'])
  })
})
