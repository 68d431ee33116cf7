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
  /** Whether the person is where what asks was begun. */
  readonly isHere: () => boolean
  /** What could not be asked or told, as the person had gone on. */
  readonly missed: (words: string) => void
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

  async confirm(confirmation: Confirmation): Promise<boolean> {
    return (await this.#question(confirmation.title, (answer) => new ConfirmBox(confirmation, answer))) ?? false
  }

  ask(form: Form): Promise<Readonly<Record<string, string>> | undefined> {
    const { refresh, fail } = this.#host
    return this.#question(form.title, (answer) => new FormBox(form, { answer, refresh, fail }))
  }

  choose<T>(options: {
    readonly title: string
    readonly choices: readonly Choice<T>[]
    readonly placeholder?: string
  }): Promise<T | undefined> {
    return this.#question(options.title, (answer) => new ChooserBox(options, answer))
  }

  async tell(options: { readonly title: string; readonly body: readonly string[] | Pane }): Promise<void> {
    if (this.#host.isHere()) await this.#open<undefined>((answer) => new ReaderBox(options, () => answer(undefined)))
    else if (!('draw' in options.body)) this.#host.missed(options.body.join(' '))
  }

  progress(options: { readonly title: string; readonly cancel?: string }): Progress {
    const { refresh, run } = this.#host
    const box: ProgressBox = new ProgressBox(options, { refresh, run, close: () => this.#close(box) })
    this.#push(box)
    return box
  }

  /** Where the person has gone on, a question is none of the view that is to be seen: it is answered like Esc. */
  async #question<T>(
    title: string,
    make: (answer: (value: T | undefined) => void) => DialogBox,
  ): Promise<T | undefined> {
    if (this.#host.isHere()) return this.#open(make)
    this.#host.missed(`“${title}” was not asked, as you had gone on. Go back there, and do it again.`)
    return undefined
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
