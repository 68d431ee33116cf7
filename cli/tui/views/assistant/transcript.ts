import { failureOfProblem } from '#client/problem.ts'
import type { AssistantEvent, AssistantTurn } from '#contract/assistant.ts'
import type { FileDiff } from '#contract/comparisons.ts'
import { stepText, usageText } from '#cli/assistant/turn-view.ts'
import { chordOf, type Input } from '../../canvas/input.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Pane, Size } from '../../canvas/pane.ts'
import type { Line, Style } from '../../canvas/style.ts'
import { lineText, shown } from '../../canvas/width.ts'
import { changesOf } from '../../panes/diff.ts'
import { diffRows } from '../../panes/diff-rows.ts'
import { AnswerText } from './answer-text.ts'

type Step = Extract<AssistantEvent, { type: 'step' }>['step']

/** A part of the conversation, as lines of a width. */
type Part = (width: number) => readonly Line[]

/** Lines of the diff of a file that stand in the conversation. */
const diffLinesShown = 40

/** What was asked, done, answered and changed, from the top; it follows what comes in while its end is in sight. */
export class Transcript implements Pane {
  /** What stands there before anything was asked. */
  readonly #empty: readonly string[]
  #parts: Part[] = []
  readonly #steps = new Map<string, Step>()
  #answer: AnswerText | undefined
  #isAfterStep = false
  #lines: readonly Line[] = []
  #top = 0
  #height = 1
  #isAtEnd = true

  constructor(empty: readonly string[]) {
    this.#empty = empty
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0
  }

  clear(): void {
    this.#parts = []
    this.#steps.clear()
    this.#answer = undefined
    this.#isAtEnd = true
  }

  /** What the person says. */
  question(text: string): void {
    this.#answer = undefined
    this.#isAfterStep = false
    this.#isAtEnd = true
    if (this.#parts.length > 0) this.#parts.push(() => [[]])
    this.#parts.push(
      cached((width) =>
        text
          .split('\n')
          .flatMap((line) => wrapText(shown(line), width - 2))
          .map((line, index) => [span(index === 0 ? '› ' : '  ', { color: 'accent' }), span(line, { bold: true })]),
      ),
      () => [[]],
    )
  }

