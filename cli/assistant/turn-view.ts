import { failureOfProblem } from '../../src/client/problem.ts'
import type { AssistantEvent, AssistantTurn } from '../../src/contract/assistant.ts'
import type { Branch } from '../../src/contract/branches.ts'
import { count, type Output } from '../output.ts'
import { Prose } from './prose.ts'

type Step = Extract<AssistantEvent, { type: 'step' }>['step']

const shownFiles = 5

/** Shows a turn while it goes on: text as the result, steps beside it. */
export class TurnView {
  readonly #output: Output
  readonly #prose: Prose
  #hasText = false
  #lastWasStep = false

  constructor(output: Output) {
    this.#output = output
    this.#prose = new Prose(output)
    if (!output.json) output.redraw('thinking …')
  }

  show(event: AssistantEvent): void {
    if (this.#output.json) return
    if (event.type === 'delta') this.#text(event.text)
    if (event.type === 'step') this.#step(event.step)
  }

  /** What came of it. */
  finish(turn: AssistantTurn, branch: Pick<Branch, 'name' | 'previewUrl'>): void {
    if (this.#output.json) return
    // It may have broken off, or gone on unseen.
    if (!this.#hasText && turn.answer !== '') this.#text(turn.answer)
    this.settle()
    const lines = outcomeOf(turn, branch, this.#output)
    if (lines.length > 0) this.#output.note(['', ...lines].join('\n'))
    if (turn.problem !== undefined) this.#output.fail(failureOfProblem(turn.problem))
  }

  settle(): void {
    this.#prose.settle()
  }

  /** Between text and steps, where one sees both. */
  #space(): void {
    if (this.#output.environment.columns !== undefined) this.#output.note('')
  }

  #text(text: string): void {
    const shown = this.#hasText && !this.#lastWasStep ? text : text.replace(/^\s+/, '')
    if (shown === '') return
    if (this.#lastWasStep) this.#space()
    this.#hasText = true
    this.#lastWasStep = false
    this.#prose.add(shown)
  }

  #step(step: Step): void {
    const { outcome, detail } = step
    this.#prose.settle()
    const line = stepText(step)
    if (outcome === undefined) {
      this.#output.redraw(`  ${line} …`)
      return
    }
    if (this.#hasText && !this.#lastWasStep) this.#space()
    this.#lastWasStep = true
    const { columns = Infinity } = this.#output.environment
    const shown = cut(line, columns - 3)
    const more = detail === undefined ? '' : cut(`  ${oneLine(detail)}`, columns - 3 - shown.length)
    const what = outcome === 'failed' ? this.#output.paint('red', shown) : shown
    this.#output.note(`  ${what}${this.#output.paint('dim', more)}`)
  }
}

/** `read guides/start.mdx` of `read_file`. */
export function stepText({ tool, about }: Pick<Step, 'tool' | 'about'>): string {
  const words = tool.split('_')
  return about === '' ? words.join(' ') : `${words[0] ?? ''} ${oneLine(about)}`
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function outcomeOf(turn: AssistantTurn, { name, previewUrl }: Pick<Branch, 'name' | 'previewUrl'>, output: Output) {
  const { status, commit, files, usage } = turn
  const lines: string[] = []
  if (status === 'cancelled') lines.push(`${output.paint('yellow', 'cancelled')}  ${untouched(commit, name)}`)
  if (status === 'failed') lines.push(`${output.paint('red', 'failed')}  ${untouched(commit, name)}`)
  if (status === 'running') lines.push(`It is still at work; quire assistant ${name} --continue shows its answer.`)
  if (commit !== undefined) {
    const rest = files.length > shownFiles ? ` and ${files.length - shownFiles} more` : ''
    const saved = output.paint('green', 'saved')
    lines.push(`${saved} ${commit.slice(0, 7)}  ${files.slice(0, shownFiles).join(', ')}${rest}`, previewUrl)
  }
  lines.push(output.paint('dim', usageText(usage)))
  return lines
}

function untouched(commit: string | undefined, name: string): string {
  return commit === undefined ? `Nothing was changed on ${name}.` : ''
}

/** `1,204 tokens read, 96 written, $0.0051`. */
export function usageText({ inputTokens, outputTokens, costUsd, estimated }: AssistantTurn['usage']): string {
  const about = estimated === true ? 'about ' : ''
  const cost = costUsd === undefined ? '' : `, $${costUsd.toFixed(costUsd < 0.1 ? 4 : 2)}`
  return `${about}${count(inputTokens, 'token').replace(/^\d+/, inputTokens.toLocaleString('en'))} read, ${outputTokens.toLocaleString('en')} written${cost}`
}
