import { describe, expect, test } from 'vitest'
import { MergePane, type MergeOptions } from '#cli/tui/panes/merge.ts'
import { press, textOf, typeInto } from '#test/support/keys.ts'

const labels = { mine: 'yours', theirs: 'main' }
const size = { width: 60, height: 20 }

function twoConflicts(): MergePane {
  return new MergePane({ base: 'a\nb\nc\nd\n', mine: 'A1\nb\nc\nD1\n', theirs: 'A2\nb\nc\nD2\n', labels })
}

test('A merge has a text when every piece is decided', () => {
  const pane = twoConflicts()
  expect(pane.counts).toEqual({ all: 2, open: 2 })
  press(pane, '1')
  expect(pane.text).toBeUndefined()
  press(pane, '2')
  expect(pane.text).toBe('A1\nb\nc\nD2\n')
})

test('Both takes one after the other', () => {
  const pane = twoConflicts()
  press(pane, '3', '3')
  expect(pane.text).toBe('A1\nA2\nb\nc\nD1\nD2\n')
})

test('[ and ] go between the pieces, and a decision can be taken back', () => {
  const pane = twoConflicts()
  press(pane, ']', '2', '1', ']', '0')
  expect(pane.text).toBeUndefined()
  expect(pane.counts.open).toBe(1)
  press(pane, '1')
  expect(pane.text).toBe('A1\nb\nc\nD1\n')
})

test('A piece can be written anew; what was typed is taken with Esc', () => {
  const pane = twoConflicts()
  press(pane, 'e')
  expect(pane.typing).toBe(true)
  press(pane, 'ctrl+a')
  typeInto(pane, '1 and e\n')
  press(pane, 'escape', '1')
  expect(pane.typing).toBe(false)
  expect(pane.text).toBe('1 and e\nb\nc\nD1\n')
})

describe('What was done in a merge', () => {
  const again = (before: MergePane, own: Partial<MergeOptions> = {}): MergePane =>
    new MergePane({
      base: 'a\nb\nc\nd\n',
      mine: 'A1\nb\nc\nD1\n',
      theirs: 'A2\nb\nc\nD2\n',
      labels,
      decided: before.decided,
      ...own,
    })

  test('is gone on with in another pane, in mid-sentence', () => {
    const before = twoConflicts()
    press(before, '2', 'e', 'ctrl+a')
    typeInto(before, 'half a sen')
    const pane = again(before)
    expect(pane.typing).toBe(true)
    press(pane, 'ctrl+end')
    typeInto(pane, 'tence\n')
    press(pane, 'escape')
    expect(pane.text).toBe('A2\nb\nc\nhalf a sentence\n')
  })

  test('that is written without a line end does not run into the next line', () => {
    const pane = twoConflicts()
    press(pane, 'e', 'ctrl+a')
    typeInto(pane, 'my words')
    press(pane, 'escape', 'e', 'ctrl+a')
    typeInto(pane, 'the end')
    press(pane, 'escape')
    expect(pane.text).toBe('my words\nb\nc\nthe end\n')
  })

  test('holds for the pieces that are as they were, wherever they stand now', () => {
    const before = twoConflicts()
    press(before, ']', '2')
    const pane = again(before, { base: 'x\nb\nc\nd\n', mine: 'x\nb\nc\nD1\n', theirs: 'x\nb\nc\nD2\n' })
    expect(pane.text).toBe('x\nb\nc\nD2\n')
  })

  test('of a piece that is another one now is shown where somebody wrote it', () => {
    const before = twoConflicts()
    press(before, 'e', 'ctrl+a')
    typeInto(before, 'my words\n')
    press(before, 'escape', '1')
    const pane = again(before, { theirs: 'A3\nb\nc\nD2\n' })
    expect(pane.counts).toEqual({ all: 2, open: 1 })
    expect(pane.unplaced).toEqual(['my words\n'])
    expect(textOf(pane.draw(size)).join('\n')).toContain('in none of these pieces; y copies it:\n  my words')
    expect(again(pane).text).toBe('my words\nb\nc\nD1\n')
  })

  test('is told with every key', () => {
    const told: number[] = []
    const pane = again(twoConflicts(), { onChange: () => told.push(1) })
    press(pane, 'e')
    typeInto(pane, 'ab')
    expect(told).toHaveLength(3)
  })
})

test('Both sides are shown with their names, what is the same around them is folded', () => {
  const middle = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('')
  const pane = new MergePane({
    base: `${middle}x\n`,
    mine: `${middle}my words\n`,
    theirs: `${middle}their words\u001B[2J\n`,
    labels,
  })
  const screen = textOf(pane.draw(size)).join('\n')
  expect(screen).toContain('1  yours\n▌ my words')
  expect(screen).toContain('2  main\n▌ their words\u241B[2J')
  expect(screen).toContain('⋯ 37 lines')
  expect(screen).not.toContain('line 2\n')
})

test('Where nothing is in conflict, the text is there at once', () => {
  expect(new MergePane({ base: 'a\nb\nc\n', mine: 'A\nb\nc\n', theirs: 'a\nb\nC\n', labels }).text).toBe('A\nb\nC\n')
})

test('What is spoken names the piece and both sides', () => {
  expect(twoConflicts().spoken()).toBe('Piece 1 of 2, 2 to be decided. 1 takes yours: A1. 2 takes main: A2.')
})
