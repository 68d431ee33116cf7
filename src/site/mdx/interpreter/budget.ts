import type { SourceLocation } from '../problem.ts'
import { BudgetExceeded } from './values.ts'

/** What one page may ask of the interpreter. Lengths in UTF-16 units. */
export const budgets = {
  steps: 50_000,
  text: 200_000,
  list: 10_000,
  depth: 200,
  /** All texts together, so that many long ones cannot fill the memory. */
  allText: 20_000_000,
} as const

export class Budget {
  #steps = 0
  #depth = 0
  #produced = 0

  /** One evaluated node. */
  step(place: () => SourceLocation): void {
    if (++this.#steps > budgets.steps) {
      throw new BudgetExceeded(`The expressions of the page take more than ${budgets.steps} steps.`, place())
    }
  }

  /** A text of this length is about to be made. */
  text(length: number, place: () => SourceLocation): void {
    this.#produced += length
    if (length > budgets.text)
      throw new BudgetExceeded(`An expression makes a text of more than ${budgets.text} characters.`, place())
    if (this.#produced > budgets.allText) {
      throw new BudgetExceeded(
        `The expressions of the page make more than ${budgets.allText} characters of text.`,
        place(),
      )
    }
  }

  /** A list or object of this many members is about to be made. Each costs a step. */
  list(length: number, place: () => SourceLocation): void {
    this.#steps += length
    if (length > budgets.list)
      throw new BudgetExceeded(`An expression makes a list of more than ${budgets.list} members.`, place())
    this.step(place)
  }

  /** Runs a call one level deeper. */
  nested<T>(place: () => SourceLocation, run: () => T): T {
    if (this.#depth >= budgets.depth)
      throw new BudgetExceeded(`Calls and components are nested more than ${budgets.depth} deep.`, place())
    this.#depth++
    try {
      return run()
    } finally {
      this.#depth--
    }
  }
}
