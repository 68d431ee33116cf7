import type { Pane, Region, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'

/** What can be done, by a key, in the palette and in the help: said once. */
export interface Command {
  /** Such as `branch.create`. */
  readonly id: string
  /** For palette and help, such as `Create a branch`. */
  readonly title: string
  /** Chords (canvas/input.ts), the first is shown. A plain letter acts only while no text field has the keyboard. */
  readonly keys?: readonly string[]
  /** A word for the line of keys at the bottom, such as `new`, while it can be done; absent: it is not there. */
  readonly hint?: string
  /** Why it cannot be done now: the palette says so, and so does its key. */
  readonly unavailable?: string
  readonly run: () => void | Promise<void>
}

/** What the guided tour says of a screen. */
export interface TourNote {
  readonly text: readonly string[]
  /** The tour is over when it has been read. */
  readonly last?: true
}

/** A screen: what fills the body between the header and the line of keys. */
export interface View {
  /** Its part of the breadcrumb, such as the name of a branch. */
  readonly title: string
  /** In the help of this screen: what it is for, in a sentence or two. */
  readonly about: string
  /** The same object each time; undefined while it would lie over what is needed. */
  readonly tour?: TourNote | undefined
  /** The panes in a body of this size, in the order in which Tab goes through them. */
  layout(size: Size): readonly Region[]
  /** The pane with the keyboard; undefined: the first. The app sets it when Tab or the mouse moves on. */
  focused?: Pane | undefined
  /** The keyboard types text: plain letters and Esc go to the pane first. */
  readonly typing?: boolean
  /** What can be done here now; asked again after every input. */
  commands(): readonly Command[]
  /** At the right of the bottom line, such as `812 words · 12:4 · saved`. Painted on every repaint: cheap. */
  status?(): Line
  /** What stands on it beside its panes, for a screen reader, which says it when it is another than before. */
  spoken?(): string
  /** It is shown, for the first time or again: load what is new. */
  shown?(): void
  /** Another view covers it, until it is shown again: what looks again and again has nobody to look for. */
  hidden?(): void
  /** It will not be shown again. */
  closed?(): void
  /** Resolves with false where the person wants to stay. Only where something would not be safe. */
  mayLeave?(): Promise<boolean>
}
