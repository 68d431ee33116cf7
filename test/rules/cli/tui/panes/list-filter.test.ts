import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Input } from '#cli/tui/canvas/input.ts'
import { lineText } from '#cli/tui/canvas/width.ts'
import { ListPane } from '#cli/tui/panes/list.ts'

const key = (name: string): Input => ({ type: 'key', key: { name, ctrl: false, alt: false, shift: false } })
const branches = Array.from({ length: 10_000 }, (_, number) => `branch-${number}`)

describe('a filter of ten thousand items', () => {
  it('is made ready between keys, and not by the first one', async () => {
    let asked = 0
    const text = (item: string): string => {
      asked++
      return item
    }
    const list = new ListPane<string>({ items: branches, row: (item) => [{ text: item }], text })
    list.input(key('/'))
    for (let turns = 0; asked < branches.length; turns++) {
      const before = asked
      await nextTurn()
      expect(asked - before).toBeLessThanOrEqual(500)
      expect(turns).toBeLessThan(200)
    }
    list.input(key('7'))
    expect(asked).toBe(branches.length)
  })

  it('finds all of them whoever is faster, and those that came meanwhile', async () => {
    const list = new ListPane<string>({ items: branches, row: (item) => [{ text: item }], text: String })
    const firstRows = (): string[] => list.draw({ width: 40, height: 3 }).map(lineText)
    list.input(key('/'))
    for (const digit of '9999') list.input(key(digit))
    expect(firstRows()[1]?.trimEnd()).toBe('branch-9999')
    list.items = ['new-9999', 'other']
    for (let turns = 0; turns < 50; turns++) await nextTurn()
    expect(firstRows().map((row) => row.trimEnd())).toEqual(['/ 9999', 'new-9999'])
  })
})