  text(text: string): void {
    if (this.#answer === undefined) {
      const answer = new AnswerText()
      this.#answer = answer
      if (this.#isAfterStep) this.#parts.push(() => [[]])
      this.#isAfterStep = false
      this.#parts.push((width) => answer.lines(width))
    }
    this.#answer.add(text)
  }

  /** A step that begins, or has ended. */
  step(step: Step): void {
    const isKnown = this.#steps.has(step.id)
    this.#steps.set(step.id, step)
    if (isKnown) return
    if (this.#answer?.isEmpty === false) this.#parts.push(() => [[]])
    // What is said next is said after it.
    this.#answer = undefined
    this.#isAfterStep = true
    this.#parts.push((width) => stepLines(this.#steps.get(step.id) ?? step, width))
  }

  /** How a turn ended. @param hint what can be done about its changes */
  outcome(turn: AssistantTurn, hint: string): void {
    this.#answer = undefined
    this.#parts.push(cached((width) => [[], ...outcomeLines(turn, hint, width)]))
  }

  /** A turn of before, as a whole. */
  turn(turn: AssistantTurn): void {
    this.question(turn.question)
    for (const step of turn.steps) this.step(step)
    if (turn.answer !== '') this.text(turn.answer)
    this.outcome(turn, '')
  }

  /** What a turn changed. */
  diff(files: readonly FileDiff[]): void {
    this.#parts.push(cached((width) => files.flatMap((file) => [[], ...diffLines(file, width, diffLinesShown)])))
  }

  remark(text: string, style: Style = { color: 'muted' }): void {
    this.#answer = undefined
    this.#parts.push(cached((width) => [[], ...wrapText(shown(text), width).map((line) => [span(line, style)])]))
  }

  draw({ width, height }: Size): readonly Line[] {
    this.#height = Math.max(1, height)
    this.#lines = this.isEmpty
      ? this.#empty.flatMap((text) => [...wrapText(text, width).map((line) => [span(line, { color: 'muted' })]), []])
      : this.#parts.flatMap((part) => part(width))
    this.#scroll(this.#isAtEnd ? Number.POSITIVE_INFINITY : 0)
    return this.#lines.slice(this.#top, this.#top + height)
  }

  input(input: Input): boolean {
    if (input.type === 'paste') return false
    const step = input.type === 'mouse' ? wheelSteps[input.mouse.action] : this.#distance(chordOf(input.key))
    if (step === undefined) return false
    this.#scroll(step)
    return true
  }

  spoken(): string {
    return this.#lines.slice(-5).map(lineText).join(' ').trim()
  }

  #distance(chord: string): number | undefined {
    const steps: Readonly<Record<string, number>> = {
      up: -1,
      down: 1,
      pageup: 1 - this.#height,
      pagedown: this.#height - 1,
      space: this.#height - 1,
      home: Number.NEGATIVE_INFINITY,
      end: Number.POSITIVE_INFINITY,
    }
    return steps[chord]
  }

  #scroll(step: number): void {
    const last = Math.max(0, this.#lines.length - this.#height)
    this.#top = Math.max(0, Math.min(this.#top + step, last))
    this.#isAtEnd = this.#top === last
  }
}

const wheelSteps: Readonly<Record<string, number | undefined>> = { wheelUp: -3, wheelDown: 3 }

/** Worked out once for a width: it changes no more. */
function cached(part: Part): Part {
  let ready: { readonly width: number; readonly lines: readonly Line[] } | undefined
  return (width) => {
    if (ready?.width !== width) ready = { width, lines: part(width) }
    return ready.lines
  }
}

function stepLines(step: Step, width: number): Line[] {
  const { outcome, detail } = step
  const mark =
    outcome === undefined
      ? span('… ', { color: 'accent' })
      : outcome === 'failed'
        ? span('✗ ', { color: 'danger' })
        : span('✓ ', { color: 'success' })
  const words = shown(stepText(step))
  const more = detail === undefined ? '' : `  ${shown(detail)}`
  const room = Math.max(0, width - 2 - words.length)
  return [
    [
      mark,
      span(words),
      span(more.length > room ? `${more.slice(0, Math.max(0, room - 1))}…` : more, { color: 'muted' }),
    ],
  ]
}

function outcomeLines(turn: AssistantTurn, hint: string, width: number): Line[] {
  const { status, commit, files, usage, problem, undone } = turn
  const line = (text: string, style?: Style): Line[] =>
    wrapText(shown(text), width).map((piece) => [span(piece, style)])
  const failure = problem === undefined ? undefined : failureOfProblem(problem)
  return [
    ...(status === 'cancelled' ? line('Broken off.', { color: 'warning' }) : []),
    ...(status === 'running' ? line('It is still at work: open the conversation again later.') : []),
    ...(failure === undefined
      ? []
      : [
          ...line(failure.message, { color: 'danger' }),
          ...line(failure.hint ?? '').filter(([piece]) => piece?.text !== ''),
        ]),
    ...(commit === undefined
      ? status === 'done'
        ? []
        : line('Nothing was changed.', { color: 'muted' })
      : undone === undefined
        ? line(`Saved ${commit.slice(0, 7)}: ${files.join(', ')}. ${hint}`, { color: 'success' })
        : line(`Saved, and taken back: ${files.join(', ')}.`, { color: 'warning' })),
    ...line(usageText(usage), { color: 'muted' }),
  ]
}

/** What a turn changed in a file, with the changed words marked. @param most lines; that there are more is said */
function diffLines(file: FileDiff, width: number, most: number): Line[] {
  const { added, deleted } = changesOf(file)
  const head: Line = [
    span(shown(file.path), { bold: true }),
    span(`  ${file.status}  `, { color: 'muted' }),
    span(`+${added}`, { color: 'added' }),
    span(' '),
    span(`−${deleted}`, { color: 'deleted' }),
  ]
  if (file.binary) return [head, remark('Its bytes differ.')]
  if (file.truncated) return [head, remark('It changed too much to be shown here.')]
  const rows = diffRows(file, 0, width)
  const lines = rows.slice(0, most).map(({ draw }) => draw())
  return rows.length <= most
    ? [head, ...lines]
    : [head, ...lines, remark(`… and ${rows.length - most} more lines: Ctrl-D shows all.`)]
}

function remark(text: string): Line {
  return [span(text, { color: 'muted' })]
}
