import type { PageSummary } from '../page.ts'
import type { NavItem, PagePosition } from '../shell.ts'
import { encodePath } from '../../lib/url-path.ts'
import { checkHref } from './href.ts'
import { limits } from '../../contract/limits.ts'
import type { Steps } from '../../lib/slices.ts'
import type { Problems } from './problems.ts'
import { pick } from './values.ts'

/** A page as navigation sees it. */
export interface SitePage {
  /** Source path: `guide/start.mdx`. */
  readonly path: string
  /** Decoded URL path: `/guide/start`. */
  readonly url: string
  readonly summary: PageSummary
  /** The folder of the version that brings it, when that comes from a tag. */
  readonly folder?: string
}

export interface PageIndex {
  /** By source path without ending (`guide/index`) or URL path without the first slash (`guide`). */
  find(reference: string): SitePage | undefined
}

export function* indexPages(pages: readonly SitePage[]): Steps<PageIndex> {
  const bySource = new Map<string, SitePage>()
  const byUrl = new Map<string, SitePage>()
  for (const page of pages) {
    yield
    bySource.set(withoutEnding(page.path), page)
    byUrl.set(page.url, page)
  }
  return { find: (reference) => bySource.get(reference) ?? byUrl.get(`/${reference}`) }
}

/** `guide/start.mdx` → `guide/start`. */
export function withoutEnding(path: string): string {
  return path.replace(/\.mdx?$/i, '')
}

/**
 * Reads a page’s name in navigation: `guide/start`, `/guide/start` and `guide/start.mdx` are the same. Refused is what
 * leads out of the project or holds control characters or backslashes.
 */
export function pageReference(text: string): { readonly page: string } | { readonly refused: string } {
  if (text.length > limits.pathBytes) return { refused: `it is longer than ${limits.pathBytes} characters` }
  if (/\p{Cc}/u.test(text)) return { refused: 'it holds a control character' }
  if (text.includes('\\')) return { refused: 'it holds a backslash; use /' }
  const page = withoutEnding(
    text
      .trim()
      .replace(/^(\.?\/)+/, '')
      .replace(/\/+$/, ''),
  )
  if (page.split('/').includes('..')) return { refused: 'it leads out of the project' }
  return { page: page === '' ? 'index' : page }
}

/** The navigation entry of a page; undefined for hidden ones. A front matter `url` makes it a link elsewhere. */
export function pageItem({ url, summary }: SitePage): NavItem | undefined {
  if (summary.hidden === true) return undefined
  const elsewhere = summary.url === undefined ? undefined : checkHref(summary.url)
  return {
    kind: 'page',
    title: summary.sidebarTitle ?? summary.title,
    href: elsewhere !== undefined && 'href' in elsewhere ? elsewhere.href : encodePath(url),
    ...pick('icon', summary.icon),
    ...pick('tag', summary.tag),
    ...(summary.deprecated === true ? { deprecated: true } : {}),
    ...pick('method', summary.method),
  }
}

/** Titles are shortened in messages. */
const longestTitle = 100

/**
 * Warns of pages that readers cannot tell apart: with the title of another one in the same group, or beside it. In
 * different groups the same words mean different things: many have an overview. What is in a tag stays as it is.
 */
export function* warnOfTitles(
  pages: readonly SitePage[],
  places: Readonly<Record<string, PagePosition>>,
  problems: Problems,
): Steps<void> {
  // A trail is one list for all pages below it.
  const byTrail = new Map<PagePosition['trail'], Map<string, SitePage>>()
  for (const page of pages) {
    yield
    const { url, path, summary, folder } = page
    const trail = places[url]?.trail
    if (trail === undefined || summary.url !== undefined || summary.hidden === true || folder !== undefined) continue
    const title = summary.title.replaceAll(/\s+/g, ' ').trim()
    const byTitle = byTrail.get(trail) ?? new Map<string, SitePage>()
    byTrail.set(trail, byTitle)
    const key = JSON.stringify([title, summary.tag])
    const other = byTitle.get(key)
    if (other === undefined) byTitle.set(key, page)
    else
      problems.found(() => ({
        path,
        rule: 'title-repeated',
        message: `The title “${title.slice(0, longestTitle)}” is that of ${other.path}, too, which stands beside this page.`,
      }))
  }
}
