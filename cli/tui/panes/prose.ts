import { setTimeout as sleep } from 'node:timers/promises'
import { chordOf, type Input } from '../canvas/input.ts'
import { fit, lineWidth, span } from '../canvas/lines.ts'
import type { Pane, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { shown } from '../canvas/width.ts'
import type { Format } from '#authoring/mdx-state.ts'
import { proseRenderer, type ProseRenderer, type RenderedProse, type Row } from '../mdx/prose.ts'

export interface ProseOptions {
  /** There is something new to be drawn. */
  readonly onChange: () => void
  /** `mdx` unless told. */
  readonly format?: Format
  /** What stands there without a text. */
  readonly empty?: string
  /** Stays at the end while text is appended, as long as the end was in sight. */
  readonly follow?: boolean
  readonly renderer?: ProseRenderer
}

const widestText = 100
const wheelRows = 3
/** Milliseconds of a rendering that can be done again at once. */
const quick = 60
const longestPause = 1_000

/**
 * A text as readers see it, wrapped to the pane. Rendered aside: what was drawn last stays until the newest is ready, so
 * a page can be shown again after every key.
 */
export class ProsePane implements Pane {
  readonly #options: ProseOptions
  readonly #renderer: ProseRenderer
  #text = ''
  #format: Format
  #rendered: RenderedProse = { rows: [], notes: [] }
  #width = 0
  #height = 1
  #top = 0
  /** The text or the width changed since the last rendering began. */
  #isStale = false
  #isAtWork = false
  #isRendered = false
  /** A line of the source to be scrolled to when it is rendered. */
  #wanted: number | undefined

  constructor(options: ProseOptions) {
    this.#options = options
    this.#renderer = options.renderer ?? proseRenderer()
    this.#format = options.format ?? 'mdx'
  }

  get text(): string {
    return this.#text
  }

  show(text: string, format: Format = this.#format): void {
    if (text === this.#text && format === this.#format && this.#isRendered) return
    this.#text = text
    this.#format = format
    this.#renew()
  }

  /** More of a text that comes bit by bit. */
  append(text: string): void {
    this.#text += text
    this.#renew()
  }

  /** Shows what comes of a line of the source, from 0, a third of the way down. */
  scrollTo(line: number): void {
    this.#wanted = line
    this.#place()
  }

  scrollToEnd(): void {
    this.#scroll(Number.POSITIVE_INFINITY)
  }

  draw({ width, height }: Size): readonly Line[] {
    this.#height = height
    const columns = Math.max(1, Math.min(width - 1, widestText))
    if (columns !== this.#width) {
      this.#width = columns
      this.#renew()
    }
    if (this.#text === '') return [[span(this.#options.empty ?? '', { color: 'muted' })]]
    const notes = this.#notes()
    const { rows } = this.#rendered
    this.#top = this.#bounded(this.#top)
    const body = rows.slice(this.#top, this.#top + Math.max(0, height - notes.length)).map(({ line }) => line)
    return [...notes, ...body].map((line) => (lineWidth(line) > width ? fit(line, width) : line))
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') {
      if (input.mouse.action === 'wheelUp') this.#scroll(this.#top - wheelRows)
      else if (input.mouse.action === 'wheelDown') this.#scroll(this.#top + wheelRows)
      else return false
      return true
    }
    if (input.type === 'paste') return false
    const page = Math.max(1, this.#height - 2)
    const steps: Readonly<Record<string, number>> = {
      up: this.#top - 1,
      down: this.#top + 1,
      pageup: this.#top - page,
      pagedown: this.#top + page,
      space: this.#top + page,
      home: 0,
      end: Number.POSITIVE_INFINITY,
    }
    const to = steps[chordOf(input.key)]
    if (to === undefined) return false
    this.#scroll(to)
    return true
  }

  spoken(): string {
    const { rows } = this.#rendered
    const line = rows[this.#top]?.line.map(({ text }) => text).join('') ?? ''
    return rows.length === 0
      ? (this.#options.empty ?? 'Nothing yet')
      : `${line.trim()}, line ${this.#top + 1} of ${rows.length}`
  }

  #notes(): Line[] {
    const { notes } = this.#rendered
    const more = notes.length > 1 ? ` (and ${notes.length - 1} more)` : ''
    const [first] = notes
    return first === undefined ? [] : [[span(`! ${shown(first)}${more}`, { color: 'warning' })]]
  }

  #scroll(row: number): void {
    this.#wanted = undefined
    this.#top = this.#bounded(row)
    this.#options.onChange()
  }

  #bounded(row: number): number {
    const notes = this.#rendered.notes.length > 0 ? 1 : 0
    return Math.max(0, Math.min(row, this.#rendered.rows.length - this.#height + notes))
  }

  #place(): void {
    if (this.#wanted === undefined) return
    this.#top = this.#bounded(rowOf(this.#rendered.rows, this.#wanted) - Math.floor(this.#height / 3))
  }

  #renew(): void {
    this.#isStale = true
    if (!this.#isAtWork && this.#width > 0) void this.#render()
  }

  async #render(): Promise<void> {
    this.#isAtWork = true
    while (this.#isStale) {
      this.#isStale = false
      const request = { text: this.#text, format: this.#format, width: this.#width }
      const began = performance.now()
      const rendered = await this.#renderer.render(request)
      const took = performance.now() - began
      const wasAtEnd = this.#top >= this.#bounded(Number.POSITIVE_INFINITY)
      // Of a text that cannot be rendered, what was seen last is more than nothing.
      this.#rendered =
        rendered.rows.length > 0 || request.text.trim() === '' ? rendered : { ...this.#rendered, notes: rendered.notes }
      this.#isRendered = true
      if (this.#options.follow === true && wasAtEnd) this.#top = this.#bounded(Number.POSITIVE_INFINITY)
      this.#place()
      this.#options.onChange()
      // A long page is not rendered again for every key: sending it and reading what came of it costs the keys time.
      if (took > quick) await sleep(Math.min(longestPause, took * 2), undefined, { ref: false })
    }
    this.#isAtWork = false
  }
}

/** The first row of this line of the source, or of the last one before it that has any. */
function rowOf(rows: readonly Row[], line: number): number {
  let low = 0
  let high = rows.length
  // Footnotes stand at the end, wherever they were written: the rows before them are in order.
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.source ?? 0) < line) low = middle + 1
    else high = middle
  }
  return rows[low]?.source === line ? low : Math.max(0, low - 1)
}
