import type { Choice, Confirmation, Dialogs, Form, Progress } from '#cli/tui/app/dialogs.ts'
import type { Command } from '#cli/tui/app/view.ts'
import type { Pane } from '#cli/tui/canvas/pane.ts'
import { Failure } from '#contract/failure.ts'

/** What somebody answers: whether they confirm, the values of a form, the label of a choice; undefined is Esc. */
type Answer = boolean | string | Readonly<Record<string, string>> | undefined

/** How a dialog of progress went. */
export class FakeProgress implements Progress {
  readonly title: string
  /** What was said, a line a phase: `building pages 3/4`. */
  readonly said: string[] = []
  outcome: 'done' | 'failed' | undefined
  lines: readonly string[] = []
  actions: readonly Command[] = []
  closed = false
  readonly #abort = new AbortController()
  readonly signal = this.#abort.signal

  constructor(title: string) {
    this.title = title
  }

  phase(name: string, detail = ''): void {
    this.said.push(`${name} ${detail}`.trim())
  }

  detail(text: string): void {
    this.said.push(text)
  }

  counted(done: number, total: number): void {
    this.said.push(`${done} of ${total}`)
  }

  close(): void {
    this.closed = true
  }

  async end(outcome: 'done' | 'failed', lines: readonly string[], actions: readonly Command[] = []): Promise<void> {
    this.outcome = outcome
    this.lines = lines
    this.actions = actions
    this.closed = true
  }

  /** Esc. */
  cancel(): void {
    this.#abort.abort()
  }
}

/** Answers every question with what a test said before, in that order, and keeps what was asked. */
export class FakeDialogs implements Dialogs {
  /** What was shown: title and texts of each dialog, in order. */
  readonly shown: string[] = []
  /** What forms said of values and of what they were to do. */
  readonly refusals: string[] = []
  readonly progresses: FakeProgress[] = []
  /** Panes that were told. */
  readonly panes: Pane[] = []
  readonly #answers: Answer[] = []

  /** What the next questions are answered with. */
  answer(...answers: readonly Answer[]): void {
    this.#answers.push(...answers)
  }

  /** Answers that nobody has asked for. */
  get left(): number {
    return this.#answers.length
  }

  async confirm({ title, body, act, typed }: Confirmation): Promise<boolean> {
    this.shown.push([title, ...body, act].join('\n'))
    const answer = this.#next(title)
    if (typed !== undefined && typeof answer === 'string') return answer === typed
    return answer === true
  }

  async ask(form: Form): Promise<Readonly<Record<string, string>> | undefined> {
    this.shown.push([form.title, ...(form.body ?? []), ...form.fields.map(({ label }) => label)].join('\n'))
    for (;;) {
      const answer = this.#next(form.title)
      if (typeof answer !== 'object') return undefined
      const values = Object.fromEntries(form.fields.map(({ name, value = '' }) => [name, answer[name] ?? value]))
      const wrong = form.fields.flatMap(({ name, check }) => check?.(values[name] ?? '') ?? [])
      this.refusals.push(...wrong)
      if (wrong.length > 0) continue
      try {
        await form.submit?.(values)
        return values
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        this.refusals.push([error.message, error.hint ?? ''].join(' ').trim())
      }
    }
  }

  async choose<T>({
    title,
    choices,
  }: {
    readonly title: string
    readonly choices: readonly Choice<T>[]
  }): Promise<T | undefined> {
    this.shown.push([title, ...choices.map(({ label, detail = '' }) => `${label} ${detail}`.trim())].join('\n'))
    const answer = this.#next(title)
    if (answer === undefined) return undefined
    const choice = choices.find(({ label }) => label === answer)
    if (choice === undefined || choice.unavailable !== undefined)
      throw new Error(`“${title}” has no choice ${JSON.stringify(answer)}: ${choice?.unavailable ?? 'not listed'}`)
    return choice.value
  }

  async tell({ title, body }: { readonly title: string; readonly body: readonly string[] | Pane }): Promise<void> {
    if ('draw' in body) this.panes.push(body)
    this.shown.push([title, ...('draw' in body ? [] : body)].join('\n'))
  }

  progress({ title }: { readonly title: string }): FakeProgress {
    const progress = new FakeProgress(title)
    this.progresses.push(progress)
    return progress
  }

  #next(title: string): Answer {
    if (this.#answers.length === 0) throw new Error(`nobody said how “${title}” is answered`)
    return this.#answers.shift()
  }
}
