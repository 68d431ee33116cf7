import type { Output } from '../output.ts'
import type { Spent } from './model.ts'
import { dollars } from './prices.ts'

const barWidth = 16

/** What a run shows while it goes on: one redrawn line on a terminal, a line a page elsewhere. */
export class Progress {
  readonly #output: Output
  readonly #spent: () => Spent
  #done = 0
  #total = 0
  #what = ''

  constructor(output: Output, spent: () => Spent) {
    this.#output = output
    this.#spent = spent
  }

  /** @param total pages to be made. */
  begin(total: number): void {
    this.#total = total
  }

  /** @param what a page's path, or what is done instead. */
  start(what: string): void {
    this.#what = what
    this.text(0)
  }

  /** @param tokens of the answer so far. */
  text(tokens: number): void {
    const { inputTokens, outputTokens, costUsd } = this.#spent()
    const counter = this.#total === 0 ? '' : `${this.#bar()} ${Math.min(this.#done + 1, this.#total)}/${this.#total}  `
    const figures = `${thousands(inputTokens + outputTokens + tokens)} tokens${costUsd === undefined ? '' : `  ${dollars(costUsd)}`}`
    const width = (process.stderr.columns ?? 80) - counter.length - figures.length - 4
    this.#output.redraw(`${counter}${shortened(this.#what, Math.max(8, width))}  ${figures}`)
  }

  /** @param result of a page, in a few words. */
  end(result: string): void {
    this.#done += 1
    const { inputTokens, outputTokens, costUsd } = this.#spent()
    const figures = `${thousands(inputTokens + outputTokens)} tokens${costUsd === undefined ? '' : `, ${dollars(costUsd)}`} so far`
    this.#output.note(`${this.#done}/${this.#total}  ${result}  ${this.#output.paint('dim', figures)}`)
  }

  #bar(): string {
    const full = this.#total === 0 ? 0 : Math.round((this.#done / this.#total) * barWidth)
    return '█'.repeat(full) + '░'.repeat(barWidth - full)
  }
}

export function thousands(number: number): string {
  return number.toLocaleString('en-US')
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(text.length - width + 1)}`
}
