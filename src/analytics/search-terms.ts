import { LRUCache } from 'lru-cache'
import { analyticsLimits } from '../contract/analytics.ts'

/** Projects of which it is known what was asked once, terms of each, and for how long. */
const mostProjects = 1000
const mostTerms = 200
const longestMs = 7 * 24 * 60 * 60 * 1000

/** Longer words are no words: keys, tokens, hashes. */
const longestWord = 40
/** Numbers of telephones and cards have as many digits. */
const mostDigits = 8

interface Asked {
  times: number
  withoutResults: number
}

/**
 * A search as it is counted: lower case, one space between words. Null for what may be about a person or open a door,
 * and for what nobody reads as a term.
 */
export function termOf(query: string): string | null {
  const term = query
    .slice(0, 4 * analyticsLimits.term)
    .toWellFormed()
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  const length = Array.from(term).length
  if (length < 2 || length > analyticsLimits.term || query.length > 4 * analyticsLimits.term) return null
  if (/\S@\S/.test(term) || term.replaceAll(/\D+/g, '').length > mostDigits) return null
  return term.split(' ').some((word) => word.length > longestWord) ? null : term
}

/**
 * What was asked once is in memory alone, and forgotten: it may be what a reader pasted by mistake. A term is counted from
 * the second time on, then with the first.
 */
export class SearchTerms {
  readonly #projects = new LRUCache<string, LRUCache<string, Asked>>({ max: mostProjects })

  /** How many searches of the term are to be counted now. */
  take(projectId: string, term: string, isFound: boolean): readonly [searches: number, withoutResults: number] {
    let terms = this.#projects.get(projectId)
    if (terms === undefined) {
      terms = new LRUCache({ max: mostTerms, ttl: longestMs })
      this.#projects.set(projectId, terms)
    }
    const withoutResults = isFound ? 0 : 1
    const before = terms.get(term)
    if (before === undefined) {
      terms.set(term, { times: 1, withoutResults })
      return [0, 0]
    }
    before.times += 1
    return before.times === 2 ? [2, before.withoutResults + withoutResults] : [1, withoutResults]
  }

  forget(projectId: string): void {
    this.#projects.delete(projectId)
  }
}
