/** @jsxImportSource #html */
import { raw, type Child, type Html } from '#lib/html.ts'
import { decode } from '../../markdown/text.ts'
import type { Metatag } from '../../metatags.ts'
import type { PageArtifact } from '../../page.ts'
import type { PagePosition, Shell } from '../../shell.ts'
import { isExternal } from './link.tsx'

/** What a page says of itself to programs: search engines, and whoever shows a link to it. */
export interface About {
  readonly shell: Shell
  readonly artifact: PageArtifact
  readonly description: string | undefined
  /** Its URL; null where it has none, or shall not be found. */
  readonly url: string | null
  readonly isHome: boolean
  readonly lang: string
  readonly position: PagePosition | undefined
  /** When it was last changed, in seconds since 1970. */
  readonly updated: number | undefined
  /** URL of its card. */
  readonly card: string | undefined
}

/** HTML at the beginning of a page that is looked through for its first paragraph. */
const lookedThrough = 20_000
/** Of a description, in characters: what search engines show. */
const longestDescription = 160

/** The first paragraph, cut at a word: what a page without a description is about. */
export function firstWords(html: string): string | undefined {
  const start = html.indexOf('<p>')
  const end = html.indexOf('</p>', start)
  if (start === -1 || end === -1 || end > lookedThrough) return undefined
  const words = decode(html.slice(start, end).replaceAll(/<[^>]*>/g, ''))
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (words.length <= longestDescription) return words === '' ? undefined : words
  const cut = words.lastIndexOf(' ', longestDescription - 1)
  return `${words.slice(0, cut < longestDescription / 2 ? longestDescription - 1 : cut).toWellFormed()}…`
}

/** Tags of the head, a name once: the author’s of the page come before those of the site, and both before ours. */
export function metatags(about: About): Html {
  const { shell, artifact, description, url, isHome, lang, updated, card } = about
  const title = artifact.title === '' ? shell.name : artifact.title
  const tags = new Map<string, string>([
    ['og:site_name', shell.name],
    ['og:type', isHome ? 'website' : 'article'],
    ['og:title', title],
    ...some('og:description', description),
    ...some('og:url', url),
    ['og:locale', localeOf(lang)],
    ...some('article:modified_time', isHome ? undefined : timeOf(updated)),
    ...(card === undefined ? [] : pictureTags(card, title)),
    ...(shell.metatags ?? []),
    ...(artifact.metatags ?? []),
  ])
  const hasPicture = tags.has('og:image') || tags.has('twitter:image')
  if (!tags.has('twitter:card')) tags.set('twitter:card', hasPicture ? 'summary_large_image' : 'summary')
  return (
    <>
      {[...tags].map(([name, content]) =>
        /^(?:og|article|book|profile|fb|al):/.test(name) ? (
          <meta property={name} content={absolute(shell, name, content)} />
        ) : (
          <meta name={name} content={absolute(shell, name, content)} />
        ),
      )}
    </>
  )
}

/**
 * The page in the words of schema.org, and the way to it. No script: browsers run nothing of this type, so the policy has
 * nothing to allow.
 */
export function structuredData({
  shell,
  artifact,
  description,
  url,
  isHome,
  lang,
  position,
  updated,
  card,
}: About): Child {
  if (url === null) return null
  const home = { '@type': 'WebSite', name: shell.name, url: `${shell.url}/` }
  const steps = isHome ? [] : (position?.trail ?? []).flatMap((step) => (typeof step === 'string' ? [] : [step]))
  const trail = [
    { name: shell.name, item: `${shell.url}/` },
    ...steps.map(({ title, href }) => ({ name: title, item: isExternal(href) ? href : shell.url + href })),
    { name: artifact.title, item: url },
  ].filter(({ item }, index, all) => index === all.length - 1 || item !== url)
  const inLanguage = lang
  const publisher = publisherOf(shell)
  const article = {
    '@type': 'TechArticle',
    headline: artifact.title,
    description,
    url,
    dateModified: timeOf(updated),
    image: card,
    inLanguage,
    isPartOf: home,
    publisher,
  }
  const itemListElement = trail.map((step, index) => ({ '@type': 'ListItem', position: index + 1, ...step }))
  const graph = isHome
    ? { ...home, description, inLanguage, publisher }
    : { '@graph': [article, { '@type': 'BreadcrumbList', itemListElement }] }
  // What would end the element, or hide its end from the parser, begins with it.
  const json = JSON.stringify({ '@context': 'https://schema.org', ...graph }).replaceAll('<', '\\u003c')
  return <script type="application/ld+json">{raw(json)}</script>
}

/** The organisation that docs.json names; a logo of the site is named with its address. */
function publisherOf({ organization, url, name }: Shell): Readonly<Record<string, unknown>> | undefined {
  if (organization === undefined) return undefined
  const { logo, ...rest } = organization
  const address = typeof logo === 'string' && logo.startsWith('/') ? url + logo : logo
  return { '@type': 'Organization', name, ...rest, ...(address === undefined ? {} : { logo: address }) }
}

const pictureTags = (url: string, title: string): Metatag[] => [
  ['og:image', url],
  ['og:image:width', '1200'],
  ['og:image:height', '630'],
  ['og:image:alt', title],
]

const some = (name: string, content: string | null | undefined): Metatag[] =>
  content === undefined || content === null ? [] : [[name, content]]

const timeOf = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : new Date(seconds * 1000).toISOString()

/** Few languages, many pages. */
const locales = new Map<string, string>()

/** `de` → `de_DE`: Open Graph names a language with the place where most people speak it. */
function localeOf(lang: string): string {
  let locale = locales.get(lang)
  if (locale === undefined) {
    const { language, region } = new Intl.Locale(lang).maximize()
    locale = region === undefined ? language : `${language}_${region}`
    locales.set(lang, locale)
  }
  return locale
}

/** Pictures are loaded by others, who need to know where the site is. */
function absolute(shell: Shell, name: string, content: string): string {
  const isSitePath = /^(?:og|twitter):image(?::|$)/.test(name) && /^\/(?!\/)/.test(content) && isExternal(shell.url)
  return isSitePath ? shell.url + content : content
}
