import { EmulatedRegExp } from 'oniguruma-to-es'
import { defaultJavaScriptRegexConstructor } from 'shiki/engine/javascript'
import type { IOnigCaptureIndex, IOnigLib, IOnigMatch, OnigScanner } from 'shiki/textmate'
import { Line } from './line.ts'
import type { Needs } from './presence.ts'
import { compileNeeds, Presence } from './presence.ts'
import type { Translations } from './translations.ts'
import { openTranslations } from './translations.ts'

/** What a capture group holds that took no part in a match: Oniguruma’s “no position”. */
const NONE = 0xff_ff_ff_ff

/**
 * A pattern with its last search. Grammars use one pattern in many rules, so compiling it once and searching a line
 * once for all of them saves most of the work.
 */
interface Pattern {
  /** Position in the list of all patterns: names scanners without repeating their sources, which are large. */
  readonly id: number
  /** What a line must hold for a match. */
  readonly needs: Needs
  readonly construct: () => RegExp | null
  /**
   * Undefined until a line may match: most patterns of a grammar are never run. Null for a pattern that JavaScript
   * cannot express: its rule never matches.
   */
  regexp: RegExp | null | undefined
  /** False when a match depends on where the search began. */
  isCacheable: boolean
  /** Number of the line of the last search; 0 where the result holds for that search only. */
  line: number
  from: number
  index: number
  indices: RegExpIndicesArray | null
}

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
  const lineOf = (text: string): Line => new Line(text, presence)

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
            findNext(own, typeof line === 'string' ? lineOf(line) : (line as Line), from),
        }
        scanners.set(key, scanner)
      }
      return scanner
    },
  }
}

function open(source: string, id: number): Pattern {
  translations ??= openTranslations()
  const known = translations(source)
  const needs = known === undefined ? [] : compileNeeds(known.needs)
  const construct = known?.construct ?? (() => translate(source))
  return { id, needs, construct, regexp: undefined, isCacheable: false, line: 0, from: 0, index: -1, indices: null }
}

/** Compiles a pattern when the first line comes that it may match in. */
function regexpOf(pattern: Pattern): RegExp | null {
  if (pattern.regexp !== undefined) return pattern.regexp
  const regexp = pattern.construct()
  const emulated = regexp instanceof EmulatedRegExp && regexp.rawOptions.strategy != null
  pattern.isCacheable = regexp !== null && !regexp.sticky && !emulated
  pattern.regexp = regexp
  return regexp
}

let translations: Translations | undefined

/** What is not translated at build time: mostly ends of blocks that repeat words of their beginnings. */
function translate(source: string): RegExp | null {
  try {
    return defaultJavaScriptRegexConstructor(source)
  } catch {
    // A few patterns of rare grammars cannot be written in JavaScript: less colour.
    return null
  }
}

function findNext(patterns: readonly Pattern[], line: Line, from: number): IOnigMatch | null {
  let best = -1
  let bestIndex = 0
  let bestIndices: RegExpIndicesArray | null = null
  for (let position = 0; position < patterns.length; position++) {
    const pattern = patterns[position]
    if (pattern === undefined || pattern.regexp === null) continue
    if (!isFresh(pattern, line.id, from)) search(pattern, line, from)
    if (pattern.index === -1) continue
    if (pattern.index === from) return match(position, pattern.indices)
    if (best === -1 || pattern.index < bestIndex) {
      best = position
      bestIndex = pattern.index
      bestIndices = pattern.indices
    }
  }
  return best === -1 ? null : match(best, bestIndices)
}

/** The last search began no later on this line, and found nothing or something that still lies ahead. */
function isFresh(pattern: Pattern, id: number, from: number): boolean {
  if (pattern.line !== id || pattern.from > from) return false
  return pattern.index === -1 || pattern.index >= from
}

/** Runs the pattern only where the line holds what it needs; without that it matches nowhere in the line. */
function search(pattern: Pattern, line: Line, from: number): void {
  if (!line.mayMatch(pattern.needs)) {
    pattern.line = line.id
    pattern.from = 0
    pattern.index = -1
    return
  }
  const regexp = regexpOf(pattern)
  if (regexp === null) {
    pattern.index = -1
    return
  }
  regexp.lastIndex = from
  const found = regexp.exec(line.content)
  pattern.line = pattern.isCacheable ? line.id : 0
  pattern.from = from
  pattern.index = found === null ? -1 : found.index
  pattern.indices = found?.indices ?? null
}

function match(index: number, indices: RegExpIndicesArray | null): IOnigMatch {
  const captureIndices: IOnigCaptureIndex[] = []
  // Groups without a part in the match are undefined, whatever the type of the array says.
  for (const group of (indices ?? []) as ([number, number] | undefined)[]) {
    captureIndices.push(
      group === undefined
        ? { start: NONE, end: NONE, length: 0 }
        : { start: group[0], end: group[1], length: group[1] - group[0] },
    )
  }
  return { index, captureIndices }
}
