import type { Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'

export interface KeyHint {
  readonly key: string
  readonly word: string
}

/** What Ink draws around and over the panes. */
export interface ChromeState extends Size {
  /** The breadcrumb, from the left. */
  readonly crumbs: readonly string[]
  /** At the right of the header: who is signed in, and whether the service can be reached. */
  readonly corner: string
  readonly offline: boolean
  /** Keys and what they do now. */
  readonly hints: readonly KeyHint[]
  readonly dialog?: DialogFrame
}

export interface DialogFrame extends Size {
  readonly row: number
  readonly column: number
  readonly title: string
  readonly danger: boolean
  readonly lines: readonly Line[]
  readonly hints: readonly KeyHint[]
}

/** Columns and rows of a dialog that are not its content: border, padding, title, keys, and an empty row behind title and content. */
export const dialogMargin = { width: 6, height: 6 }

export interface ChromeRenderer {
  /** The lines of a state; drawn anew only when it is another one. */
  lines(state: ChromeState): readonly Line[]
  close(): void
}
