import fuzzysort, { type Prepared } from 'fuzzysort'
import { chordOf, typedBy, type Input, type Key, type Mouse } from '../canvas/input.ts'
import { fit, lineWidth, span, wrapText } from '../canvas/lines.ts'
import type { Cursor, Hint, Pane, Size } from '../canvas/pane.ts'
import type { Line, Span, Style } from '../canvas/style.ts'
import { graphemesOf, lineText, widthOf } from '../canvas/width.ts'

export interface ListOptions<T> {
  readonly items?: readonly T[]
  /** A line of an item; what is too wide is cut, and the selection’s background is laid under it. */
  readonly row: (item: T, at: { readonly width: number; readonly selected: boolean }) => Line
  /** What the filter looks in, and a screen reader says. */
  readonly text: (item: T) => string
  /** Tells items apart over reloads; without, the selection stays at its index. */
  readonly key?: (item: T) => string
  /** What stands there without items. */
  readonly empty?: string | readonly Line[] | (() => string)
  /** Enter, or a click on the selected item. */
  readonly onOpen?: (item: T) => void
  /** What that does, for the line of keys; `open` without. */
  readonly opens?: string
  readonly onSelect?: (item: T | undefined) => void
  /** False: `/` does not begin a filter. */
  readonly filterable?: boolean
}

/** Most matches that a filter shows. */
const mostMatches = 500
/** Items that are made ready for a filter between two looks at the keyboard: a millisecond. */
const preparedAtOnce = 250

/** A list with one selected item, that `/` filters. Only the rows that are seen are drawn. */
export class ListPane<T> implements Pane {
  readonly #options: ListOptions<T>
  #items: readonly T[]
  #shown: readonly T[]
  #index = 0
  /** What `onSelect` was told last. */
  #told: T | undefined
  #top = 0
  #height = 1
  /** Undefined: no filter. */
  #filter: string | undefined
  #editing = false
  /** Of the first items, as far as that has come. */
  #prepared: { readonly item: T; readonly text: Prepared }[] = []

  constructor(options: ListOptions<T>) {
    this.#options = options
    this.#items = options.items ?? []
    this.#shown = this.#items
  }

  get items(): readonly T[] {
    return this.#items
  }

  /** Keeps the selection, by key. */
  set items(items: readonly T[]) {
    const { selected } = this
    this.#items = items
    this.#prepared = []
    this.#refilter()
    this.selected = selected
  }

  get selected(): T | undefined {
    return this.#shown[this.#index]
  }

  set selected(item: T | undefined) {
    const { key } = this.#options
    const same = (other: T): boolean =>
      item !== undefined && (key === undefined ? other === item : key(other) === key(item))
    const at = item === undefined ? -1 : this.#shown.findIndex(same)
    this.#select(at < 0 ? this.#index : at)
  }

  /** The keyboard types into the filter. */
  get typing(): boolean {
    return this.#editing
  }

  get filter(): string | undefined {
    return this.#filter
  }

  set filter(text: string | undefined) {
    this.#filter = text
    this.#refilter()
    this.#top = 0
    this.#select(0)
  }

  get cursor(): Cursor | undefined {
    return this.#editing ? { row: 0, column: widthOf(filterLabel + (this.#filter ?? '')) } : undefined
  }

  get hints(): readonly Hint[] {
    const { opens = 'open', onOpen } = this.#options
    return [
      ...(onOpen === undefined || this.selected === undefined ? [] : [{ chord: 'enter', word: opens }]),
      ...(this.#showsFilter ? [{ chord: 'escape', word: 'show all' }] : []),
    ]
  }

  draw({ width, height }: Size): readonly Line[] {
    const head = this.#showsFilter ? [this.#filterLine()] : []
    this.#height = Math.max(1, height - head.length)
    if (this.#shown.length === 0) return [...head, ...this.#emptyLines(width)]
    this.#top = Math.max(0, Math.min(this.#top, this.#shown.length - this.#height))
    if (this.#index < this.#top) this.#top = this.#index
    if (this.#index >= this.#top + this.#height) this.#top = this.#index - this.#height + 1
    const rows = this.#shown.slice(this.#top, this.#top + this.#height).map((item, offset) => {
      const selected = this.#top + offset === this.#index
      const line = this.#options.row(item, { width, selected })
      if (selected) return fit(line.map(onSelection), width, selection)
      return lineWidth(line) > width ? fit(line, width) : line
    })
    return [...head, ...rows]
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') return this.#mouse(input.mouse)
    if (input.type === 'paste') return this.#editing && this.#type(input.text.replaceAll(/\s+/g, ' '))
    return this.#editing ? this.#filterKey(input.key) || this.#move(chordOf(input.key)) : this.#key(input.key)
  }

  spoken(): string {
    const { selected } = this
    const filter = this.#showsFilter ? `filter ${this.#filter}, ` : ''
    if (selected === undefined) return filter + this.#emptyLines(1000).map(lineText).join(' ')
    return `${filter}${this.#options.text(selected)}, ${this.#index + 1} of ${this.#shown.length}`
  }

  /** Where the filter comes from elsewhere, such as the field of the palette, it is shown there. */
  get #showsFilter(): boolean {
    return this.#filter !== undefined && this.#options.filterable !== false
  }

  #key(key: Key): boolean {
    const chord = chordOf(key)
    if (chord === '/' && this.#options.filterable !== false) {
      this.#editing = true
      this.filter = this.#filter ?? ''
      this.#prepareAhead()
      return true
    }
    if (chord === 'escape' && this.#showsFilter) {
      this.#endFilter()
      return true
    }
    return this.#move(chord)
  }

