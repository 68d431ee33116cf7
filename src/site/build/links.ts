import type { ErrorDetail } from '../../contract/common.ts'
import { decodePath } from '../config/href.ts'
import type { SitePage } from '../config/pages.ts'
import type { SiteRedirects } from '../config/site-redirects.ts'
import type { PageLink } from '../page.ts'

/** Pages of API operations: their anchors (`#body-name`) come of the API description, which says more than we show. */
const ANY = Symbol('any anchor')

/** Everything that a link of the site can point at. */
export class LinkTargets {
  private readonly anchors = new Map<string, ReadonlySet<string> | typeof ANY>()
  private readonly files: ReadonlySet<string>
  private readonly redirects: SiteRedirects
  private readonly verdicts = new Map<string, string | null>()
  private folded: Map<string, string> | undefined

  /** @param files URL paths of all files, Markdown twins among them. */
  constructor(pages: readonly SitePage[], files: ReadonlySet<string>, redirects: SiteRedirects) {
    for (const { url, summary } of pages)
      this.anchors.set(url, summary.openapi === undefined ? new Set(summary.anchors) : ANY)
    this.files = files
    this.redirects = redirects
  }

  /** What is wrong with an internal href of the page at `url`; null when nothing is. Asked once for equal hrefs. */
  judge(href: string, kind: PageLink['kind'], url: string): string | null {
    const key = href.startsWith('#') ? `${url}${href}` : href
    const known = this.verdicts.get(key)
    if (known !== undefined) return known
    const verdict = this.look(key, kind)
    this.verdicts.set(key, verdict)
    return verdict
  }

  private look(href: string, kind: PageLink['kind']): string | null {
    const [, rawPath = '', rawAnchor] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(href) ?? []
    // Links come decoded; one that was written with an encoded percent sign is looked up as it stands.
    const path = withoutSlashes(decodePath(rawPath) ?? rawPath)
    const anchors = this.anchors.get(path) ?? this.anchors.get(cleanPath(path)) ?? this.anchors.get(rawPath)
    if (anchors === ANY) return null
    if (anchors !== undefined) return judgeAnchor(href, rawAnchor, anchors)
    if (this.files.has(path) || this.files.has(rawPath) || this.redirects.match(path) !== undefined) return null
    const similar = this.similar(path)
    const hint = similar === undefined ? '' : ` Did you mean ${similar}?`
    return kind === 'asset'
      ? `The project has no file for ${path}.${hint}`
      : `The link ${path} leads nowhere: no page, file or redirect has this path.${hint}`
  }

  /** The path that differs only in case. */
  private similar(path: string): string | undefined {
    this.folded ??= new Map([...this.anchors.keys(), ...this.files].map((known) => [known.toLowerCase(), known]))
    return this.folded.get(path.toLowerCase())
  }
}

/** Warnings for the links of one page that lead nowhere. */
export function checkLinks(page: SitePage, targets: LinkTargets): readonly ErrorDetail[] {
  const found: ErrorDetail[] = []
  for (const link of page.summary.links) {
    if (!(link.href.startsWith('/') || link.href.startsWith('#')) || link.href.startsWith('//')) continue
    const message = targets.judge(link.href, link.kind, page.url)
    if (message !== null) found.push({ path: link.path ?? page.path, line: link.line, column: link.column, message })
  }
  return found
}

/** As hosting answers: without the ending of a source or static file, without `index`. */
function cleanPath(path: string): string {
  return path.replace(/\.(mdx?|html)$/i, '').replace(/\/index$/, '') || '/'
}

function withoutSlashes(path: string): string {
  const clean = path.replaceAll(/\/{2,}/g, '/')
  return clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean || '/'
}

function judgeAnchor(href: string, raw: string | undefined, anchors: ReadonlySet<string>): string | null {
  // `#top` and text fragments are the browser’s own.
  if (raw === undefined || raw === '' || raw === 'top' || raw.startsWith(':~:')) return null
  const anchor = raw.replace(/:~:.*$/s, '')
  if (anchors.has(anchor) || anchors.has(decodePath(anchor) ?? anchor)) return null
  return `The link ${href} leads to a page that has no anchor #${anchor}.`
}
