import { Failure } from '../../../../src/contract/failure.ts'
import { chordText, type Input } from '../../canvas/input.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Pane } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ChoiceField } from '../../panes/choice-field.ts'
import { TextField } from '../../panes/text-field.ts'
import type { Field, Form } from '../dialogs.ts'
import { chordIn, paragraphs, spokenContent, type Content, type DialogBox, type Hint, type Slot } from './box.ts'

type Values = Readonly<Record<string, string>>

interface FormHost {
  readonly answer: (values: Values | undefined) => void
  readonly refresh: () => void
  /** Told what is no Failure. */
  readonly fail: (error: unknown) => void
}

/** Fields one below the other. What was typed stays until the form has done what it is for. */
export class FormBox implements DialogBox {
  readonly width = 68
  readonly #form: Form
  readonly #host: FormHost
  readonly #fields: readonly { readonly field: Field; readonly pane: TextField | ChoiceField }[]
  #current = 0
  /** Fields that were left, or all after Enter: what is wrong with them is told. */
  readonly #visited = new Set<Field>()
  #trouble: readonly string[] = []
  #busy = false

  constructor(form: Form, host: FormHost) {
    this.#form = form
    this.#host = host
    this.#fields = form.fields.map((field) => ({ field, pane: paneOf(field) }))
  }

  get title(): string {
    return this.#form.title
  }

  get focused(): Pane | undefined {
    return this.#fields[this.#current]?.pane
  }

  get hints(): readonly Hint[] {
    if (this.#busy) return [{ chord: 'escape', word: 'please wait …' }]
    const next = this.#fields.length > 1 ? [{ chord: 'tab', word: 'next field' }] : []
    return [{ chord: 'enter', word: this.#form.act }, ...next, { chord: 'escape', word: 'cancel' }]
  }

  content(width: number): Content {
    const lines: Line[] = paragraphs(this.#form.body ?? [], width)
    const slots: Slot[] = []
    for (const { field, pane } of this.#fields) {
      if (lines.length > 0) lines.push([])
      const isCurrent = pane === this.focused
      const label = span(field.label, { bold: isCurrent, ...(isCurrent ? { color: 'accent' } : {}) })
      lines.push(field.optional === true ? [label, span('  optional', { color: 'muted' })] : [label])
      slots.push({ pane, row: lines.length, height: 1 })
      lines.push([])
      const { wrong, below } = this.#below(field, pane)
      if (below !== undefined)
        lines.push(
          ...wrapText(shown(below), width).map((text) => [
            span(text, { color: wrong === undefined ? 'muted' : 'danger' }),
          ]),
        )
    }
    if (this.#trouble.length > 0) lines.push([], ...paragraphs(this.#trouble, width, { color: 'danger' }))
    return { lines, slots }
  }

  input(input: Input, pane?: Pane): void {
    if (this.#busy) return
    const chord = chordIn(input)
    if (pane !== undefined) this.#current = this.#fields.findIndex((one) => one.pane === pane)
    if (chord === 'escape') this.#host.answer(undefined)
    else if (chord === 'tab' || chord === 'down') this.#go(1)
    else if (chord === 'shift+tab' || chord === 'up') this.#go(-1)
    else if (chord === 'enter') this.#submit()
    else this.focused?.input(input)
  }

  spoken(): string {
    return spokenContent(this, chordText)
  }

  stands(): readonly string[] {
    const current = this.#fields[this.#current]
    if (current === undefined) return []
    const { field, pane } = current
    const trouble = this.#busy ? 'Please wait.' : this.#trouble.join(' ')
    return [field.label, pane.spoken(), this.#below(field, pane).below ?? '', trouble]
  }

  /** What stands below a field: what is wrong with it, else what becomes of it. */
  #below(
    field: Field,
    pane: { readonly value: string },
  ): { readonly wrong: string | undefined; readonly below: string | undefined } {
    const wrong = this.#visited.has(field) ? this.#wrong(field, pane) : undefined
    return { wrong, below: wrong ?? (typeof field.help === 'function' ? field.help(pane.value) : field.help) }
  }

  #go(step: number): void {
    const left = this.#fields[this.#current]
    if (left !== undefined) this.#visited.add(left.field)
    this.#current = (this.#current + step + this.#fields.length) % this.#fields.length
  }

  #wrong(field: Field, pane: { readonly value: string }): string | undefined {
    const value = pane.value.trim()
    if (value === '') return field.optional === true ? undefined : `${field.label} is needed.`
    return field.check?.(value)
  }

  #submit(): void {
    for (const { field } of this.#fields) this.#visited.add(field)
    const wrong = this.#fields.findIndex(({ field, pane }) => this.#wrong(field, pane) !== undefined)
    if (wrong >= 0) {
      this.#current = wrong
      return
    }
    const values = Object.fromEntries(this.#fields.map(({ field, pane }) => [field.name, pane.value.trim()]))
    void this.#do(values)
  }

  async #do(values: Values): Promise<void> {
    this.#busy = true
    this.#trouble = []
    this.#host.refresh()
    try {
      await this.#form.submit?.(values)
      this.#host.answer(values)
    } catch (error) {
      if (!(error instanceof Failure)) this.#host.fail(error)
      this.#trouble =
        error instanceof Failure
          ? [
              error.message,
              ...error.errors.map(({ message }) => message),
              ...(error.hint === undefined ? [] : [error.hint]),
            ]
          : ['That did not work, and it is not your fault. The log says more.']
    }
    this.#busy = false
    this.#host.refresh()
  }
}

function paneOf({ value = '', placeholder, secret = false, choices }: Field): TextField | ChoiceField {
  if (choices !== undefined) return new ChoiceField(choices, value)
  return new TextField({ value, secret, ...(placeholder === undefined ? {} : { placeholder }) })
}
