import type { Choice, Confirmation, Dialogs, Form, Progress } from '../dialogs.ts'
import type { Pane } from '../../canvas/pane.ts'
import type { Command } from '../view.ts'
import type { DialogBox } from './box.ts'
import { ChooserBox } from './chooser.ts'
import { ConfirmBox } from './confirm.ts'
import { FormBox } from './form.ts'
import { ProgressBox } from './progress.ts'
import { ReaderBox } from './reader.ts'

interface Host {
  readonly refresh: () => void
  readonly fail: (error: unknown) => void
  readonly run: (command: Command) => void
}

/** Dialogs over the view, the last one on top: that one has all input. */
export class DialogStack implements Dialogs {
  readonly #host: Host
  readonly #boxes: DialogBox[] = []

  constructor(host: Host) {
    this.#host = host
  }

  get top(): DialogBox | undefined {
    return this.#boxes.at(-1)
  }

  confirm(confirmation: Confirmation): Promise<boolean> {
    return this.#open((answer) => new ConfirmBox(confirmation, answer))
  }

  ask(form: Form): Promise<Readonly<Record<string, string>> | undefined> {
    const { refresh, fail } = this.#host
    return this.#open((answer) => new FormBox(form, { answer, refresh, fail }))
  }

  choose<T>(options: {
    readonly title: string
    readonly choices: readonly Choice<T>[]
    readonly placeholder?: string
  }): Promise<T | undefined> {
    return this.#open<T | undefined>((answer) => new ChooserBox(options, answer))
  }

  tell(options: { readonly title: string; readonly body: readonly string[] | Pane }): Promise<void> {
    return this.#open<undefined>((answer) => new ReaderBox(options, () => answer(undefined)))
  }

  progress(options: { readonly title: string; readonly cancel?: string }): Progress {
    const { refresh, run } = this.#host
    const box: ProgressBox = new ProgressBox(options, { refresh, run, close: () => this.#close(box) })
    this.#push(box)
    return box
  }

  #open<T>(make: (answer: (value: T) => void) => DialogBox): Promise<T> {
    return new Promise((resolve) => {
      const box = make((value) => {
        this.#close(box)
        resolve(value)
      })
      this.#push(box)
    })
  }

  #push(box: DialogBox): void {
    this.#boxes.push(box)
    this.#host.refresh()
  }

  #close(box: DialogBox): void {
    const at = this.#boxes.indexOf(box)
    if (at >= 0) this.#boxes.splice(at, 1)
    this.#host.refresh()
  }
}
