/** @jsxImportSource #html */
import { createHash } from 'node:crypto'
import type { DocumentContext } from '#contract/release.ts'
import { raw, type Child, type Html } from '#lib/html.ts'
import type { PageArtifact } from '../../page.ts'
import type { Translation } from '../../counterparts.ts'
import type { Reach } from '../../integrations.ts'
import type { PagePosition, Shell } from '../../shell.ts'
import { askWords } from '../words/ask.ts'
import { diagramWords } from '../words/diagram.ts'
import { islandWords } from '../words/islands.ts'
import { playgroundWords } from '../words/playground.ts'
import { wordsIn } from '../words/words.ts'
import { firstWords, metatags, structuredData, type About } from './about.tsx'
import { themeColor } from './colors.ts'
import { isExternal, markdownHref, safeHref } from './link.tsx'
import { updatesLink } from './updates.tsx'

/**
 * Runs before the first paint: a page never flashes in the wrong colours, nor a banner that was closed. It stands in the head, so nothing of the page
 * exists yet that could shadow `document.documentElement`. One constant for all sites: what differs is in attributes.
 */
const headScript =
  "(()=>{const r=document.documentElement;r.classList.add('js');let t=r.getAttribute('data-appearance');" +
  "try{const s=localStorage,b=s.getItem('q-banner');if(b&&b===r.getAttribute('data-q-banner'))r.classList.add('q-closed');" +
  "if(!r.hasAttribute('data-strict'))t=s.getItem('q-theme')||t}catch{t=t||'system'}" +
  "if(t!=='light'&&t!=='dark')t=matchMedia('(prefers-color-scheme:dark)').matches?'dark':'light';" +
  "r.setAttribute('data-theme',t)})()"

/** The part of the head that all pages of a site share. */
export function siteHead(shell: Shell, style: string): Html {
  const color = themeColor(shell.colors)
  return (
    <>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <script>{raw(headScript)}</script>
      {shell.look?.fonts?.preload.map((href) => (
        <link rel="preload" as="font" crossorigin href={safeHref(href)} />
      ))}
      <link rel="stylesheet" href={safeHref(shell.assets.css)} />
      {/* After the style sheet: the site's colours are read by its rules, not written over them. */}
      {style !== '' && <style>{raw(style)}</style>}
      {shell.own?.styles.map((href) => (
        <link rel="stylesheet" href={safeHref(href)} />
      ))}
      <Script source={shell.assets.script} />
      {shell.own?.scripts.map((href) => (
        <script defer src={safeHref(href)} />
      ))}
      <Favicon icons={shell.favicon} />
      {color !== null && <meta name="theme-color" content={color} />}
      <meta name="generator" content="Quire" />
    </>
  )
}

interface Addresses {
  /** When the page was last changed, in seconds since 1970. */
  readonly updated: number | undefined
  /** Encoded path that search engines are to keep; null for a document without an address: 404. */
  readonly canonical: string | null
  readonly translations: readonly Translation[]
  /** Path of the page; null for a document without an address. */
  readonly path: string | null
  readonly lang: string
  readonly position: PagePosition | undefined
  /** Path of its card, on the live site. */
  readonly card: string | undefined
  /** It is shown to few, and not as it will be found. */
  readonly isPreview: boolean
}

