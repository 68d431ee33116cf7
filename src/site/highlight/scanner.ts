import type { IOnigCaptureIndex, IOnigLib, IOnigMatch, OnigScanner } from 'shiki/textmate'
import type { Needs } from './line.ts'
import { compileNeeds, ScannedLine, Presence } from './line.ts'
import type { Expression, Translation, Translations } from './translations.ts'
import { openTranslations, translate } from './translations.ts'

/**
 * TextMate’s scanners on JavaScript’s own regular expressions. Scanners and patterns are shared by all grammars: no
 * scanner keeps state that a result could depend on.
 */
export function createScanners(): IOnigLib {
  const patterns = new Map<string, Pattern>()
  const scanners = new Map<string, OnigScanner>()
  const presence = new Presence()

  const known = (source: string): Pattern => {
    let pattern = patterns.get(source)
    if (pattern === undefined) {
      pattern = open(source, patterns.size)
      patterns.set(source, pattern)
    }
    return pattern
  }
  const lineOf = (text: string): ScannedLine => new ScannedLine(text, presence)

  return {
    createOnigString: lineOf,
    createOnigScanner: (sources) => {
      // The type allows precompiled grammars; ours are all text.
      const own = sources.map((source) => known(typeof source === 'string' ? source : source.source))
      const key = own.map((pattern) => pattern.id).join()
      let scanner = scanners.get(key)
      if (scanner === undefined) {
        scanner = {
          findNextMatchSync: (line, from) =>
            findNext(own, typeof line === 'string' ? lineOf(line) : (line as ScannedLine), from),
        }
        scanners.set(key, scanner)
      }
      return scanner
    },
  }
}

let translations: Translations | undefined

/** What is not translated at build time is now: mostly ends of blocks that repeat words of their beginnings. */
function open(source: string, id: number): Pattern {
  translations ??= openTranslations()
  return new Pattern(id, translations(source) ?? { needs: [], wide: () => translate(source) })
}

function findNext(patterns: readonly Pattern[], line: ScannedLine, from: number): IOnigMatch | null {
  let best = -1
  let bestIndex = 0
  let bestPattern: Pattern | undefined
  for (let position = 0; position < patterns.length; position++) {
    const pattern = patterns[position]
    if (pattern === undefined) continue
    const index = pattern.find(line, from)
    if (index === -1) continue
    if (bestPattern !== undefined && index >= bestIndex) continue
    best = position
    bestIndex = index
    bestPattern = pattern
    if (index === from) break
  }
  return bestPattern === undefined ? null : { index: best, captureIndices: bestPattern.captures() }
}

/** What a capture group holds that took no part in a match: Oniguruma’s “no position”. */
const noMatch = 0xff_ff_ff_ff
const outside: IOnigCaptureIndex = { start: noMatch, end: noMatch, length: 0 }

/**
 * A pattern with its last search. Grammars use one pattern in many rules, so compiling it once and searching a line
 * once for all of them saves most of the work.
 */
class Pattern {
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
  find(line: ScannedLine, from: number): number {
    if (!this.#isFresh(line.id, from)) this.#search(line, from)
    return this.#index
  }

  /** What the last search found: the match, then its groups. */
  captures(): IOnigCaptureIndex[] {
    const index = this.#index
    const end = this.#end
    const indices = this.#indices
    const captures: IOnigCaptureIndex[] = [{ start: index, end, length: end - index }]
    if (indices === null) return captures
    const groups = this.#found?.groups
    for (let group = 1; group < indices.length; group++) {
      const number = groups?.[group - 1] ?? group
      if (number === 0) continue
      // Nobody asks for the groups that the expression left out.
      while (captures.length < number) captures.push(outside)
      const [start, stop] = indices[group] ?? [noMatch, noMatch]
      captures[number] = { start, end: stop, length: stop - start }
    }
    return captures
  }

  /** The last search began no later on this line, and found nothing or something that still lies ahead. */
  #isFresh(line: number, from: number): boolean {
    if (this.#line !== line || this.#from > from) return false
    return this.#index === -1 || this.#index >= from
  }

  /** Runs the expression only where the line holds what it needs; without that it matches nowhere in the line. */
  #search(line: ScannedLine, from: number): void {
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
  #expressionFor(line: ScannedLine): Expression | null {
    const { narrow } = this.#translation
    if (line.isNarrow && narrow !== undefined) return (this.#narrow ??= narrow())
    if (this.#wide === undefined) this.#wide = this.#translation.wide()
    return this.#wide
  }
}
