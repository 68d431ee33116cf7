import type { Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'

export interface KeyHint {
  readonly key: string
  readonly word: string
}

/** What Ink draws around and over the panes. */
export interface ChromeState {
  /** Columns of the screen. */
  readonly width: number
  /** The breadcrumb, from the left, as far as there is room for it. */
  readonly crumbs: readonly string[]
  /** At the right of the header: who is signed in, and whether the service can be reached. */
  readonly corner: string
  readonly offline: boolean
  /** Keys and what they do now. */
  readonly hints: readonly KeyHint[]
  readonly dialog?: DialogFrame
}

export interface DialogFrame extends Size {
  readonly title: string
  readonly danger: boolean
  readonly lines: readonly Line[]
  readonly hints: readonly KeyHint[]
}

/** Columns and rows of a dialog that are not its content: border, padding, title, keys, and an empty row behind title and content. */
export const dialogMargin = { width: 6, height: 6 }

/** A state as it was drawn. */
export interface ChromeLines {
  readonly header: Line
  readonly keys: Line
  /** As many columns and rows as the dialog has; empty without one. */
  readonly dialog: readonly Line[]
}

export interface ChromeRenderer {
  /** The lines of a state; drawn anew only when it is another one. */
  lines(state: ChromeState): ChromeLines
  close(): void
}
