import type { ErrorDetail } from '../../contract/common.ts'
import type { Classified } from './classify.ts'

/** URL path of a page’s Markdown: `/guide/start` → `/guide/start.md`, `/` → `/index.md`. */
export function twinOf(url: string): string {
  return url === '/' ? '/index.md' : `${url}.md`
}

/** Who has which URL path. */
export interface UrlPlan {
  /** Source path by URL path: pages, their Markdown twins and assets. */
  readonly owners: ReadonlyMap<string, string>
  /** README files that are index pages, under their own name: `/guide/README` → `/guide`. */
  readonly aliases: readonly (readonly [from: string, to: string])[]
  /** Two sources for one path. */
  readonly errors: readonly ErrorDetail[]
}

/** Gives every page and asset its path; clashes are errors that name both sources. */
export function planUrls({ pages, assets }: Classified): UrlPlan {
  const owners = new Map<string, string>()
  const errors: ErrorDetail[] = []
  const claim = (url: string, path: string) => {
    const owner = owners.get(url)
    if (owner === undefined) owners.set(url, path)
    else errors.push({ path, message: `${path} and ${owner} would both be at ${url}: rename or remove one of them.` })
  }
  for (const { path, url } of pages) claim(url, path)
  for (const { path, url } of assets) claim(url, path)
  for (const { path, url } of pages) if (owners.get(url) === path) claim(twinOf(url), path)
  return { owners, aliases: aliasesOf(pages, owners), errors }
}

function aliasesOf(pages: Classified['pages'], owners: ReadonlyMap<string, string>): (readonly [string, string])[] {
  return pages.flatMap(({ path, url }) => {
    const source = `/${path.replace(/\.mdx?$/i, '')}`
    return source === url || !/\/readme$/i.test(source) || owners.has(source) ? [] : [[source, url] as const]
  })
}
