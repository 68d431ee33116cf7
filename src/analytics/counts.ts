import { analyticsLimits, type Helpful } from '../contract/analytics.ts'

/** Of a page: views, and answers to whether it was helpful. */
type PageCounts = readonly [views: number, yes: number, no: number]
/** Of a search term: searches, and those among them that found nothing. */
type TermCounts = readonly [searches: number, withoutResults: number]

/** Sums of a day, in memory while its stream is open. */
export interface DaySums {
  readonly views: number
  readonly searches: number
  readonly withoutResults: number
  readonly helpful: Helpful
}

/** The rest of a day as it is stored. Lists and not objects: terms are anybody's words, `__proto__` too. */
export interface StoredDay {
  readonly pages: readonly (readonly [path: string, ...PageCounts])[]
  readonly terms: readonly (readonly [term: string, ...TermCounts])[]
}

/** What was counted on a day, or of several days together. */
export class Counts {
  readonly pages = new Map<string, PageCounts>()
  readonly terms = new Map<string, TermCounts>()
  /** Searches, also those whose term is not kept. */
  searches = 0
  withoutResults = 0

  /** Entries in memory. */
  get size(): number {
    return this.pages.size + this.terms.size
  }

  page(path: string, [views, yes, no]: PageCounts, most: number = analyticsLimits.pagesOfDay): void {
    const before = this.pages.get(path)
    if (before === undefined && this.pages.size >= most) return
    const [v = 0, y = 0, n = 0] = before ?? []
    this.pages.set(path, [v + views, y + yes, n + no])
  }

  term(term: string, [searches, withoutResults]: TermCounts, most: number = analyticsLimits.termsOfDay): void {
    const before = this.terms.get(term)
    if (before === undefined && this.terms.size >= most) return
    const [s = 0, w = 0] = before ?? []
    this.terms.set(term, [s + searches, w + withoutResults])
  }

  /** Adds what was counted elsewhere. @param most of pages and of terms; absent: as many as a day has */
  add({ pages, terms, searches, withoutResults }: Counts, most?: number): void {
    for (const [path, counts] of pages) this.page(path, counts, most)
    for (const [term, counts] of terms) this.term(term, counts, most)
    this.searches += searches
    this.withoutResults += withoutResults
  }

  sums(): DaySums {
    let [views, yes, no] = [0, 0, 0]
    for (const [v, y, n] of this.pages.values()) [views, yes, no] = [views + v, yes + y, no + n]
    return { views, searches: this.searches, withoutResults: this.withoutResults, helpful: { yes, no } }
  }

  stored(): StoredDay {
    return {
      pages: [...this.pages].map(([path, counts]) => [path, ...counts] as const),
      terms: [...this.terms].map(([term, counts]) => [term, ...counts] as const),
    }
  }

  static of(stored: StoredDay | undefined, sums: DaySums | undefined): Counts {
    const counts = new Counts()
    for (const [path, ...of] of stored?.pages ?? []) counts.pages.set(path, of)
    for (const [term, ...of] of stored?.terms ?? []) counts.terms.set(term, of)
    counts.searches = sums?.searches ?? 0
    counts.withoutResults = sums?.withoutResults ?? 0
    return counts
  }
}
