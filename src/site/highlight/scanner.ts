import { defaultJavaScriptRegexConstructor } from 'shiki/engine/javascript'
import type { IOnigCaptureIndex, IOnigLib, IOnigMatch, OnigScanner, OnigString } from 'shiki/textmate'

/** What a capture group holds that took no part in a match: Oniguruma’s “no position”. */
const NONE = 0xff_ff_ff_ff

/**
 * A compiled pattern with its last search. Grammars use one pattern in many rules, so compiling it once and searching
 * a line once for all of them saves most of the work.
 */
interface Pattern {
  /** Position in the list of all patterns: names scanners without repeating their sources, which are large. */
  readonly id: number
  /** Null for a pattern that JavaScript cannot express: its rule never matches. */
  readonly regexp: RegExp | null
  /** False when a match depends on where the search began. */
  readonly cacheable: boolean
  line: number
  from: number
  index: number
  indices: RegExpIndicesArray | null
}

interface Line extends OnigString {
  readonly id: number
}

/**
 * TextMate’s scanners on JavaScript’s own regular expressions. Scanners and patterns are shared by all grammars: no
 * scanner keeps state that a result could depend on.
 */
export function createScanners(): IOnigLib {
  const patterns = new Map<string, Pattern>()
  const scanners = new Map<string, OnigScanner>()
  let lines = 0

  const compiled = (source: string): Pattern => {
    let pattern = patterns.get(source)
    if (pattern === undefined) {
      pattern = compile(source, patterns.size)
      patterns.set(source, pattern)
    }
    return pattern
  }

  return {
    createOnigString: (content): OnigString => ({ content: narrow(content), id: ++lines }) as Line,
    createOnigScanner: (sources) => {
      // The type allows precompiled grammars; ours are all text.
      const own = sources.map((source) => compiled(typeof source === 'string' ? source : source.source))
      const key = own.map((pattern) => pattern.id).join()
      let scanner = scanners.get(key)
      if (scanner === undefined) {
        scanner = { findNextMatchSync: (line, from) => findNext(own, line, from) }
        scanners.set(key, scanner)
      }
      return scanner
    },
  }
}

/**
 * The same text, one byte a character where that is possible. V8 compiles a regular expression once for each width of
 * text, and a line cut from a page with a single wide character is wide, too: half of the time and of the memory of
 * cold highlighting went there.
 */
function narrow(text: string): string {
  return latin1.test(text) ? Buffer.from(text, 'latin1').toString('latin1') : text
}

// eslint-disable-next-line no-control-regex -- the range is all of Latin-1
const latin1 = /^[\0-\xFF]*$/

function compile(source: string, id: number): Pattern {
  const pattern = { id, regexp: null, cacheable: false, line: 0, from: 0, index: -1, indices: null }
  try {
    const regexp = defaultJavaScriptRegexConstructor(source)
    const emulated = (regexp as { rawOptions?: { strategy?: unknown } }).rawOptions?.strategy !== undefined
    return { ...pattern, regexp, cacheable: !regexp.sticky && !emulated }
  } catch {
    // A few patterns of rare grammars cannot be written in JavaScript: less colour.
    return pattern
  }
}

function findNext(patterns: readonly Pattern[], line: string | OnigString, from: number): IOnigMatch | null {
  const text = typeof line === 'string' ? line : line.content
  const id = typeof line === 'string' ? 0 : (line as Line).id
  let best = -1
  let bestIndex = 0
  let bestIndices: RegExpIndicesArray | null = null
  for (let position = 0; position < patterns.length; position++) {
    const pattern = patterns[position]
    if (pattern === undefined || pattern.regexp === null) continue
    if (!fresh(pattern, id, from)) search(pattern, pattern.regexp, { text, id, from })
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
function fresh(pattern: Pattern, id: number, from: number): boolean {
  if (!pattern.cacheable || id === 0 || pattern.line !== id || pattern.from > from) return false
  return pattern.index === -1 || pattern.index >= from
}

function search(pattern: Pattern, regexp: RegExp, at: { text: string; id: number; from: number }): void {
  regexp.lastIndex = at.from
  const found = regexp.exec(at.text)
  pattern.line = at.id
  pattern.from = at.from
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
