import { chordText, type Mouse } from '../canvas/input.ts'
import { fit, lineWidth, overlay, slice, span } from '../canvas/lines.ts'
import type { Cursor, Pane, Region, Size } from '../canvas/pane.ts'
import type { Line, Style } from '../canvas/style.ts'
import { lineText, shown, widthOf } from '../canvas/width.ts'
import type { Frame } from '../terminal/terminal.ts'
import { crumbAt, endOf, fitCrumbs, type Crumb } from './breadcrumb.ts'
import { dialogMargin, type ChromeLines, type ChromeRenderer, type DialogFrame } from './chrome/frame.ts'
import type { DialogBox } from './dialogs/box.ts'
import { keysLine } from './keys-line.ts'
import { messageLines, type Message } from './message-line.ts'
import type { Command, View } from './view.ts'

/** What is to be seen. */
interface Scene {
  readonly size: Size
  /** Not empty: the last one fills the body, all are in the breadcrumb. */
  readonly views: readonly View[]
  readonly box: DialogBox | undefined
  readonly commands: readonly Command[]
  readonly message: Message
  /** A box of the guided tour, over a corner. */
  readonly note: readonly Line[] | undefined
  /** At the right of the header. */
  readonly corner: string
  readonly offline: boolean
}

/** Puts a frame together: what Ink drew, the panes of the view over it, a dialog over those. Knows what is where. */
export class Painter {
  readonly #chrome: ChromeRenderer
  #view: View | undefined
  #crumbs: readonly Crumb[] = []
  #regions: readonly Region[] = []
  #dialog: readonly Region[] | undefined
  #isBlind = false

  constructor(chrome: ChromeRenderer) {
    this.#chrome = chrome
  }

  /** Whether the window is too small to show anything: what nobody sees must not be changed. */
  get isBlind(): boolean {
    return this.#isBlind
  }

  /** The panes of the view, as they were drawn last. */
  get panes(): readonly Pane[] {
    return this.#regions.map(({ pane }) => pane)
  }

  /** The pane of the view that has the keyboard. */
  get focused(): Pane | undefined {
    const { panes } = this
    const wanted = this.#view?.focused
    return wanted !== undefined && panes.includes(wanted) ? wanted : panes[0]
  }

  /** Letters are typed into the view, or into the pane that has the keyboard. */
  get typing(): boolean {
    return this.#view?.typing === true || this.focused?.typing === true
  }

