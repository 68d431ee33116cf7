import { describe, expect, test } from 'vitest'
import { ChecklistField } from '#cli/tui/panes/checklist-field.ts'
import { mouse, press, textOf } from '#test/support/keys.ts'

const checks = [
  { value: 'read', detail: 'see the project' },
  { value: 'write', detail: 'edit branches and entries' },
  { value: 'admin' },
]
const drawn = (field: ChecklistField, width = 40, height = 10) => textOf(field.draw({ width, height }))

describe('a list to tick', () => {
  test('shows what is ticked and what each means, in columns', () => {
    const field = new ChecklistField(checks, 'write, read')
    expect(drawn(field)).toEqual(['[x] read   see the project', '[x] write  edit branches and entries', '[ ] admin'])
    expect(field.value).toBe('read, write')
  })

  test('ticks with Space where the arrows went, and leaves it at its ends', () => {
    const field = new ChecklistField(checks, 'read')
    expect(press(field, 'up')).toBe(false)
    press(field, 'down', 'space')
    expect(field.value).toBe('read, write')
    press(field, 'up', 'space', 'end', 'space')
    expect(field.value).toBe('write, admin')
    expect(press(field, 'down')).toBe(false)
  })

  test('takes letters and Enter for nothing: they are of the form', () => {
    const field = new ChecklistField(checks, 'read')
    expect(press(field, 'x')).toBe(false)
    expect(press(field, 'enter')).toBe(false)
  })

  test('ticks what is clicked, also in the second row of what it means', () => {
    const field = new ChecklistField(checks, '')
    expect(drawn(field, 24)).toEqual([
      '[ ] read   see the',
      '           project',
      '[ ] write  edit branches',
      '           and entries',
      '[ ] admin',
    ])
    field.input(mouse('press', 3, 15))
    expect(field.value).toBe('write')
    expect(field.cursor).toEqual({ row: 2, column: 1 })
  })

  test('keeps the one that the keyboard is at in sight', () => {
    const field = new ChecklistField(checks, '')
    press(field, 'end')
    expect(drawn(field, 40, 2)).toEqual(['[ ] write  edit branches and entries', '[ ] admin'])
    expect(field.cursor).toEqual({ row: 1, column: 1 })
  })

  test('says where the keyboard is, and whether it is ticked', () => {
    const field = new ChecklistField(checks, 'read')
    expect(field.spoken()).toBe('read, ticked, see the project, 1 of 3')
    press(field, 'end')
    expect(field.spoken()).toBe('admin, not ticked, 3 of 3')
  })
})
