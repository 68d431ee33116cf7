import { chordOf, type Input } from '../canvas/input.ts'
import { span } from '../canvas/lines.ts'
import type { Cursor, Hint, Pane, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { ListPane } from './list.ts'
import { TextField } from './text-field.ts'

interface FieldListOptions<T> {
  /** Before what is typed, such as `/ `. */
  readonly label: string
  readonly placeholder: string
  readonly row: (item: T, at: { readonly width: number; readonly selected: boolean }) => Line
  /** What a screen reader says of an item. */
  readonly text: (item: T) => string
  /** Tells items apart when they are renewed. */
  readonly key?: (item: T) => string
  readonly onChange: (text: string) => void
  readonly onOpen: (item: T) => void
  readonly onSelect?: (item: T | undefined) => void
  /** Esc; absent: it is left to whoever comes next. */
  readonly onClose?: () => void
}

const listKeys: ReadonlySet<string> = new Set(['up', 'down', 'pageup', 'pagedown', 'enter'])

/** A line to type into, and what was found for it: the arrows choose, while letters go on being typed. */
export class FieldList<T> implements Pane {
  readonly typing = true
  readonly #options: FieldListOptions<T>
  readonly #field: TextField
  readonly #list: ListPane<T>
  /** Of what was found, under the field. */
  remark: Line = []

  constructor(options: FieldListOptions<T>) {
    const { onSelect } = options
    this.#options = options
    this.#field = new TextField({ placeholder: options.placeholder, onChange: options.onChange })
    this.#list = new ListPane<T>({
      row: options.row,
      text: options.text,
      onOpen: options.onOpen,
      empty: [],
      filterable: false,
      ...(onSelect === undefined ? {} : { onSelect }),
      ...(options.key === undefined ? {} : { key: options.key }),
    })
  }

  get value(): string {
    return this.#field.value
  }

  set value(value: string) {
    this.#field.value = value
    this.#options.onChange(value)
  }

  get selected(): T | undefined {
    return this.#list.selected
  }

  get items(): readonly T[] {
    return this.#list.items
  }

  /** The best comes first, and is selected: whoever types wants it. */
  set items(items: readonly T[]) {
    this.#list.items = items
    this.#list.selected = items[0]
    this.#options.onSelect?.(items[0])
  }

  /** What is found for the same text now: who has gone to another one than the first keeps it. */
  renew(items: readonly T[]): void {
    const isFirst = this.#list.selected === this.#list.items[0]
    if (isFirst) {
      this.items = items
      return
    }
    this.#list.items = items
    this.#options.onSelect?.(this.#list.selected)
  }

  get cursor(): Cursor {
    return { row: 0, column: this.#field.cursor.column + this.#options.label.length }
  }

  get hints(): readonly Hint[] {
    return this.#list.hints
  }

  draw({ width, height }: Size): readonly Line[] {
    const { label } = this.#options
    const [field = []] = this.#field.draw({ width: Math.max(1, width - label.length), height: 1 })
    const list = height > 2 ? this.#list.draw({ width, height: height - 2 }) : []
    return [[span(label, { color: 'accent' }), ...field], this.remark, ...list].slice(0, height)
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') {
      const { row, column, action } = input.mouse
      const isList = row > 1 || action.startsWith('wheel')
      const mouse = isList
        ? { ...input.mouse, row: row - 2 }
        : { ...input.mouse, column: column - this.#options.label.length }
      return isList ? this.#list.input({ type: 'mouse', mouse }) : this.#field.input({ type: 'mouse', mouse })
    }
    const chord = input.type === 'key' ? chordOf(input.key) : ''
    if (chord === 'escape' && this.#options.onClose !== undefined) {
      this.#options.onClose()
      return true
    }
    return listKeys.has(chord) ? this.#list.input(input) : this.#field.input(input)
  }

  spoken(): string {
    return [this.#field.spoken(), this.#list.selected === undefined ? '' : this.#list.spoken()].join(', ')
  }
}