  frame(scene: Scene): Frame {
    const { size, views, box } = scene
    this.#view = views.at(-1)
    if (this.#view === undefined) return { rows: [] }
    this.#isBlind = size.width < smallest.width || size.height < smallest.height
    if (this.#isBlind) return { rows: tooSmall(size) }
    const top = headerRows + (size.height >= roomy ? 1 : 0)
    const most = Math.max(2, Math.floor((size.height - top) / 3))
    const message = messageLines(scene.message, this.#view.status?.() ?? [], { width: size.width, most })
    const below = message.length + keyRows
    // A long message makes the body lower, and hides nothing of it.
    const body = { width: size.width - 2 * margin, height: size.height - top - below }
    this.#regions = this.#view
      .layout(body)
      .map((region) => ({ ...region, row: region.row + top, column: region.column + margin }))
      .map((region, _, all) =>
        // What stands at its end must not touch the edge.
        all.some((other) => isLeftOf(region, other)) ? { ...region, width: region.width - 1 } : region,
      )
    const placed = box === undefined ? undefined : placeDialog(box, size, below)
    this.#dialog = placed?.regions
    const { header, keys, dialog } = this.#chromeLines(scene, placed?.frame)
    const rows: Line[] = Array.from({ length: size.height }, () => [])
    rows[0] = header
    rows.splice(-below, below, ...message, keys)
    const cursor = paint(rows, this.#regions, this.focused)
    if (scene.note !== undefined && placed === undefined) layNote(rows, scene.note, { cursor, below })
    if (placed === undefined) return { rows, cursor }
    const { row, column } = placed
    const { width, height } = placed.frame
    // The letters that would be left beside it are no words.
    const isAlone = column < narrow
    const place = isAlone ? { column: 0, width: size.width } : { column, width }
    const indent: Line = isAlone ? [span(' '.repeat(column))] : []
    for (let at = 0; at < height; at++)
      rows[row + at] = overlay(rows[row + at] ?? [], [...indent, ...(dialog[at] ?? [])], place)
    return { rows, cursor: paint(rows, placed.regions, box?.focused) }
  }

  /** The region under the mouse; while a dialog is open, only its own. */
  regionAt(mouse: Mouse): Region | undefined {
    return (this.#dialog ?? this.#regions).find((region) => isIn(region, mouse))
  }

  /** Which view of the breadcrumb is under the mouse. */
  crumbAt({ row, column }: Mouse): number | undefined {
    if (row !== 0) return undefined
    return crumbAt(this.#crumbs, column)
  }

  #chromeLines({ size, views, commands, ...scene }: Scene, dialog: DialogFrame | undefined): ChromeLines {
    const hints =
      dialog === undefined
        ? keysLine({ focused: this.focused, commands, typing: this.typing }, size.width - 2 * margin)
        : []
    // Where one is says more than who one is, whose end says whether the service can be reached.
    const corner = endOf(scene.corner, Math.max(narrowestCorner, Math.floor(size.width / 3)))
    const titles = views.map(({ title }) => shown(title))
    this.#crumbs = fitCrumbs(titles, size.width - widthOf(corner) - cornerMargin)
    const crumbs = this.#crumbs.map(({ text }) => text)
    const state = { width: size.width, crumbs, corner, offline: scene.offline, hints }
    return this.#chrome.lines(dialog === undefined ? state : { ...state, dialog })
  }
}

/** Columns at both sides of the body. */
const margin = 1

/** Rows that are not the body: the header, and below it the message and the keys. */
const headerRows = 1
const keyRows = 1
const footerRows = 1 + keyRows
/** Columns before and behind what stands at the right of the header. */
const cornerMargin = 3
/** Columns that what stands there has in any window. */
const narrowestCorner = 20
/** With so many rows, an empty one stands between the header and the body. */
const roomy = 20

/** Columns beside a dialog in which nothing could be read. */
const narrow = 12

/** Below this there is no room for lists and dialogs. */
const smallest: Size = { width: 50, height: 14 }

/** What a window that is too small shows: nothing is lost, and nothing is squeezed. */
function tooSmall({ width, height }: Size): Line[] {
  const words = [
    `Quire needs ${smallest.width}×${smallest.height};`,
    `this window is ${width}×${height}.`,
    'Make it larger: all is as you left it.',
    'Ctrl-Q quits; no other key acts.',
  ]
  const top = Math.max(0, Math.floor((height - words.length) / 2))
  return [...Array.from({ length: top }, () => []), ...words.map((text) => [span(text.slice(0, width))])]
}

/** Paints regions into rows; their rows are those of the whole screen. */
function paint(rows: Line[], regions: readonly Region[], focused: Pane | undefined): Cursor | undefined {
  let cursor: Cursor | undefined
  for (const { pane, row, column, width, height, title } of regions) {
    const place = { column, width }
    if (title !== undefined) {
      const style: Style = pane === focused ? { bold: true, color: 'accent' } : { color: 'muted' }
      const label =
        title === ''
          ? []
          : lineWidth([span(title)]) >= width
            ? fit([span(title, style)], width)
            : [span(`${title} `, style)]
      const rule = span('─'.repeat(Math.max(0, width - lineWidth(label))), { color: 'muted' })
      rows[row - 1] = overlay(rows[row - 1] ?? [], [...label, rule], place)
    }
    if (regions.some((other) => isLeftOf(other, { row, column })))
      for (let at = 0; at < height; at++)
        rows[row + at] = overlay(rows[row + at] ?? [], [edge], { column: column - 2, width: 1 })
    const drawn = pane.draw({ width, height })
    for (let at = 0; at < height; at++) rows[row + at] = overlay(rows[row + at] ?? [], drawn[at] ?? [], place)
    if (pane === focused && pane.cursor !== undefined)
      cursor = { row: row + pane.cursor.row, column: column + pane.cursor.column }
  }
  return cursor
}

/** In the corner at the right where it hides the least; the lower one, unless the cursor is there. */
function layNote(
  rows: Line[],
  note: readonly Line[],
  { cursor, below }: { readonly cursor: Cursor | undefined; readonly below: number },
): void {
  const width = lineWidth(note[0] ?? [])
  const column = Math.max(0, lineWidth(rows[0] ?? []) - width - 1)
  const hidden = (top: number): number =>
    rows
      .slice(top, top + note.length)
      .reduce((sum, line) => sum + lineText(slice(line, column, column + width)).replaceAll(' ', '').length, 0)
  const tops = [rows.length - below - note.length, headerRows].filter(
    (top) => cursor === undefined || cursor.row < top || cursor.row >= top + note.length,
  )
  const row = tops.toSorted((one, other) => hidden(one) - hidden(other))[0] ?? headerRows
  for (const [at, line] of note.entries()) rows[row + at] = overlay(rows[row + at] ?? [], line, { column, width })
}

const edge = span('│', { color: 'muted' })

/** Whether a region ends beside this place, with room for an edge between the two. */
function isLeftOf(region: Region, { row, column }: { readonly row: number; readonly column: number }): boolean {
  const end = region.column + region.width
  return row >= region.row && row < region.row + region.height && end <= column - 2 && end >= column - 4
}

/**
 * A dialog in the middle of a screen: its box, and its panes as regions of the screen.
 * @param below rows of the message and of the keys, which it leaves alone where there is room elsewhere
 */
function placeDialog(
  box: DialogBox,
  { width, height }: Size,
  below: number,
): { readonly frame: DialogFrame; readonly row: number; readonly column: number; readonly regions: readonly Region[] } {
  const outer = Math.min(box.width + dialogMargin.width, width - 2)
  const inner = outer - dialogMargin.width
  const most = height - headerRows - footerRows - dialogMargin.height
  const { lines, slots } = box.content(inner, most)
  const shownLines = lines.slice(0, most)
  const outerHeight = shownLines.length + dialogMargin.height
  const lowest = height - below - outerHeight
  const row = Math.max(headerRows, Math.min(lowest, Math.floor((height - outerHeight) / 3)))
  const column = Math.floor((width - outer) / 2)
  const frame: DialogFrame = {
    width: outer,
    height: outerHeight,
    title: box.title,
    danger: box.danger === true,
    lines: shownLines,
    hints: box.hints.map(({ chord, word }) => ({ key: chordText(chord), word })),
  }
  const top = row + 3
  const regions = slots.map(({ pane, row: at, height: rows }) => ({
    pane,
    row: top + at,
    column: column + dialogMargin.width / 2,
    width: inner,
    height: Math.min(rows, Math.max(0, shownLines.length - at)),
  }))
  return { frame, row, column, regions }
}

function isIn(region: Region, { row, column }: Mouse): boolean {
  return (
    row >= region.row &&
    row < region.row + region.height &&
    column >= region.column &&
    column < region.column + region.width
  )
}
