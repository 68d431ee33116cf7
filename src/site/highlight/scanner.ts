import type { IOnigLib, IOnigMatch, OnigScanner } from 'shiki/textmate'
import { translate } from './expression.ts'
import { Line } from './line.ts'
import { Pattern } from './pattern.ts'
import { Presence } from './presence.ts'
import type { Translations } from './translations.ts'
import { openTranslations } from './translations.ts'

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

let translations: Translations | undefined

/** What is not translated at build time is now: mostly ends of blocks that repeat words of their beginnings. */
function open(source: string, id: number): Pattern {
  translations ??= openTranslations()
  return new Pattern(id, translations(source) ?? { needs: [], wide: () => translate(source) })
}

function findNext(patterns: readonly Pattern[], line: Line, from: number): IOnigMatch | null {
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
