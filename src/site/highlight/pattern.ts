import type { IOnigCaptureIndex } from 'shiki/textmate'
import type { Expression } from './expression.ts'
import type { Line } from './line.ts'
import type { Needs } from './presence.ts'
import { compileNeeds } from './presence.ts'
import type { Translation } from './translations.ts'

/** What a capture group holds that took no part in a match: Oniguruma’s “no position”. */
const noMatch = 0xff_ff_ff_ff

/**
 * A pattern with its last search. Grammars use one pattern in many rules, so compiling it once and searching a line
 * once for all of them saves most of the work.
 */
export class Pattern {
  /** Position in the list of all patterns: names scanners without repeating their sources, which are large. */
  readonly id: number
  /** What a line must hold for a match. */
  readonly #needs: Needs
  readonly #translation: Translation
  /**
   * Undefined until a line may match: most patterns of a grammar are never run. Null for a pattern that JavaScript
   * cannot express: its rule never matches.
   */
  #wide: Expression | null | undefined
  #narrow: Expression | undefined
  /** Number of the line of the last search; 0 where the result holds for that search only. */
  #line = 0
  #from = 0
  #index = -1
  #end = -1
  #found: Expression | null = null
  #indices: RegExpIndicesArray | null = null

  constructor(id: number, translation: Translation) {
    this.id = id
    this.#translation = translation
    this.#needs = compileNeeds(translation.needs)
  }

  /** Where the first match from a position on begins; -1 for none. */
  find(line: Line, from: number): number {
    if (!this.#isFresh(line.id, from)) this.#search(line, from)
    return this.#index
  }

  /** What the last search found: the match, then its groups. */
  captures(): IOnigCaptureIndex[] {
    const index = this.#index
    const end = this.#end
    const indices = this.#indices
    const hidden = this.#found?.hidden ?? []
    const captures: IOnigCaptureIndex[] = [{ start: index, end, length: end - index }]
    if (indices === null) return captures
    for (let group = 1; group < indices.length; group++) {
      if (hidden.includes(group)) continue
      const [start, stop] = indices[group] ?? [noMatch, noMatch]
      captures.push({ start, end: stop, length: stop - start })
    }
    return captures
  }

  /** The last search began no later on this line, and found nothing or something that still lies ahead. */
  #isFresh(line: number, from: number): boolean {
    if (this.#line !== line || this.#from > from) return false
    return this.#index === -1 || this.#index >= from
  }

  /** Runs the expression only where the line holds what it needs; without that it matches nowhere in the line. */
  #search(line: Line, from: number): void {
    const expression = line.mayMatch(this.#needs) ? this.#expressionFor(line) : null
    if (expression === null) {
      this.#line = line.id
      this.#from = 0
      this.#index = -1
      return
    }
    const { regexp } = expression
    regexp.lastIndex = from
    const match = regexp.exec(line.content)
    this.#line = expression.dependsOnStart ? 0 : line.id
    this.#from = from
    this.#found = expression
    this.#index = match === null ? -1 : match.index
    this.#end = regexp.lastIndex
    this.#indices = match?.indices ?? null
  }

  /** Compiles the expression when the first line comes that it may match in. */
  #expressionFor(line: Line): Expression | null {
    const { narrow } = this.#translation
    if (line.isNarrow && narrow !== undefined) return (this.#narrow ??= narrow())
    if (this.#wide === undefined) this.#wide = this.#translation.wide()
    return this.#wide
  }
}