  #filterKey(key: Key): boolean {
    const chord = chordOf(key)
    const typed = typedBy(key)
    if (chord === 'escape') this.#endFilter()
    else if (chord === 'backspace')
      this.filter = graphemesOf(this.#filter ?? '')
        .slice(0, -1)
        .join('')
    else if (chord === 'ctrl+u') this.filter = ''
    else if (chord === 'enter') {
      this.#editing = false
      this.#open()
    } else if (typed === undefined) return false
    else this.#type(typed)
    return true
  }

  #type(text: string): boolean {
    this.filter = (this.#filter ?? '') + text
    return true
  }

  #endFilter(): void {
    const { selected } = this
    this.#editing = false
    this.#filter = undefined
    this.#refilter()
    this.selected = selected
  }

  #move(chord: string): boolean {
    const targets: Readonly<Record<string, number>> = {
      up: this.#index - 1,
      down: this.#index + 1,
      pageup: this.#index - this.#height,
      pagedown: this.#index + this.#height,
      home: 0,
      end: this.#shown.length - 1,
    }
    const target = targets[chord]
    if (target !== undefined) this.#select(target)
    else if (chord === 'enter' && this.#options.onOpen !== undefined) this.#open()
    else return false
    return true
  }

  #open(): void {
    const { selected } = this
    if (selected !== undefined) this.#options.onOpen?.(selected)
  }

  #mouse({ action, row, button }: Mouse): boolean {
    if (action === 'wheelUp' || action === 'wheelDown') {
      this.#select(this.#index + (action === 'wheelUp' ? -3 : 3))
      return true
    }
    if (action !== 'press' || button !== 'left') return false
    const index = this.#top + row - (this.#showsFilter ? 1 : 0)
    if (index < 0 || index >= this.#shown.length) return false
    if (index === this.#index) this.#open()
    else this.#select(index)
    return true
  }

  #select(index: number): void {
    this.#index = Math.max(0, Math.min(index, this.#shown.length - 1))
    const { selected } = this
    // A filter, and other items, change what stands at an index.
    if (selected === this.#told) return
    this.#told = selected
    this.#options.onSelect?.(selected)
  }

  #refilter(): void {
    if (this.#filter === undefined || this.#filter.trim() === '') {
      this.#shown = this.#items
      return
    }
    this.#prepare(this.#items.length)
    const found = fuzzysort.go(this.#filter, this.#prepared, { key: 'text', limit: mostMatches })
    this.#shown = found.map(({ obj }) => obj.item)
  }

  /** Before the first key of a filter, which would wait for all of them: those of ten thousand items take 40 ms. */
  #prepareAhead(): void {
    const prepared = this.#prepared
    const goOn = (): void => {
      if (this.#prepared !== prepared || prepared.length === this.#items.length) return
      this.#prepare(prepared.length + preparedAtOnce)
      setImmediate(goOn).unref()
    }
    setImmediate(goOn).unref()
  }

  #prepare(most: number): void {
    for (const item of this.#items.slice(this.#prepared.length, most))
      this.#prepared.push({ item, text: fuzzysort.prepare(this.#options.text(item)) })
  }

  #filterLine(): Line {
    const line: Line = [span(filterLabel, { color: 'accent' }), span(this.#filter ?? '')]
    return this.#editing ? line : [...line, span('   Esc shows all', { color: 'muted' })]
  }

  #emptyLines(width: number): readonly Line[] {
    if (this.#filter !== undefined && this.#items.length > 0) return [[span('Nothing matches.', { color: 'muted' })]]
    const { empty: given = 'Nothing here yet.' } = this.#options
    const empty = typeof given === 'function' ? given() : given
    if (typeof empty !== 'string') return empty
    return wrapText(empty, width).map((line) => [span(line, { color: 'muted' })])
  }
}

const filterLabel = '/ '
const selection: Style = { background: 'selected' }
/** What a row marks itself, such as what was found, stays to be seen. */
const onSelection = ({ text, style }: Span): Span => span(text, { ...selection, ...style })
