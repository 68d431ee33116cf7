import type { Input } from './input.ts'
import type { Line } from './style.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Where the terminal's cursor stands, from 0; a bar in text that can be changed. */
export interface Cursor {
  readonly row: number
  readonly column: number
}

/** A key and a word for what it does now. */
export interface Hint {
  /** As in canvas/input.ts. */
  readonly chord: string
  readonly word: string
}

/**
 * A part of the screen that draws itself: it is asked for its lines whenever anything may have changed, so what it draws
 * is ready when it is asked. It knows nothing of where it stands, of Ink, or of the terminal.
 */
export interface Pane {
  /** Nothing is typed or moved in it: the keyboard never goes there. */
  readonly inert?: boolean
  /** The lines for a region of this size, from its top; those that are missing are empty, what is too wide is cut. */
  draw(size: Size): readonly Line[]
  /** Where the cursor stands in what was drawn last; without, it is hidden. */
  readonly cursor?: Cursor | undefined
  /** The keyboard types text here: plain letters and Esc come to it before they are commands. */
  readonly typing?: boolean
  /** For the line of keys while the keyboard is here: what it takes itself that nobody would guess. */
  readonly hints?: readonly Hint[]
  /** Takes an input, or leaves it to whoever comes next. Rows and columns of the mouse are those of the region. */
  input(input: Input): boolean
  /** What a screen reader says of where this pane stands: one line, such as `new-api, 2 changes, 3 of 12`. */
  spoken(): string
  /** Of a text with a cursor: what stands behind it on its line. A screen reader spells it where the cursor moves. */
  readonly behindCursor?: string | undefined
}

/** A pane at its place in the body of the screen; rows and columns from 0. */
export interface Region extends Size {
  readonly pane: Pane
  readonly row: number
  readonly column: number
  /** Stands above the pane, on a row of its own that is not part of the region’s height. */
  readonly title?: string
}
