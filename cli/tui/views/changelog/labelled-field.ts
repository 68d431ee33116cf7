import type { Input } from '../../canvas/input.ts'
import { span } from '../../canvas/lines.ts'
import type { Cursor, Pane, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { widthOf } from '../../canvas/width.ts'
import { TextField, type TextFieldOptions } from '../../panes/text-field.ts'

/** A field in a row of its own, with what it is for before it. */
export class LabelledField implements Pane {
  readonly #label: string
  readonly #field: TextField

  constructor(label: string, options: TextFieldOptions) {
    this.#label = `${label}  `
    this.#field = new TextField(options)
  }

  get value(): string {
    return this.#field.value
  }

  /** As that of a `TextField`. */
  set value(value: string) {
    this.#field.value = value
  }

  get cursor(): Cursor | undefined {
    const { cursor } = this.#field
    return cursor === undefined ? undefined : { ...cursor, column: cursor.column + this.#indent }
  }

  draw({ width, height }: Size): readonly Line[] {
    const [line = []] = this.#field.draw({ width: Math.max(1, width - this.#indent), height })
    return [[span(this.#label, { color: 'muted' }), ...line]]
  }

  input(input: Input): boolean {
    if (input.type !== 'mouse') return this.#field.input(input)
    const { mouse } = input
    return this.#field.input({ type: 'mouse', mouse: { ...mouse, column: Math.max(0, mouse.column - this.#indent) } })
  }

  spoken(): string {
    return `${this.#label.trim()}: ${this.#field.spoken()}`
  }

  get behindCursor(): string | undefined {
    return this.#field.behindCursor
  }

  get #indent(): number {
    return widthOf(this.#label)
  }
}
