import type { ErrorDetail } from '../../contract/common.ts'
import type { RuleName } from '../../contract/rules.ts'
import type { Steps } from '../../lib/slices.ts'
import { decodePath } from '../config/href.ts'
import type { SitePage } from '../config/pages.ts'
import { SiteRedirects } from '../config/redirects.ts'
import type { PageLink } from '../page.ts'
import type { Redirect } from '../../contract/release.ts'
import type { Changes, PageRecords } from './records.ts'
import { isUnseen, sitePages, type Plan } from './plan.ts'
import { generated } from './routes.ts'

/** Findings after which no further page is looked at: the first thousand are reported. */
const maxFindings = 20_000

/** Pages of API operations: their anchors (`#body-name`) come of the API description, which says more than we show. */
const any = Symbol('any anchor')

/** What is wrong with a link. */
type Verdict = Pick<ErrorDetail, 'message' | 'hint'> & { readonly rule: RuleName }

/** Everything that a link of the site can point at. */
export class LinkTargets {
  readonly #anchors = new Map<string, ReadonlySet<string> | typeof any>()
  readonly #files: ReadonlySet<string>
  readonly #redirects: SiteRedirects
  readonly #verdicts = new Map<string, Verdict | null>()
  #folded: Map<string, string> | undefined

  private constructor(files: ReadonlySet<string>, redirects: SiteRedirects) {
    this.#files = files
    this.#redirects = redirects
  }

  /** @param files URL paths of all files, Markdown sources among them. */
  static *of(pages: readonly SitePage[], files: ReadonlySet<string>, redirects: SiteRedirects): Steps<LinkTargets> {
    const targets = new LinkTargets(files, redirects)
    for (const { url, summary } of pages) {
      yield
      targets.#anchors.set(url, summary.openapi === undefined ? new Set(summary.anchors) : any)
    }
    return targets
  }

  /** What is wrong with an internal href of the page at `url`; null when nothing is. Asked once for equal hrefs. */
  judge(href: string, kind: PageLink['kind'], url: string): Verdict | null {
    const key = href.startsWith('#') ? `${url}${href}` : href
    const known = this.#verdicts.get(key)
    if (known !== undefined) return known
    const verdict = this.#look(key, kind)
    this.#verdicts.set(key, verdict)
    return verdict
  }

  #look(href: string, kind: PageLink['kind']): Verdict | null {
    const { path, rawPath, rawAnchor } = partsOf(href)
    const anchors = this.#anchors.get(path) ?? this.#anchors.get(cleanPath(path)) ?? this.#anchors.get(rawPath)
    if (anchors === any) return null
    if (anchors !== undefined) return judgeAnchor(href, rawAnchor, anchors)
    if (this.#files.has(path) || this.#files.has(rawPath) || this.#redirects.match(path) !== undefined) return null
    const similar = this.#similar(path)
    const question = similar === undefined ? '' : ` Did you mean ${similar}?`
    const hint = similar === undefined ? {} : { hint: `Write ${similar}.` }
    return kind === 'asset'
      ? { rule: 'file-missing', message: `The project has no file for ${path}.${question}`, ...hint }
      : {
          rule: 'link-broken',
          message: `The link ${path} leads nowhere: no page, file or redirect has this path.${question}`,
          ...hint,
        }
  }

  /** The path that differs only in case. */
  #similar(path: string): string | undefined {
    this.#folded ??= new Map([...this.#anchors.keys(), ...this.#files].map((known) => [known.toLowerCase(), known]))
    return this.#folded.get(path.toLowerCase())
  }
}

/** Warnings for the links of one page that lead nowhere. @param isUnknown whether nobody can tell what a path is */
export function* checkLinks(
  page: SitePage,
  targets: LinkTargets,
  isUnknown: (path: string) => boolean = () => false,
): Steps<readonly ErrorDetail[]> {
  const found: ErrorDetail[] = []
  for (const link of page.summary.links) {
    yield
    if (!(link.href.startsWith('/') || link.href.startsWith('#')) || link.href.startsWith('//')) continue
    const verdict = targets.judge(link.href, link.kind, page.url)
    if (verdict === null || isUnknown(partsOf(link.href).path)) continue
    found.push({ path: link.path ?? page.path, line: link.line, column: link.column, ...verdict })
  }
  return found
}

