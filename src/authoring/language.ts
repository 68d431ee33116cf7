import type { TextStyle } from './text-style.ts'
import type { Lines, LinesChange, Position } from './lines.ts'

/** UTF-16 units `from` up to, not including, `to` of a line. */
export interface StyledRange<S = TextStyle> {
  readonly from: number
  readonly to: number
  readonly style: S
}

/** Colours of a text that changes: works out what it is asked for, and no more again than a change makes it. */
export interface Highlighter {
  /** In order, without overlaps. */
  ranges(line: number): readonly StyledRange[]
  /** The lines have changed already. */
  changed(change: LinesChange): void
}

/** What is wrong at a line. */
export interface Marker {
  /** From 0. */
  readonly line: number
  readonly column?: number
  readonly severity: 'error' | 'warning'
  readonly message: string
}

export interface Completion {
  readonly label: string
  /** Takes the place of what stands from `from` to the cursor; may have several lines. */
  readonly insert: string
  /** Where the cursor stands afterwards, UTF-16 units into `insert`; absent: behind it. */
  readonly caret?: number
  /** Beside the label, such as the title of a page. */
  readonly detail?: string
}

export interface CompletionList {
  /** Column in the line of the cursor. */
  readonly from: number
  /** Best first, at most some dozens. */
  readonly items: readonly Completion[]
}

export interface Completer {
  /** @param asked true when the person pressed the key for it, false while typing */
  complete(lines: Lines, at: Position, asked: boolean): CompletionList | undefined
}