/** The part of the head that is a page's own. */
export function pageHead(shell: Shell, artifact: PageArtifact, addresses: Addresses): Html {
  const title =
    artifact.title === '' || artifact.title === shell.name ? shell.name : `${artifact.title} - ${shell.name}`
  const description = artifact.description ?? firstWords(artifact.html) ?? shell.description
  const hasOrigin = isExternal(shell.url)
  const own = shell.canonical ?? (hasOrigin ? shell.url : undefined)
  const canonical = canonicalOf(artifact, addresses, own)
  const [first, ...others] =
    hasOrigin && artifact.noindex !== true && shell.noindex !== true ? addresses.translations : []
  const { keywords = [], features } = artifact
  const isHidden = artifact.noindex === true || shell.noindex === true || addresses.canonical === null
  const about: About = {
    shell,
    artifact,
    description,
    url: canonical,
    isHome: addresses.canonical === '/',
    ...addresses,
    card: addresses.card === undefined || !hasOrigin ? undefined : shell.url + addresses.card,
  }
  return (
    <>
      <title>{title}</title>
      {description !== undefined && <meta name="description" content={description} />}
      {canonical !== null && <link rel="canonical" href={canonical} />}
      {first !== undefined && others.length > 0 && (
        <>
          {[first, ...others].map(({ lang, href }) => (
            <link rel="alternate" hreflang={lang} href={shell.url + href} />
          ))}
          <link rel="alternate" hreflang="x-default" href={shell.url + first.href} />
        </>
      )}
      {addresses.path !== null && <link rel="alternate" type="text/markdown" href={markdownHref(addresses.path)} />}
      {updatesLink(artifact, addresses.path)}
      {addresses.path !== null && metatags(about)}
      {!isHidden && !addresses.isPreview && structuredData(about)}
      {keywords.length > 0 && <meta name="keywords" content={keywords.join(', ')} />}
      {isHidden && <meta name="robots" content="noindex" />}
      {features.map((feature) => (
        <Feature
          source={featureSource(shell, feature)}
          words={feature === 'mermaid' ? diagramLabels(addresses.lang) : undefined}
          playground={feature === 'playground' ? JSON.stringify(wordsIn(playgroundWords, addresses.lang)) : undefined}
        />
      ))}
      {islandsScript(shell, artifact, addresses.lang)}
    </>
  )
}

/** The address that search engines are to keep: the author’s, or that of the page. @param own where the site is found */
function canonicalOf(
  { canonical }: PageArtifact,
  addresses: Pick<Addresses, 'canonical'>,
  own: string | undefined,
): string | null {
  if (canonical !== undefined && isExternal(canonical)) return safeHref(canonical)
  if (addresses.canonical === null || own === undefined) return null
  return own + (canonical ?? addresses.canonical)
}

/** The script that runs components of the page when they come into view, and is told where they are. */
function islandsScript(shell: Shell, { islands = [] }: PageArtifact, lang: string): Child {
  if (islands.length === 0) return null
  const sources = JSON.stringify(islands.map(({ id, src }) => [id, src]))
  const { failed } = wordsIn(islandWords, lang)
  return <Script source={featureSource(shell, 'islands')} data-islands={sources} data-failed={failed} />
}

/** The script with which a preview shows newer saves by itself; it is told which release its page is of. */
export function previewScript(shell: Shell, release: string | undefined): Child {
  return release !== undefined && <Script source={featureSource(shell, 'preview')} data-release={release} />
}

/** The script that makes the button of the answer box, on the live site only: a preview answers nobody. */
export function askScript(shell: Shell, { preview }: DocumentContext, lang: string): Child {
  if (shell.ask === undefined || preview !== undefined) return null
  const words = JSON.stringify(wordsIn(askWords, lang))
  return <Script source={featureSource(shell, 'ask')} data-ask={words} />
}

/** The script that reports views and searches, on the live site only, and on pages of the release. */
export function analyticsScript(shell: Shell, { preview, source }: DocumentContext): Child {
  if (shell.analytics !== true || preview !== undefined || source === undefined) return null
  return <Script source={featureSource(shell, 'analytics')} />
}

/** The script that starts services of others, on the live site only, and on pages of the release. */
export function integrationsScript(shell: Shell, context: DocumentContext): Child {
  if (!hasIntegrations(shell, context)) return null
  return <Script source={featureSource(shell, 'integrations')} data-integrations={JSON.stringify(shell.integrations)} />
}

/** Whether a document starts services of others: its policy then names their hosts. */
export function hasIntegrations({ integrations }: Shell, { preview, source }: DocumentContext): boolean {
  return integrations !== undefined && preview === undefined && source !== undefined
}

