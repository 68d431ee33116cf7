import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Key } from '#cli/tui/canvas/input.ts'
import { TreePane } from '#cli/tui/panes/tree.ts'
import { TreeRows } from '#cli/tui/panes/tree-rows.ts'
import type { FileStatus, ProjectFile } from '#contract/files.ts'

const size = { width: 40, height: 6 }

function fileOf(path: string, status: FileStatus = 'unchanged'): ProjectFile {
  return { path, status, oid: '0'.repeat(40), size: 1 }
}

function key(name: string): { type: 'key'; key: Key } {
  return { type: 'key', key: { name, ctrl: false, alt: false, shift: false } }
}

function open(paths: readonly string[]) {
  const opened: string[] = []
  const pane = new TreePane({ empty: 'No files.', onOpen: ({ path }) => opened.push(path) })
  pane.files = paths.map((path) => fileOf(path))
  return { pane, opened }
}

function textOf(pane: TreePane, of = size): string[] {
  return pane.draw(of).map((line) =>
    line
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  )
}

/** Many enough that folders begin closed. */
const large = [...Array.from({ length: 50 }, (_, index) => `z/${index}.mdx`), 'a/b/c.mdx', 'a/d.mdx', 'index.mdx']

test('folders come first and are closed in a large project', () => {
  const { pane } = open(large)
  expect(textOf(pane)).toEqual(['▸ a/', '▸ z/', '  index.mdx'])
})

test('a small project is shown open', () => {
  const { pane } = open(['index.mdx', 'a/b/c.mdx', 'a/d.mdx'])
  expect(textOf(pane)).toEqual(['▾ a/', '  ▾ b/', '      c.mdx', '    d.mdx', '  index.mdx'])
})

test('letters of a name go to it, the same one again to the next, and other keys end that', () => {
  const { pane, opened } = open(['guides/start.mdx', 'guides/Style.mdx', 'images/a.png', 'index.mdx', 'intro.mdx'])
  const typed = (...names: string[]): string | undefined => {
    for (const name of names) pane.input(key(name))
    return pane.selected?.name
  }
  expect([pane.typing, pane.input(key('i'))]).toEqual([false, false])
  pane.goTo()
  expect(pane.hints.map(({ word }) => word)).toEqual(['fold', 'end'])
  expect([pane.typing, typed('i'), typed('n'), typed('t')]).toEqual([true, 'images', 'index.mdx', 'intro.mdx'])
  expect([typed('q'), pane.typed]).toEqual(['intro.mdx', 'int'])
  expect([typed('escape'), pane.typing]).toEqual(['intro.mdx', false])
  pane.goTo()
  expect([typed('s'), typed('s'), typed('s')]).toEqual(['Style.mdx', 'start.mdx', 'Style.mdx'])
  expect([typed('enter'), opened, pane.typing]).toEqual(['Style.mdx', ['guides/Style.mdx'], false])
})

test('right opens a folder and goes into it, left closes it and goes out of it', () => {
  const { pane } = open(large)
  pane.input(key('right'))
  expect(textOf(pane)).toEqual(['▾ a/', '  ▸ b/', '    d.mdx', '▸ z/', '  index.mdx'])
  pane.input(key('right'))
  expect(pane.selected?.path).toBe('a/b/')
  pane.input(key('right'))
  pane.input(key('right'))
  expect(pane.selected?.path).toBe('a/b/c.mdx')
  pane.input(key('left'))
  pane.input(key('left'))
  pane.input(key('left'))
  expect(pane.selected?.path).toBe('a/')
  pane.input(key('left'))
  expect(textOf(pane)).toEqual(['▸ a/', '▸ z/', '  index.mdx'])
})

test('enter opens a file', () => {
  const { pane, opened } = open(large)
  pane.input(key('end'))
  pane.input(key('enter'))
  expect(opened).toEqual(['index.mdx'])
})

test('what a branch did to a file, and to what is folded away, is marked', () => {
  const { pane } = open(large)
  pane.files = [fileOf('a/d.mdx', 'modified'), fileOf('b/new.mdx'), fileOf('gone.mdx', 'deleted')]
  pane.drafts = new Set(['b/new.mdx'])
  expect(textOf(pane)).toEqual(['▸ a/ ~', '▸ b/ ●', '- gone.mdx'])
})

test('the selection stays where it is when the list is read again', () => {
  const { pane } = open(large)
  pane.reveal('a/b/c.mdx')
  pane.files = [...large, 'a/a.mdx', 'aa/x.mdx'].map((path) => fileOf(path))
  expect(pane.selected?.path).toBe('a/b/c.mdx')
})