/** Links come decoded; one that was written with an encoded percent sign is looked up as it stands. */
function partsOf(href: string): { readonly path: string; readonly rawPath: string; readonly rawAnchor?: string } {
  const [, rawPath = '', rawAnchor] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(href) ?? []
  const path = withoutSlashes(decodePath(rawPath) ?? rawPath)
  return { path, rawPath, ...(rawAnchor === undefined ? {} : { rawAnchor }) }
}

/** Paths at which the page may be that an internal link means. */
export function pathsMeant(href: string): readonly string[] {
  const { path, rawPath } = partsOf(href)
  return [path, cleanPath(path), rawPath]
}

/** As hosting answers: without the ending of a source or static file, without `index`. */
function cleanPath(path: string): string {
  return path.replace(/\.(mdx?|html)$/i, '').replace(/\/index$/, '') || '/'
}

function withoutSlashes(path: string): string {
  const clean = path.replaceAll(/\/{2,}/g, '/')
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean || '/'
}

function judgeAnchor(href: string, raw: string | undefined, anchors: ReadonlySet<string>): Verdict | null {
  // `#top` and text fragments are the browser’s own.
  if (raw === undefined || raw === '' || raw === 'top' || raw.startsWith(':~:')) return null
  const anchor = raw.replace(/:~:.*$/s, '')
  if (anchors.has(anchor) || anchors.has(decodePath(anchor) ?? anchor)) return null
  return { rule: 'anchor-broken', message: `The link ${href} leads to a page that has no anchor #${anchor}.` }
}

/** Links that lead nowhere, by source path of their page, and what they were looked up in. */
export interface LinkReview {
  readonly targets: LinkTargets
  readonly redirects: readonly Redirect[]
  readonly findings: ReadonlyMap<string, readonly ErrorDetail[]>
  /** False when there were so many findings that the other pages were not looked at. */
  readonly isWhole: boolean
}

interface ReviewInput {
  readonly plan: Plan
  readonly records: PageRecords
  readonly redirects: readonly Redirect[]
}

/**
 * Checks all pages, or, while paths, redirects and anchors are those of the last review, only the changed ones.
 * @param last The review of a build with the same plan, and what has changed since.
 */
export function* reviewLinks(
  { plan, records, redirects }: ReviewInput,
  last: { readonly review: LinkReview; readonly changes: Changes } | undefined,
): Steps<LinkReview> {
  const kept =
    last?.review.isWhole === true && !last.changes.anchors && sameRedirects(last.review.redirects, redirects)
      ? last
      : undefined
  if (kept !== undefined && kept.changes.pages.length === 0) return kept.review
  const pages = yield* sitePages(plan, records)
  const files = new Set([...plan.urls.owners.keys(), ...generated.keys()])
  const targets = kept?.review.targets ?? (yield* LinkTargets.of(pages, files, yield* SiteRedirects.from(redirects)))
  const changed = kept === undefined ? undefined : new Set(kept.changes.pages)
  const findings = new Map(kept?.review.findings)
  let found = 0
  for (const page of pages) {
    yield
    // Nobody mends a tag.
    if (page.folder !== undefined || (changed !== undefined && !changed.has(page.path))) continue
    const ofPage = yield* checkLinks(page, targets, (path) => isUnseen(plan, path))
    if (ofPage.length > 0) findings.set(page.path, ofPage)
    else findings.delete(page.path)
    found += ofPage.length
    if (found > maxFindings) return { targets, redirects, findings, isWhole: false }
  }
  return { targets, redirects, findings, isWhole: true }
}

function sameRedirects(one: readonly Redirect[], other: readonly Redirect[]): boolean {
  if (one === other) return true
  return (
    one.length === other.length &&
    one.every(({ from, to, status }, index) => {
      const against = other[index]
      return from === against?.from && to === against.to && status === against.status
    })
  )
}