/** Where feed readers find what is new. @param changelog path of the changelog on the site */
export function feedLinks(name: string, changelog: string): Html {
  const title = `${name} changelog`
  return (
    <>
      <link rel="alternate" type="application/rss+xml" title={title} href={safeHref(`${changelog}/rss.xml`)} />
      <link rel="alternate" type="application/atom+xml" title={title} href={safeHref(`${changelog}/atom.xml`)} />
      <link rel="alternate" type="application/feed+json" title={title} href={safeHref(`${changelog}/feed.json`)} />
    </>
  )
}

/** In the order of `mermaid/zoom.ts`. */
function diagramLabels(lang: string): string {
  const { zoomIn, zoomOut, resetView } = wordsIn(diagramWords, lang)
  return [zoomIn, zoomOut, resetView].join('|')
}

function featureSource(shell: Shell, feature: string): string | undefined {
  return Object.hasOwn(shell.assets.features, feature) ? shell.assets.features[feature] : undefined
}

/** A script, or a style sheet: that stands before the one of all pages, whose last parts are for the author’s own classes and for paper. */
interface FeatureProps {
  readonly source: string | undefined
  /** What it says, where that is not told otherwise. */
  readonly words?: string | undefined
  /** The same of the playground. */
  readonly playground?: string | undefined
}

export function Feature({ source, words, playground }: FeatureProps): Child {
  if (source?.endsWith('.css') !== true)
    return <Script source={source} data-diagram={words} data-playground={playground} />
  return <link rel="stylesheet" href={safeHref(source)} />
}

interface ScriptAttributes {
  readonly source: string | undefined
  readonly 'data-release'?: string
  readonly 'data-dashboard'?: string
  readonly 'data-ask'?: string
  readonly 'data-diagram'?: string | undefined
  readonly 'data-integrations'?: string
  readonly 'data-islands'?: string
  readonly 'data-failed'?: string
  readonly 'data-playground'?: string | undefined
}

function Script({ source, ...more }: ScriptAttributes): Child {
  return source !== undefined && <script type="module" src={safeHref(source)} {...more} />
}

function Favicon({ icons }: { readonly icons: Shell['favicon'] }): Html {
  // Browsers ask for /favicon.ico by themselves, and complain where there is none.
  if (icons === undefined) return <link rel="icon" href="data:," />
  if (icons.light === icons.dark) return <link rel="icon" href={safeHref(icons.light)} />
  return (
    <>
      <link rel="icon" href={safeHref(icons.light)} media="(prefers-color-scheme: light)" />
      <link rel="icon" href={safeHref(icons.dark)} media="(prefers-color-scheme: dark)" />
    </>
  )
}

/** The script of the page beside the text in the editor; it is told whom it takes orders of. */
export function liveScript(assets: Shell['assets'], dashboard: string): Child {
  return <Script source={assets.features['live']} data-dashboard={dashboard} />
}

/**
 * Content-Security-Policy of a site's pages. The inline script and the site's colours are allowed by their hashes; style
 * attributes are allowed because content may carry them (checked by the sanitiser), style elements are not.
 *
 * @param framers sources of those who may show the page in a frame
 * @param reach hosts of services that the site reports to, and of servers that readers of the page may ask
 */
export function contentSecurityPolicy(style: string, framers: readonly string[], reach?: Reach): string {
  return [
    "default-src 'self'",
    ['script-src', "'self'", hash(headScript), ...(reach?.scripts ?? [])].join(' '),
    ...(reach === undefined ? [] : [['connect-src', "'self'", ...reach.connects].join(' ')]),
    `style-src 'self'${style === '' ? '' : ` ${hash(style)}`}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' https: data:",
    "media-src 'self' https:",
    "font-src 'self' data:",
    "frame-src https: 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    `frame-ancestors ${framers.join(' ')}`,
  ].join('; ')
}

/** A CSP source for inline text (CSP Level 3, hash-source). */
function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}