test('when the selected file is gone its neighbour is selected', () => {
  const { pane } = open(large)
  pane.input(key('end'))
  pane.files = large.filter((path) => path !== 'index.mdx').map((path) => fileOf(path))
  expect(pane.selected?.path).toBe('z/')
})

test('the wheel scrolls, and keys bring the selection back into sight', () => {
  const { pane } = open(large)
  pane.reveal('z/0.mdx')
  pane.input(key('home'))
  const mouse = { button: 'none', row: 0, column: 0, shift: false, ctrl: false, alt: false } as const
  pane.input({ type: 'mouse', mouse: { ...mouse, action: 'wheelDown' } })
  expect(textOf(pane)[0]).not.toContain('a/')
  pane.input(key('down'))
  expect(textOf(pane)[0]).toContain('z/')
})

test('a click selects, and a second one opens', () => {
  const { pane, opened } = open(['a.mdx', 'b.mdx'])
  textOf(pane)
  const mouse = { action: 'press', button: 'left', row: 1, column: 3, shift: false, ctrl: false, alt: false } as const
  pane.input({ type: 'mouse', mouse })
  expect(pane.selected?.path).toBe('b.mdx')
  expect(opened).toEqual([])
  pane.input({ type: 'mouse', mouse })
  expect(opened).toEqual(['b.mdx'])
})

test('names of others reach the screen without control characters', () => {
  const { pane } = open(['a\u001B[2Jb.mdx'])
  expect(textOf(pane)).toEqual(['  a�[2Jb.mdx'])
})

test('a reader hears the path, its state and the place', () => {
  const { pane } = open(['index.mdx', 'a/d.mdx'])
  expect(pane.spoken()).toBe('a/ folder, open, 1 of 3')
  pane.drafts = new Set(['a/d.mdx'])
  pane.input(key('down'))
  expect(pane.spoken()).toBe('a/d.mdx, not saved, 2 of 3')
})

const segment = fc.stringMatching(/^[a-c.\-é𝒳\uE000]{1,3}$/u).filter((text) => !/^\.+$/.test(text))
const paths = fc.uniqueArray(
  fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/')),
  { minLength: 1, maxLength: 30 },
)

test('with all folders open every file has one row, below its folder', () => {
  fc.assert(
    fc.property(paths, (all) => {
      const tree = new TreeRows()
      tree.files = all.map((path) => fileOf(path))
      const files = tree.rows.filter((row) => row.file !== undefined).map(({ path }) => path)
      expect(files.toSorted()).toEqual(all.toSorted())
      for (const [index, row] of tree.rows.entries()) {
        const above = tree.rows.slice(0, index).findLast(({ depth }) => depth < row.depth)
        expect(row.path.startsWith(above?.path ?? '')).toBe(true)
      }
    }),
  )
})

test('folding and unfolding in any order ends at the rows that a fresh tree has', () => {
  fc.assert(
    fc.property(paths, fc.array(fc.tuple(fc.nat(30), fc.boolean())), (all, steps) => {
      const tree = new TreeRows()
      tree.files = all.map((path) => fileOf(path))
      for (const [at, isOpen] of steps) {
        const row = tree.rows[at % tree.rows.length]
        if (row === undefined || row.file !== undefined) continue
        if (isOpen) tree.open(row.path)
        else tree.close(row.path)
      }
      const rows = tree.rows
      tree.files = [...tree.files]
      expect(tree.rows).toEqual(rows)
    }),
  )
})

test('keys that the tree has no use for are left to others', () => {
  const { pane } = open(['a.mdx'])
  expect(pane.input(key('n'))).toBe(false)
})

test('what is selected stays in sight where rows are taken from it, and nothing comes back to it that was scrolled away', () => {
  const { pane } = open(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  textOf(pane)
  for (let row = 1; row < 6; row++) pane.input(key('down'))
  expect(textOf(pane).at(-1)).toBe('  6')
  expect(textOf(pane, { width: 40, height: 4 })).toEqual(['  3', '  4', '  5', '  6'])
  pane.input({ type: 'mouse', mouse: { ...wheel, action: 'wheelUp' } })
  expect(textOf(pane, { width: 40, height: 3 })).toEqual(['  1', '  2', '  3'])
})

const wheel = { button: 'left', row: 0, column: 0, shift: false, ctrl: false, alt: false } as const
