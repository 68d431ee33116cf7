import type { ErrorDetail } from '../../contract/common.ts'
import type { PageRecord, Redirect, Release } from '../../contract/release.ts'
import type { Steps } from '../../lib/slices.ts'
import { SiteRedirects } from '../config/redirects.ts'
import type { Plan } from './plan.ts'
import { type PageRecords, summaryOf } from './records.ts'

/** What readers have now. */
export type LiveSite = Pick<Release, 'routes' | 'pages'>

/** Pages that went and came, each; of more only those of the same content are found. */
const maxCompared = 100
/** Addresses that went; what is beyond is not looked at. */
const maxGone = 2_000
/** Pages of one folder from which on a single redirect is proposed for all. */
const leastForFolder = 3
/** Of the headings of two pages together, how many must be in both: with the same title, and without it. */
const likely = { sameTitle: 0.4, otherTitle: 0.8 }
/** Fewer headings say little of a page. */
const leastHeadings = 3

interface Page {
  readonly url: string
  readonly record: PageRecord
}

interface Rename {
  readonly from: string
  readonly to: string
}

interface RenamesInput {
  readonly live: LiveSite
  readonly plan: Plan
  readonly records: PageRecords
  readonly redirects: readonly Redirect[]
  /** Whether the project has a docs.json, where redirects stand. */
  readonly configured: boolean
}

/**
 * Warns of pages that were renamed and whose old address leads nowhere now, with the redirects to add. A page is the
 * same when its source is, or else when title and headings are nearly.
 */
export function* reviewRenames({ live, plan, records, redirects, configured }: RenamesInput): Steps<ErrorDetail[]> {
  const gone = yield* goneFrom(live, plan, redirects)
  if (gone.length === 0) return []
  const added: Page[] = []
  for (const { path, url } of plan.pages) {
    yield
    const record = records[path]
    if (record !== undefined && live.routes[url]?.kind !== 'page') added.push({ url, record })
  }
  const path = configured ? { path: 'docs.json' } : {}
  return proposals(yield* matched(gone, added)).map((message) => ({ ...path, rule: 'page-renamed', message }))
}

/** Pages that the live site has at addresses which nothing answers any more. */
function* goneFrom(live: LiveSite, plan: Plan, redirects: readonly Redirect[]): Steps<Page[]> {
  const gone: Page[] = []
  let table: SiteRedirects | undefined
  for (const url in live.routes) {
    yield
    const route = live.routes[url]
    if (route?.kind !== 'page' || plan.urls.owners.has(url)) continue
    table ??= yield* SiteRedirects.from(redirects)
    const record = live.pages[url.slice(1) + (route.ending ?? '.mdx')]
    if (record === undefined || table.match(url) !== undefined) continue
    gone.push({ url, record })
    if (gone.length === maxGone) break
  }
  return gone
}

function* matched(gone: readonly Page[], added: readonly Page[]): Steps<Rename[]> {
  const bySource = new Map<string, Page>()
  for (const page of added) {
    yield
    bySource.set(page.record.oid, page)
  }
  const renames: Rename[] = []
  const left: Page[] = []
  for (const page of gone) {
    yield
    const same = bySource.get(page.record.oid)
    if (same === undefined) left.push(page)
    else renames.push({ from: page.url, to: same.url })
  }
  const taken = new Set(renames.map(({ to }) => to))
  const free = added.filter(({ url }) => !taken.has(url))
  if (left.length > maxCompared || free.length > maxCompared) return renames
  for (const page of left) {
    const found: Page[] = []
    for (const other of free) {
      yield
      if (isLike(page, other)) found.push(other)
    }
    // Of two that are as like it nobody knows which.
    const [only] = found
    if (only !== undefined && found.length === 1) renames.push({ from: page.url, to: only.url })
  }
  return renames
}

function isLike(one: Page, other: Page): boolean {
  const [a, b] = [summaryOf(one.record), summaryOf(other.record)]
  const headings = new Set(a.anchors)
  const common = new Set(b.anchors.filter((anchor) => headings.has(anchor))).size
  const all = headings.size + new Set(b.anchors).size - common
  if (all < leastHeadings) return a.title === b.title && nameOf(one.url) === nameOf(other.url)
  return common / all >= (a.title === b.title ? likely.sameTitle : likely.otherTitle)
}

const nameOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

/** A sentence for each redirect to add; one for all pages of a folder that moved as a whole. */
function proposals(renames: readonly Rename[]): string[] {
  const folders = new Map<string, Rename[]>()
  for (const rename of renames) {
    const key = JSON.stringify(folderOf(rename))
    const list = folders.get(key)
    if (list === undefined) folders.set(key, [rename])
    else list.push(rename)
  }
  return [...folders].flatMap(([key, list]) => {
    const folder = JSON.parse(key) as Rename
    if (list.length < leastForFolder || folder.from === '') return list.map(sentence)
    const [first] = list
    return [
      `${list.length} pages of ${folder.from} are at ${folder.to} now, such as ${first?.to}, and their old addresses lead nowhere. Add to redirects: ${entry({ from: `${folder.from}/:page*`, to: `${folder.to}/:page*` })}`,
    ]
  })
}

/** What is different of two paths, in front of what is the same; empty for a page of another name. */
function folderOf({ from, to }: Rename): Rename {
  const [one, other] = [from.split('/'), to.split('/')]
  let same = 0
  while (same < Math.min(one.length, other.length) - 1 && one.at(-1 - same) === other.at(-1 - same)) same += 1
  if (same === 0) return { from: '', to: from }
  return { from: one.slice(0, -same).join('/'), to: other.slice(0, -same).join('/') }
}

function sentence(rename: Rename): string {
  return `The page ${rename.from} is at ${rename.to} now, and its old address leads nowhere. Add to redirects: ${entry(rename)}`
}

function entry({ from, to }: Rename): string {
  return `{ "source": ${JSON.stringify(from)}, "destination": ${JSON.stringify(to)} }`
}
