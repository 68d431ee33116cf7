import type { Command } from '../../app/view.ts'
import { chordOf, type Input, type Mouse } from '../../canvas/input.ts'
import { fit, span, wrapText } from '../../canvas/lines.ts'
import type { Hint, Pane, Size } from '../../canvas/pane.ts'
import type { Line, Style } from '../../canvas/style.ts'
import { lineText, shown } from '../../canvas/width.ts'

/** A paragraph of details: a text that is wrapped, or a line that is cut. */
export type Detail = (
  | { readonly text: string; readonly style?: Style; readonly indent?: number }
  | { readonly line: Line }
) & {
  /** Enter on it, or a click. */
  readonly open?: (() => void) | undefined
}

interface Row {
  readonly line: Line
  readonly detail: Detail
}

/** Something to read, of which some paragraphs lead somewhere: ↑↓ go from one of these to the next, and scroll. */
export class DetailsPane implements Pane {
  readonly #hasKeyboard: () => boolean
  #details: readonly Detail[] = []
  #rows: { readonly width: number; readonly rows: readonly Row[] } | undefined
  #selected: Detail | undefined
  #top = 0
  #height = 1

  /** @param hasKeyboard the paragraph that is selected is marked only while this is so */
  constructor(hasKeyboard: () => boolean = () => true) {
    this.#hasKeyboard = hasKeyboard
  }

  /** The paragraph that Enter opens, of those that lead somewhere. */
  get selected(): Detail | undefined {
    return this.#selected
  }

  get details(): readonly Detail[] {
    return this.#details
  }

  /** Keeps where it was scrolled to; another subject begins at its top. */
  show(details: readonly Detail[], options: { readonly sameSubject?: boolean } = {}): void {
    const at = this.#links().indexOf(this.#selected ?? { text: '' })
    this.#details = details
    this.#rows = undefined
    if (options.sameSubject !== true) this.#top = 0
    const links = this.#links()
    this.#selected = links[options.sameSubject === true ? Math.max(0, Math.min(at, links.length - 1)) : 0]
  }

  draw({ width, height }: Size): readonly Line[] {
    this.#height = Math.max(1, height)
    const rows = this.#wrapped(width)
    this.#top = Math.max(0, Math.min(this.#top, rows.length - this.#height))
    const marked = this.#hasKeyboard() ? this.#selected : undefined
    return rows
      .slice(this.#top, this.#top + height)
      .map(({ line, detail }) => (detail === marked ? fit(line.map(onSelection), width, selection) : line))
  }

  get hints(): readonly Hint[] {
    return this.#selected?.open === undefined ? [] : [{ chord: 'enter', word: 'open' }]
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') return this.#mouse(input.mouse)
    if (input.type !== 'key') return false
    const chord = chordOf(input.key)
    if (chord === 'enter' && this.#selected?.open !== undefined) this.#selected.open()
    else if (chord === 'up' || chord === 'down') this.#step(chord === 'up' ? -1 : 1)
    else if (chord === 'pageup' || chord === 'pagedown') this.#scroll(chord === 'pageup' ? -this.#height : this.#height)
    else if (chord === 'home') this.#scroll(-Infinity)
    else if (chord === 'end') this.#scroll(Infinity)
    else return false
    return true
  }

  spoken(): string {
    const said = this.#selected ?? this.#details[0]
    if (said === undefined) return ''
    return 'text' in said ? shown(said.text) : lineText(said.line)
  }

  #step(by: 1 | -1): void {
    const links = this.#links()
    const next = links[links.indexOf(this.#selected ?? { text: '' }) + by]
    const at = next === undefined ? -1 : this.#rowOf(next)
    // A link that is far away is not jumped to over what stands between.
    const isNear = at >= this.#top - 1 && at <= this.#top + this.#height
    if (next === undefined || !isNear) return this.#scroll(by)
    this.#selected = next
    if (at < this.#top) this.#top = at
    if (at >= this.#top + this.#height) this.#top = at - this.#height + 1
  }

  #scroll(by: number): void {
    const last = Math.max(0, (this.#rows?.rows.length ?? 0) - this.#height)
    this.#top = Math.max(0, Math.min(this.#top + by, last))
    const inSight = this.#links().filter((link) => {
      const at = this.#rowOf(link)
      return at >= this.#top && at < this.#top + this.#height
    })
    if (this.#selected !== undefined && !inSight.includes(this.#selected))
      this.#selected = (by > 0 ? inSight[0] : inSight.at(-1)) ?? this.#selected
  }

  #mouse({ action, row, button }: Mouse): boolean {
    if (action === 'wheelUp' || action === 'wheelDown') {
      this.#scroll(action === 'wheelUp' ? -3 : 3)
      return true
    }
    const detail = this.#rows?.rows[this.#top + row]?.detail
    if (action !== 'press' || button !== 'left' || detail?.open === undefined) return false
    this.#selected = detail
    detail.open()
    return true
  }

  #links(): readonly Detail[] {
    return this.#details.filter(({ open }) => open !== undefined)
  }

  #rowOf(detail: Detail): number {
    return this.#rows?.rows.findIndex((row) => row.detail === detail) ?? -1
  }

  #wrapped(width: number): readonly Row[] {
    if (this.#rows?.width !== width)
      this.#rows = {
        width,
        rows: this.#details.flatMap((detail) => linesOf(detail, width).map((line) => ({ line, detail }))),
      }
    return this.#rows.rows
  }
}

/** Esc leaves the details rather than the view. */
export function backTo(title: string, run: () => void): Command {
  return { id: 'back', title, keys: ['escape'], hint: 'back', run }
}

const selection: Style = { background: 'selected' }
const onSelection = ({ text, style }: Line[number]): Line[number] => span(text, { ...style, ...selection })

function linesOf(detail: Detail, width: number): readonly Line[] {
  if ('line' in detail) return [detail.line]
  const { text, style, indent = 0 } = detail
  const before = ' '.repeat(Math.min(indent, Math.max(0, width - 8)))
  const room = Math.max(1, width - before.length)
  return text.split('\n').flatMap((line) => wrapText(shown(line), room).map((part) => [span(before + part, style)]))
}
