/** A text by lines, without their ends. Indices from 0; columns are UTF-16 units. */
export interface Lines {
  readonly count: number
  at(line: number): string
}

export interface Position {
  readonly line: number
  readonly column: number
}

/** From `start` up to, not including, `end`; start is not behind end. */
export interface Range {
  readonly start: Position
  readonly end: Position
}

/** Lines `line` to `line + removed - 1` became `added` lines. */
export interface LinesChange {
  readonly line: number
  readonly removed: number
  readonly added: number
}
