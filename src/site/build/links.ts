import type { ErrorDetail } from '../../contract/common.ts'
import type { RuleName } from '../../contract/rules.ts'
import type { Steps } from '../../lib/slices.ts'
import type { SitePage } from '../config/pages.ts'
import { SiteRedirects } from '../config/redirects.ts'
import type { PageLink } from '../page.ts'
import type { Redirect } from '../../contract/release.ts'
import type { Changes, PageRecords } from './records.ts'
import { isUnseen, sitePages, type Plan } from './plan.ts'
import { decodePath, feedPath } from '../../lib/url-path.ts'
import { cleanPath, isOwn } from './served.ts'

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
  readonly #isUnknown: (path: string) => boolean
  readonly #verdicts = new Map<string, Verdict | null>()
  #folded: Map<string, string> | undefined

  private constructor(files: ReadonlySet<string>, redirects: SiteRedirects, isUnknown: (path: string) => boolean) {
    this.#files = files
    this.#redirects = redirects
    this.#isUnknown = isUnknown
  }

  /**
   * @param files URL paths of all files, Markdown sources among them.
   * @param isUnknown whether nobody can tell what a path is
   */
  static *of(
    pages: readonly SitePage[],
    files: ReadonlySet<string>,
    redirects: SiteRedirects,
    isUnknown: (path: string) => boolean = () => false,
  ): Steps<LinkTargets> {
    const targets = new LinkTargets(files, redirects, isUnknown)
    for (const { url, summary } of pages) {
      yield
      targets.#anchors.set(url, new Set(summary.anchors))
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
    if (this.#isUnknown(path)) return null
    const anchors = this.#anchorsAt(path) ?? this.#anchors.get(rawPath)
    if (anchors !== undefined) return judgeAnchor(`The link ${href} leads to a page that has`, rawAnchor, anchors)
    if (this.#files.has(path) || this.#files.has(rawPath) || isOwn(path)) return null
    if (this.#redirects.match(path) !== undefined) return this.#behind(href, path, rawAnchor)
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

  #anchorsAt(path: string): ReadonlySet<string> | typeof any | undefined {
    return this.#anchors.get(path) ?? this.#anchors.get(cleanPath(path))
  }

  /** What is wrong where redirects lead a link. */
  #behind(href: string, path: string, rawAnchor: string | undefined): Verdict | null {
    const isServed = (at: string): boolean =>
      this.#anchorsAt(at) !== undefined || this.#files.has(at) || isOwn(at) || this.#isUnknown(at)
    const end = this.#redirects.follow({ path, fragment: rawAnchor }, isServed)
    if (end === undefined || this.#isUnknown(end.path)) return null
    const anchors = this.#anchorsAt(end.path)
    // An anchor that the redirect itself names is its own.
    if (anchors !== undefined)
      return end.fragment === rawAnchor
        ? judgeAnchor(`The link ${href} is redirected to ${end.path}, which has`, rawAnchor, anchors)
        : null
    // Of a redirect without parameters it is told where it stands.
    if (isServed(end.path) || !end.hasParameters) return null
    return {
      rule: 'link-broken',
      message: `The link ${path} is redirected to ${end.path}, which leads nowhere.`,
      hint: 'Correct the path, or lead it elsewhere by a redirect of its own.',
    }
  }

  /** The path that differs only in case. */
  #similar(path: string): string | undefined {
    this.#folded ??= new Map([...this.#anchors.keys(), ...this.#files].map((known) => [known.toLowerCase(), known]))
    return this.#folded.get(path.toLowerCase())
  }
}

/** Warnings for the links of one page that lead nowhere. */
export function* checkLinks(page: SitePage, targets: LinkTargets): Steps<readonly ErrorDetail[]> {
  const found: ErrorDetail[] = []
  for (const link of page.summary.links) {
    yield
    if (!(link.href.startsWith('/') || link.href.startsWith('#')) || link.href.startsWith('//')) continue
    const verdict = targets.judge(link.href, link.kind, page.url)
    if (verdict === null) continue
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

function withoutSlashes(path: string): string {
  const clean = path.replaceAll(/\/{2,}/g, '/')
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean || '/'
}

/** @param what of the message, up to “no anchor” */
function judgeAnchor(what: string, raw: string | undefined, anchors: ReadonlySet<string> | typeof any): Verdict | null {
  return anchors === any || hasAnchor(anchors, raw)
    ? null
    : { rule: 'anchor-broken', message: `${what} no anchor #${anchorOf(raw)}.` }
}

/** A fragment without what is only for the browser. */
function anchorOf(raw = ''): string {
  return raw.replace(/:~:.*$/s, '')
}

/** Whether a fragment leads to one of a page’s anchors. */
export function hasAnchor(anchors: ReadonlySet<string>, raw?: string): boolean {
  const anchor = anchorOf(raw)
  // `#top` is the browser’s own.
  return anchor === '' || anchor === 'top' || anchors.has(anchor) || anchors.has(decodePath(anchor) ?? anchor)
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
  const files = new Set(plan.urls.owners.keys())
  for (const { url, summary } of pages) if (summary.updates === true) files.add(feedPath(url))
  const targets =
    kept?.review.targets ??
    (yield* LinkTargets.of(pages, files, yield* SiteRedirects.from(redirects), (path) => isUnseen(plan, path)))
  const changed = kept === undefined ? undefined : new Set(kept.changes.pages)
  const findings = new Map(kept?.review.findings)
  let found = 0
  for (const page of pages) {
    yield
    // Nobody mends a tag.
    if (page.folder !== undefined || (changed !== undefined && !changed.has(page.path))) continue
    const ofPage = yield* checkLinks(page, targets)
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
