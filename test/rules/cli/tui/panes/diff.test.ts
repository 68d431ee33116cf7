import { describe, expect, it } from 'vitest'
import type { Line } from '#cli/tui/canvas/style.ts'
import { lineText } from '#cli/tui/canvas/width.ts'
import { textDiff } from '#cli/tui/data/text-diff.ts'
import { breaksOf } from '#cli/tui/panes/diff-rows.ts'
import { changesOf, DiffPane, type DiffOptions } from '#cli/tui/panes/diff.ts'
import type { FileDiff } from '#contract/branches.ts'

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`)
const guide = textDiff(
  'guide.mdx',
  ['# Old title', ...numbered(2, 30), 'end'].join('\n'),
  ['# New title', ...numbered(2, 30), 'the end'].join('\n'),
)
const added: FileDiff = { ...textDiff('new.mdx', '', 'one\ntwo\n'), status: 'added' }
const image: FileDiff = { path: 'a.png', status: 'modified', binary: true, truncated: false, hunks: [] }

function paneOf(files: readonly FileDiff[], options: DiffOptions = {}): DiffPane {
  const pane = new DiffPane(options)
  pane.show(files)
  return pane
}

const draw = (pane: DiffPane, width = 60, height = 40): readonly Line[] => pane.draw({ width, height })
const drawn = (pane: DiffPane, width = 60, height = 40): string[] =>
  draw(pane, width, height).map((line) => lineText(line).trimEnd())
const press = (pane: DiffPane, name: string): boolean =>
  pane.input({ type: 'key', key: { name, ctrl: false, alt: false, shift: false } })

describe('a diff', () => {
  it('shows files with their changes, numbered on both sides', () => {
    expect(drawn(paneOf([guide, added, image]), 40)).toEqual([
      '▾ guide.mdx  changed  +2  −2',
      ' 1    − # Old title',
      '    1 + # New title',
      ' 2  2   line 2',
      ' 3  3   line 3',
      ' 4  4   line 4',
      '⋯ line 28',
      '28 28   line 28',
      '29 29   line 29',
      '30 30   line 30',
      '31    − end',
      '        (no line end)',
      '   31 + the end',
      '        (no line end)',
      '',
      '▾ new.mdx  new  +2',
      '  1 + one',
      '  2 + two',
      '',
      '▾ a.png  changed',
      '  Not text: its changes cannot be shown.',
    ])
  })

  it('marks the words that differ', () => {
    const words = draw(paneOf([guide]))[2]?.filter(({ style }) => style?.background === 'addedWord')
    expect(words?.map(({ text }) => text)).toEqual(['New'])
  })

  it('shows both sides beside each other where there is room', () => {
    const rows = drawn(paneOf([guide]), 140, 4)
    expect(rows[1]).toMatch(/^ 1 − # Old title +│ {2}1 \+ # New title$/)
    expect(rows[2]).toMatch(/^ 2 {3}line 2 +│ {2}2 {3}line 2$/)
  })

  it('wraps long lines, and leaves nothing out', () => {
    const text = 'one two three four five six seven eight nine ten'
    const rows = drawn(paneOf([textDiff('a.md', '', text)]), 30)
    expect(rows.slice(1, -1)).toEqual(['  1 + one two three four five', '      six seven eight nine ten'])
    expect(breaksOf('日本語 and  so 👩‍👩‍👧 on', 7)).toEqual([7, 14, 20])
  })

  it('goes from change to change, through all files, and stays at the last', () => {
    const seen: string[] = []
    const pane = paneOf([guide, added, image], { onFile: ({ path }) => seen.push(path) })
    draw(pane, 60, 3)
    const tops: (string | undefined)[] = []
    for (let step = 0; step < 6; step++) {
      press(pane, ']')
      tops.push(drawn(pane, 60, 3)[0])
    }
    expect(tops.slice(0, 3)).toEqual([' 1    − # Old title', '⋯ line 28', '  1 + one'])
    expect(tops[5]).toBe(tops[4])
    expect(seen).toContain('new.mdx')
    press(pane, '[')
    press(pane, '[')
    expect(drawn(pane, 60, 3)[0]).toBe('⋯ line 28')
  })

  it('begins with large files folded, where there are others', () => {
    const large = textDiff('large.mdx', '', numbered(1, 700).join('\n'))
    const pane = paneOf([large, added])
    expect(drawn(pane)[0]).toMatch(/^▸ large.mdx .*700 lines folded, → shows them$/)
    press(pane, 'right')
    expect(drawn(pane, 60, 5)[1]).toMatch(/^ +1 \+ line 1$/)
    press(pane, 'left')
    expect(drawn(pane, 60, 5)[2]).toBe('▾ new.mdx  new  +2')
    expect(drawn(paneOf([large]), 60, 5)[1]).toMatch(/^ +1 \+ line 1$/)
  })

  it('opens the file and the line in sight', () => {
    const opened: [string, number][] = []
    const pane = paneOf([guide, added], { onOpen: ({ path }, line) => opened.push([path, line]) })
    draw(pane, 60, 4)
    press(pane, ']')
    press(pane, ']')
    press(pane, 'enter')
    expect(opened).toEqual([['guide.mdx', 28]])
  })

  it('stays where it is when the window changes', () => {
    const pane = paneOf([guide, added])
    draw(pane, 60, 3)
    pane.reveal(added)
    expect(drawn(pane, 50, 3)[0]).toBe('▾ new.mdx  new  +2')
  })

  it('shows what a terminal would obey as what it is not', () => {
    const [, row] = drawn(paneOf([textDiff('a\u001B[2J.md', '', 'b\u001B[1m\r\n')]))
    expect(row).toBe('  1 + b�[1m␍')
  })

  it('says how many lines changed', () => {
    expect(changesOf(guide)).toEqual({ added: 2, deleted: 2 })
  })
})
