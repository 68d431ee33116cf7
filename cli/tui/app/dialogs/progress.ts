import { chordOf, chordText, type Input } from '../../canvas/input.ts'
import { lineWidth, span, wrapText } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { Progress } from '../dialogs.ts'
import type { Command } from '../view.ts'
import type { Hint } from '../../canvas/pane.ts'
import { paragraphs, spokenContent, type Content, type DialogBox } from './box.ts'

interface ProgressHost {
  readonly close: () => void
  readonly refresh: () => void
  /** Runs a command, and tells what it throws. */
  readonly run: (command: Command) => void
}

/** Phases of long work, each with a tick when it is over. */
export class ProgressBox implements DialogBox, Progress {
  readonly title: string
  readonly width = 72
  readonly #host: ProgressHost
  readonly #cancel: string | undefined
  readonly #interruption = new AbortController()
  readonly #phases: { readonly name: string; detail: string; isPassing: boolean }[] = []
  #outcome: 'done' | 'failed' | undefined
  #lines: readonly string[] = []
  #actions: readonly Command[] = []
  #ended: (() => void) | undefined
  #news: string[] = []

  constructor({ title, cancel }: { readonly title: string; readonly cancel?: string }, host: ProgressHost) {
    this.title = title
    this.#host = host
    this.#cancel = cancel
  }

  get danger(): boolean {
    return this.#outcome === 'failed'
  }

  get signal(): AbortSignal {
    return this.#interruption.signal
  }

  get hints(): readonly Hint[] {
    const cancel = this.#cancel === undefined ? [] : [{ chord: 'escape', word: this.#cancel }]
    if (this.#outcome === undefined) return this.signal.aborted ? [] : cancel
    const actions = this.#actions.map(({ keys = [], hint, title }) => ({ chord: keys[0] ?? '', word: hint ?? title }))
    return [...actions, { chord: 'enter', word: 'close' }]
  }

  phase(name: string, detail = ''): void {
    this.#pass()
    this.#phases.push({ name, detail, isPassing: false })
    this.#tell(detail === '' ? name : `${name}, ${detail}`)
  }

  detail(text: string): void {
    this.#detail(text, true)
    this.#tell(text)
  }

  counted(done: number, total: number): void {
    this.#detail(`${done} of ${total}`, false)
    this.#host.refresh()
  }

  close(): void {
    this.#host.close()
    this.#ended?.()
  }

  end(outcome: 'done' | 'failed', lines: readonly string[], actions: readonly Command[] = []): Promise<void> {
    if (outcome === 'done') this.#pass()
    this.#outcome = outcome
    this.#lines = lines
    this.#actions = actions
    const keys = this.hints.map(({ chord, word }) => `${chordText(chord)}: ${word}.`)
    this.#tell([outcome === 'done' ? 'Done.' : 'It failed.', ...lines, ...keys].join(' '))
    return new Promise((resolve) => (this.#ended = resolve))
  }

  content(width: number): Content {
    const phases = this.#phases.flatMap(({ name, detail }, index): Line[] => {
      const isLast = index === this.#phases.length - 1
      const mark = !isLast || this.#outcome === 'done' ? done : this.#outcome === 'failed' ? failed : under
      const line = [mark, span(shown(name), isLast ? { bold: true } : {})]
      const beside = [...line, span(detail === '' ? '' : `  ${shown(detail)}`, { color: 'muted' })]
      if (lineWidth(beside) <= width) return [beside]
      // Why something is waited for is read to its end.
      return [line, ...wrapText(shown(detail), width - 2).map((text) => [span(`  ${text}`, { color: 'muted' })])]
    })
    const words = this.#lines.length === 0 ? [] : [[], ...this.#lines.flatMap((line) => paragraphs([line], width))]
    return { lines: [...phases, ...words], slots: [] }
  }

  input(input: Input): void {
    if (input.type !== 'key') return
    const chord = chordOf(input.key)
    if (this.#outcome === undefined) {
      if (chord === 'escape' && this.#cancel !== undefined) this.#interruption.abort()
      return
    }
    const action = this.#actions.find(({ keys = [] }) => keys.includes(chord))
    if (action === undefined && chord !== 'enter' && chord !== 'escape') return
    this.close()
    if (action !== undefined) this.#host.run(action)
  }

  spoken(): string {
    return spokenContent(this, chordText)
  }

  /** What comes to it is news, and said as such. */
  stands(): readonly string[] {
    return []
  }

  news(): readonly string[] {
    const news = this.#news
    this.#news = []
    return news
  }

  #detail(text: string, isPassing: boolean): void {
    const last = this.#phases.at(-1)
    if (last !== undefined) Object.assign(last, { detail: text, isPassing })
  }

  /** What a phase waited for is no news when it is over. */
  #pass(): void {
    if (this.#phases.at(-1)?.isPassing === true) this.#detail('', false)
  }

  #tell(news: string): void {
    this.#news.push(shown(news))
    this.#host.refresh()
  }
}

const done = span('✓ ', { color: 'success' })
const failed = span('✗ ', { color: 'danger' })
const under = span('… ', { color: 'accent' })
