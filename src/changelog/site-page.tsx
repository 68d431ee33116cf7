/** @jsxImportSource #html */
import type { ReadEntry } from '../contract/changelog.ts'
import type { Html } from '../lib/html.ts'
import type { PageArtifact } from '../site/page.ts'
import { fillText } from '../site/theme/words/words.ts'
import {
  AllEntries,
  anchorOf,
  Article,
  Entries,
  nameOf,
  wordsOf,
  type ChangelogSource,
  type ListPage,
} from './entries-view.tsx'

/** Where a changelog is on the hosts of its site, unless the site has something of its own there. */
export const changelogPath = '/changelog'
/** Its feeds there, below it. */
export const feedPaths = { rss: '/rss.xml', atom: '/atom.xml', json: '/feed.json' } as const

/** The changelog of a site as pages of it, whose links stay on the host that they are read at. */
export interface SiteChangelogSource extends Omit<ChangelogSource, 'pageUrl'> {
  /** URL path of the style sheet of entries. */
  readonly style: string
}

export function listArtifact(source: SiteChangelogSource, page: ListPage): PageArtifact {
  const words = wordsOf(source)
  const heading = page.tag === undefined ? words.changelog : `${words.changelog}: ${page.tag}`
  const number = fillText(words.page, { number: String(page.number) })
  return {
    title: page.number > 1 ? `${heading}, ${number}` : heading,
    description: words.lead,
    ...bodyOf(source, page.entries, <Entries source={{ ...source, pageUrl: changelogPath }} page={page} />),
    headings: page.entries.map((entry) => ({ id: anchorOf(entry), level: 2, text: nameOf(entry) })),
  }
}

export function entryArtifact(source: SiteChangelogSource, entry: ReadEntry): PageArtifact {
  const here = { ...source, pageUrl: changelogPath }
  const body = (
    <>
      <Article source={here} entry={entry} heading="none" />
      <AllEntries source={here} />
    </>
  )
  return { title: entry.title, ...bodyOf(source, [entry], body), headings: [] }
}

function bodyOf(
  { style, siteUrl }: SiteChangelogSource,
  entries: readonly { readonly url: string }[],
  children: Html,
): Pick<PageArtifact, 'html' | 'features'> {
  const { html: written } = (
    <>
      <link rel="stylesheet" href={style} />
      <div class="log-site">{children}</div>
    </>
  )
  const html = onSite(written, new Set([siteUrl, ...entries.map(({ url }) => new URL(url).origin)]))
  return { html, features: featuresOf(html) }
}

/** Addresses of the site as paths of it, which get its base path, and stay on the host that they are read at. */
function onSite(html: string, origins: ReadonlySet<string>): string {
  // Quotes are escaped in text and in values.
  return html.replaceAll(/(\s(?:href|src|poster|cite|srcset)=")([^"]+)/g, (_, start: string, value: string) => {
    const own = [...origins].find((origin) => value.startsWith(`${origin}/`))
    return start + (own === undefined ? value : value.slice(own.length).replaceAll(`, ${own}/`, ', /'))
  })
}

/** By what their scripts look for: entries are kept as HTML alone. */
function featuresOf(html: string): PageArtifact['features'] {
  const marks = {
    mermaid: /q-mermaid/,
    tabs: /q-tabs/,
    code: /<pre/,
    extras: /class="q-(?:mermaid|tree|update|swatch|prompt|tabs-line)|q-card-typed|q-repository/,
  }
  return (['mermaid', 'tabs', 'code', 'extras'] as const).filter((feature) => marks[feature].test(html))
}
