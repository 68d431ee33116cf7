import type { Pane } from '../canvas/pane.ts'
import type { Check } from '../panes/checklist-field.ts'
import type { Command } from './view.ts'

export interface Confirmation {
  readonly title: string
  /** What will happen, a paragraph each. */
  readonly body: readonly string[]
  /** On the button, such as `Delete new-api`. */
  readonly act: string
  /** What Esc does, where there is nothing to cancel, such as `close`. */
  readonly leave?: string
  /** Cannot be undone: shown as such, and Enter alone does not do it. */
  readonly danger?: boolean
  /** Has to be typed first, such as the name of a branch. */
  readonly typed?: string
}

export interface Field {
  readonly name: string
  readonly label: string
  readonly value?: string
  /** Shown in the empty field. */
  readonly placeholder?: string
  /** A line under the field, such as what becomes of what is typed. */
  readonly help?: string | ((value: string) => string)
  /** The characters are not shown. */
  readonly secret?: boolean
  /** One of these; ← and → choose. */
  readonly choices?: readonly string[]
  /** Any of these, in a list to tick; the value has those that are ticked, between commas. */
  readonly checks?: readonly Check[]
  readonly optional?: boolean
  /** Why a value will not do; undefined when it does. Asked while it is typed. */
  readonly check?: (value: string) => string | undefined
  /** Told of what is typed, before it is known whether it is meant. */
  readonly onChange?: (value: string) => void
}

export interface Form {
  readonly title: string
  readonly body?: readonly string[]
  readonly fields: readonly Field[]
  readonly act: string
  /**
   * Does it: the form stays, with what was typed, until this resolves; what it throws is told in the form. Absent: the
   * caller does it afterwards.
   */
  readonly submit?: (values: Readonly<Record<string, string>>) => Promise<void>
}

export interface Choice<T> {
  readonly value: T
  readonly label: string
  readonly detail?: string
  /** Cannot be chosen, and why. */
  readonly unavailable?: string
}

export interface Progress {
  /** Replaces what is said of the phase under way; earlier phases stay above with a tick. */
  phase(name: string, detail?: string): void
  /** Of the phase under way. */
  detail(text: string): void
  /** How far the phase under way is: seen, and not heard. */
  counted(done: number, total: number): void
  /** Closes the dialog. */
  close(): void
  /** Stays open until a key: how it ended, a line each. */
  end(outcome: 'done' | 'failed', lines: readonly string[], actions?: readonly Command[]): Promise<void>
  /** Fires when Esc is pressed while it runs. */
  readonly signal: AbortSignal
}

/**
 * Questions over the view, one at a time. Esc answers undefined or false; so does a question that comes when the person has
 * gone on to another view, where it is not asked but named in a message.
 */
export interface Dialogs {
  confirm(confirmation: Confirmation): Promise<boolean>
  ask(form: Form): Promise<Readonly<Record<string, string>> | undefined>
  /** A list with a fuzzy filter. */
  choose<T>(options: {
    readonly title: string
    readonly choices: readonly Choice<T>[]
    readonly placeholder?: string
  }): Promise<T | undefined>
  /** Paragraphs, or a pane, to be read; closed by Esc or Enter. */
  tell(options: { readonly title: string; readonly body: readonly string[] | Pane }): Promise<void>
  /** @param options.cancel what Esc does, such as `stop waiting`; absent: it cannot be broken off */
  progress(options: { readonly title: string; readonly cancel?: string }): Progress
}
