import type { PageSummary } from '../page.ts'
import { summaryOf, type PageRecords } from './page-records.ts'

/** What of the pages’ summaries differs from the build before. */
export interface Changes {
  /** Source paths of pages whose record is new. */
  readonly pages: readonly string[]
  /** Titles, icons … as navigation shows them. */
  readonly navigation: boolean
  /** What sitemap and llms.txt say. */
  readonly listing: boolean
  /** Ids that links may point at. */
  readonly anchors: boolean
}

/** Compares the records of two builds with the same pages: by identity, and only where that differs by content. */
export function compareRecords(before: PageRecords, after: PageRecords): Changes {
  const pages: string[] = []
  let navigation = false
  let listing = false
  let anchors = false
  for (const path in after) {
    const then = before[path]
    const now = after[path]
    if (now === undefined || now === then) continue
    pages.push(path)
    const one = then === undefined ? undefined : summaryOf(then)
    const other = summaryOf(now)
    navigation ||= one === undefined || !equal(navigationPart(one), navigationPart(other))
    listing ||= one === undefined || !equal(listingPart(one), listingPart(other))
    anchors ||= one === undefined || !equal(one.anchors, other.anchors)
  }
  return { pages, navigation, listing, anchors }
}

type Part = readonly (string | boolean | undefined)[]

function navigationPart({ title, sidebarTitle, icon, tag, hidden, noindex, url }: PageSummary): Part {
  return [title, sidebarTitle, icon, tag, hidden, noindex, url]
}

function listingPart({ title, description, hidden, noindex }: PageSummary): Part {
  return [title, description, hidden, noindex]
}

function equal(one: Part, other: Part): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}
