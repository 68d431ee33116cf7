import { chordOf, type Input } from '../../canvas/input.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Hint, Pane } from '../../canvas/pane.ts'
import type { Line, Style } from '../../canvas/style.ts'
import { lineText, shown, widthOf } from '../../canvas/width.ts'

/** A pane in a dialog, across its width; rows from the top of the content. */
export interface Slot {
  readonly pane: Pane
  readonly row: number
  readonly height: number
}

export interface Content {
  /** Rows of the slots are empty here: panes are painted over them. */
  readonly lines: readonly Line[]
  readonly slots: readonly Slot[]
}

/** A question over the view: `Ink` draws its box and lines, the panes in it draw themselves. */
export interface DialogBox {
  readonly title: string
  readonly danger?: boolean
  /** Columns that it would like. */
  readonly width: number
  /** At its lower edge. */
  readonly hints: readonly Hint[]
  /** @param width columns of the content. @param height rows that there are at most */
  content(width: number, height: number): Content
  /** The pane with the keyboard. */
  readonly focused?: Pane | undefined
  /** Takes every input while it is open; of the mouse only what is on one of its panes, with that pane. */
  input(input: Input, pane?: Pane): void
  /** What a screen reader says when it opens. */
  spoken(): string
  /** Where it stands, in parts: a screen reader says those that have become others. */
  stands(): readonly string[]
  /** What happened in it since it was asked last, for a screen reader, a line each. */
  news?(): readonly string[]
}

/** Columns in which no word of the texts is broken, such as an address to be selected; at least so many as are given. */
export function widthFor(texts: readonly string[], least: number): number {
  return Math.max(least, ...texts.flatMap((text) => text.split(/\s/)).map((word) => widthOf(shown(word))))
}

/** Paragraphs, wrapped, with an empty line between two. */
export function paragraphs(texts: readonly string[], width: number, style?: Style): Line[] {
  return texts.flatMap((text, index) => {
    const lines = text.split('\n').flatMap((line) => wrapText(shown(line), width))
    return [...(index === 0 ? [] : [[]]), ...lines.map((line) => [span(line, style)])]
  })
}

/** What a dialog does, as a word among keys: `Delete new-api` → `delete new-api`. */
export function inside(act: string): string {
  return act.charAt(0).toLowerCase() + act.slice(1)
}

export function chordIn(input: Input): string | undefined {
  return input.type === 'key' ? chordOf(input.key) : undefined
}

/** All that a dialog says, for a screen reader. */
export function spokenContent(
  box: Pick<DialogBox, 'title' | 'content' | 'hints'>,
  chordText: (chord: string) => string,
): string {
  const text = box
    .content(1000, 1000)
    .lines.map(lineText)
    .filter((line) => line.trim() !== '')
  const title = /[.?!]$/.test(box.title) ? box.title : `${box.title}.`
  return [title, ...text, ...box.hints.map(({ chord, word }) => `${chordText(chord)}: ${word}.`)].join(' ')
}
