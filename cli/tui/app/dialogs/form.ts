import { Failure } from '#contract/failure.ts'
import { chordText, type Input } from '../../canvas/input.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Hint, Pane } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ChecklistField } from '../../panes/checklist-field.ts'
import { ChoiceField } from '../../panes/choice-field.ts'
import { TextField } from '../../panes/text-field.ts'
import type { Field, Form } from '../dialogs.ts'
import { chordIn, inside, paragraphs, spokenContent, type Content, type DialogBox, type Slot } from './box.ts'

type FieldPane = TextField | ChoiceField | ChecklistField
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
  readonly #fields: readonly { readonly field: Field; readonly pane: FieldPane }[]
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
    const tick = this.focused instanceof ChecklistField ? [{ chord: 'space', word: 'tick' }] : []
    const next = this.#fields.length > 1 ? [{ chord: 'tab', word: 'next field' }] : []
    return [{ chord: 'enter', word: inside(this.#form.act) }, ...tick, ...next, { chord: 'escape', word: 'cancel' }]
  }

  content(width: number, height: number): Content {
    const whole = this.#whole(width, { most: height, isTight: false })
    if (whole.lines.length <= height) return whole
    return around(this.#whole(width, { most: height, isTight: true }), this.focused, height)
  }

  /** @param room where it is tight, why it did not work stands at the field that has the keyboard, which is in sight */
  #whole(width: number, room: { readonly most: number; readonly isTight: boolean }): Content {
    const lines: Line[] = paragraphs(this.#form.body ?? [], width)
    const slots: Slot[] = []
    for (const { field, pane } of this.#fields) {
      if (lines.length > 0) lines.push([])
      const isCurrent = pane === this.focused
      const label = span(field.label, { bold: isCurrent, ...(isCurrent ? { color: 'accent' } : {}) })
      lines.push(field.optional === true ? [label, span('  optional', { color: 'muted' })] : [label])
      const rows = pane instanceof ChecklistField ? Math.min(pane.height(width), Math.max(1, room.most - 1)) : 1
      if (pane instanceof ChecklistField) pane.isActive = isCurrent
      slots.push({ pane, row: lines.length, height: rows })
      lines.push(...Array.from({ length: rows }, () => []))
      if (isCurrent && room.isTight && this.#trouble.length > 0) {
        lines.push(...paragraphs(this.#trouble, width, { color: 'danger' }))
        continue
      }
      const { wrong, below } = this.#below(field, pane)
      if (below !== undefined)
        lines.push(
          ...wrapText(shown(below), width).map((text) => [
            span(text, { color: wrong === undefined ? 'muted' : 'danger' }),
          ]),
        )
    }
    if (this.#trouble.length > 0 && !room.isTight)
      lines.push([], ...paragraphs(this.#trouble, width, { color: 'danger' }))
    return { lines, slots }
  }

  input(input: Input, pane?: Pane): void {
    if (this.#busy) return
    const chord = chordIn(input)
    if (pane !== undefined) this.#current = this.#fields.findIndex((one) => one.pane === pane)
    if (chord === 'escape') this.#host.answer(undefined)
    else if (chord === 'tab') this.#go(1)
    else if (chord === 'shift+tab') this.#go(-1)
    else if (chord === 'enter') this.#submit()
    else if (this.focused?.input(input) !== true && (chord === 'down' || chord === 'up'))
      this.#go(chord === 'down' ? 1 : -1)
  }

  spoken(): string {
    const stands = this.stands().filter((part) => part !== '')
    return `${spokenContent(this, chordText)} ${stands.join('. ')}`
  }

  stands(): readonly string[] {
    const current = this.#fields[this.#current]
    if (current === undefined) return []
    const { field, pane } = current
    const trouble = this.#busy ? 'Please wait.' : this.#trouble.join(' ')
    return [field.label, pane.spoken(), this.#below(field, pane).below ?? '', trouble]
  }

  /** What stands below a field: what is wrong with it, else what becomes of it. */
  #below(field: Field, pane: FieldPane): { readonly wrong: string | undefined; readonly below: string | undefined } {
    const cut = pane instanceof TextField ? pane.cut : undefined
    const wrong = cut ?? (this.#visited.has(field) ? this.#wrong(field, pane) : undefined)
    return { wrong, below: wrong ?? (typeof field.help === 'function' ? field.help(pane.value) : field.help) }
  }

  #go(step: number): void {
    const left = this.#fields[this.#current]
    if (left !== undefined) this.#visited.add(left.field)
    this.#current = (this.#current + step + this.#fields.length) % this.#fields.length
  }

  #wrong(field: Field, pane: { readonly value: string }): string | undefined {
    const value = pane.value.trim()
    if (value === '' && field.optional === true) return undefined
    if (value === '') return field.checks === undefined ? `${field.label} is needed.` : 'Tick one at least.'
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
              // Of one place, what is wrong there is often all that there is to say.
              ...new Set([error.message, ...error.errors.map(({ message }) => message)]),
              ...(error.hint === undefined ? [] : [error.hint]),
            ]
          : ['That did not work, and it is not your fault. The log says more.']
    }
    this.#busy = false
    this.#host.refresh()
  }
}

/** As much of a form as there is room for: the field that has the keyboard, with its label and what is said of it. */
function around({ lines, slots }: Content, focused: Pane | undefined, height: number): Content {
  const at = slots.findIndex(({ pane }) => pane === focused)
  const next = slots[at + 1]
  const end = next === undefined ? lines.length : next.row - 2
  const least = Math.max(0, end - height)
  // No field begins above the first row: there would be a part of it without its label.
  const labels = slots.map(({ row }) => row - 1)
  const from = least === 0 ? 0 : Math.min(labels[at] ?? 0, ...labels.filter((row) => row >= least))
  return {
    lines: lines.slice(from, from + height),
    slots: slots
      .filter(({ row }) => row > from && row < from + height)
      .map((slot) => ({ ...slot, row: slot.row - from, height: Math.min(slot.height, from + height - slot.row) })),
  }
}

function paneOf({ value = '', placeholder, secret = false, choices, checks, onChange }: Field): FieldPane {
  if (checks !== undefined) return new ChecklistField(checks, value)
  if (choices !== undefined) return new ChoiceField(choices, value)
  return new TextField({
    value,
    secret,
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(onChange === undefined ? {} : { onChange }),
  })
}
