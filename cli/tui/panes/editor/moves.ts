import type { Lines, Position } from '#authoring/lines.ts'
import { after, before, paragraphAfter, paragraphBefore, wordAfter, wordBefore } from '../../text/movement.ts'
import { beginning, endOf, isSame } from '../../text/positions.ts'
import type { Wrap } from '../../text/wrap.ts'

export interface Caret {
  readonly lines: Lines
  readonly wrap: Wrap
  readonly at: Position
  /** Column of the screen that moving up and down keeps to, over shorter rows. */
  readonly goal: number
  /** Rows that are seen. */
  readonly height: number
}

export interface Move {
  readonly to: Position
  /** The cursor keeps to its column in what comes next. */
  readonly isVertical: boolean
}

type Mover = (caret: Caret) => Position

const horizontal: Readonly<Record<string, Mover>> = {
  left: ({ lines, at }) => before(lines, at),
  right: ({ lines, at }) => after(lines, at),
  'ctrl+left': ({ lines, at }) => wordBefore(lines, at),
  'ctrl+right': ({ lines, at }) => wordAfter(lines, at),
  'alt+left': ({ lines, at }) => wordBefore(lines, at),
  'alt+right': ({ lines, at }) => wordAfter(lines, at),
  'ctrl+up': ({ lines, at }) => paragraphBefore(lines, at),
  'ctrl+down': ({ lines, at }) => paragraphAfter(lines, at),
  'ctrl+home': () => beginning,
  'ctrl+end': ({ lines }) => endOf(lines),
  home: rowStart,
  end: rowEnd,
}

const vertical: Readonly<Record<string, Mover>> = {
  up: (caret) => byRows(caret, -1) ?? { line: 0, column: 0 },
  down: (caret) => byRows(caret, 1) ?? endOf(caret.lines),
  pageup: (caret) => byRows(caret, 1 - Math.max(2, caret.height)) ?? beginning,
  pagedown: (caret) => byRows(caret, Math.max(2, caret.height) - 1) ?? endOf(caret.lines),
}

/** Where a key moves the cursor; undefined when it is no key that moves it. */
export function moveBy(chord: string, caret: Caret): Move | undefined {
  const mover = horizontal[chord]
  if (mover !== undefined) return { to: mover(caret), isVertical: false }
  const rows = vertical[chord]
  return rows === undefined ? undefined : { to: rows(caret), isVertical: true }
}

/** Undefined where the text ends before. */
function byRows({ wrap, at, goal }: Caret, count: number): Position | undefined {
  const from = wrap.rowAt(at)
  const to = wrap.step(from, count)
  return to.line === from.line && to.from === from.from ? undefined : wrap.positionIn(to, goal)
}

/** Where the row begins; from there, where the line does. */
function rowStart({ wrap, at }: Caret): Position {
  const row = wrap.rowAt(at)
  const start = { line: row.line, column: row.from }
  return isSame(start, at) ? { line: row.line, column: 0 } : start
}

function rowEnd({ lines, wrap, at }: Caret): Position {
  const row = wrap.rowAt(at)
  const end = { line: row.line, column: wrap.lastOf(row) }
  return isSame(end, at) ? { line: row.line, column: lines.at(row.line).length } : end
}
