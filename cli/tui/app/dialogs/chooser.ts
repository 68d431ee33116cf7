import type { Input } from '../../canvas/input.ts'
import { fit, lineWidth, span } from '../../canvas/lines.ts'
import type { Hint, Pane } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ListPane } from '../../panes/list.ts'
import { TextField } from '../../panes/text-field.ts'
import type { Choice } from '../dialogs.ts'
import { chordIn, type Content, type DialogBox } from './box.ts'

export interface ChooserOptions<T> {
  readonly title: string
  readonly choices: readonly Choice<T>[]
  readonly placeholder?: string
}

/** A list with a fuzzy filter: what is typed goes to the filter, arrows to the list. */
export class ChooserBox<T> implements DialogBox {
  readonly title: string
  readonly width = 76
  readonly hints: readonly Hint[] = [
    { chord: 'enter', word: 'choose' },
    { chord: 'escape', word: 'close' },
  ]
  readonly #field: TextField
  readonly #list: ListPane<Choice<T>>
  readonly #count: number

  constructor({ title, choices, placeholder }: ChooserOptions<T>, answer: (choice: T | undefined) => void) {
    this.title = title
    this.#count = choices.length
    this.#answer = answer
    this.#list = new ListPane({
      items: choices,
      filterable: false,
      text: ({ label, detail }) => (detail === undefined ? label : `${label} ${detail}`),
      row: choiceLine,
      onOpen: (choice) => this.#take(choice),
    })
    this.#field = new TextField({
      placeholder: placeholder ?? 'Type to filter',
      onChange: (text) => (this.#list.filter = text === '' ? undefined : text),
    })
  }

  get focused(): Pane {
    return this.#field
  }

  content(_width: number, height: number): Content {
    const rows = Math.max(1, Math.min(this.#count, height - 2, 16))
    return {
      lines: Array.from({ length: rows + 2 }, () => []),
      slots: [
        { pane: this.#field, row: 0, height: 1 },
        { pane: this.#list, row: 2, height: rows },
      ],
    }
  }

  input(input: Input, pane?: Pane): void {
    const chord = chordIn(input)
    if (chord === 'escape') this.#answer(undefined)
    else if (pane !== undefined) pane.input(input)
    else if (chord !== undefined && /^(?:up|down|pageup|pagedown|enter)$/.test(chord)) this.#list.input(input)
    else this.#field.input(input)
  }

  spoken(): string {
    return `${this.title}. ${this.#list.spoken()}`
  }

  stands(): readonly string[] {
    return [this.#field.value, this.#list.spoken()]
  }

  readonly #answer: (choice: T | undefined) => void

  #take(choice: Choice<T>): void {
    if (choice.unavailable === undefined) this.#answer(choice.value)
  }
}

function choiceLine<T>(choice: Choice<T>, { width }: { readonly width: number }): Line {
  const detail = choice.unavailable ?? choice.detail
  const label = span(shown(choice.label), choice.unavailable === undefined ? undefined : { color: 'muted' })
  if (detail === undefined) return [label]
  const end = [span(shown(detail), { color: 'muted' })]
  const room = Math.max(Math.floor(width / 3), width - lineWidth([label]) - 2)
  const cut = lineWidth(end) > room ? fit(end, room) : end
  return [...fit([label], width - lineWidth(cut) - 2), span('  '), ...cut]
}
