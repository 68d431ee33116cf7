import { describe, expect, it } from 'vitest'
import type { Input } from '#cli/tui/canvas/input.ts'
import { ListPane } from '#cli/tui/panes/list.ts'

const key = (name: string): Input => ({ type: 'key', key: { name, ctrl: false, alt: false, shift: false } })

describe('the selection of a list', () => {
  it('is told whenever it is another one, also by a filter and by other items', () => {
    const told: (string | undefined)[] = []
    const list = new ListPane<string>({
      row: (item) => [{ text: item }],
      text: String,
      onSelect: (item) => told.push(item),
    })
    list.items = ['main', 'new-api', 'typos']
    list.input(key('down'))
    list.input(key('/'))
    list.input(key('y'))
    list.input(key('escape'))
    list.items = ['main']
    list.items = []
    expect(told).toEqual(['main', 'new-api', 'main', 'typos', 'main', undefined])
  })
})
