/** @jsxImportSource #html */
import type { DocumentContext, Composer, Document, OpenShell } from '../../contract/release.ts'
import { Counterparts, type Translation } from '../counterparts.ts'
import { reachOf } from '../integrations.ts'
import { isLoopback } from '../servers.ts'
import { htmlBelow, withBase } from '../../lib/base-path.ts'
import { encodePath } from '../../lib/url-path.ts'
import type { Html } from '../../lib/html.ts'
import type { PageArtifact } from '../page.ts'
import { defaultColour, type PagePosition, type Shell, type ThemeAssets } from '../shell.ts'
import { decodeShell } from '../stored-shell.ts'
import { scopesOf } from '../search/scopes.ts'
import { ContentsRail, renderArticle, renderContents } from './document/article.tsx'
import { renderFeed } from './document/feed.ts'
import { renderFeedback } from './document/feedback.tsx'
import { renderFooter, renderNotFound } from './document/chrome.tsx'
import { cardOf, cardPath } from './document/card.ts'
import { siteStyle } from './document/look.ts'
import { renderPageFoot, renderPageMenu } from './document/page-actions.tsx'
import { renderPreviewMark, renderTranslationOffer, renderVersionNotice } from './document/notices.tsx'
import {
  analyticsScript,
  askScript,
  contentSecurityPolicy,
  Feature,
  feedLinks,
  hasIntegrations,
  integrationsScript,
  liveScript,
  pageHead,
  previewScript,
  siteHead,
} from './document/head.tsx'
import { createSection, rootOf, type SectionParts } from './document/section.ts'
import { renderUpdates } from './document/updates.tsx'

/** Parts that are the same in all documents are made once. */
const charset = <meta charset="utf-8" />

export interface ComposerOptions {
  /** Origin of the dashboard, which may show pages in frames, as the site itself may. */
  readonly dashboard: string
  /** Somebody draws cards. */
  readonly hasCards: boolean
  /**
   * Pages are shown to who writes them alone: nobody is told of views, and they may ask servers of that machine, as those of
   * an API in the making.
   */
  readonly isLocal?: boolean
  /** The theme of today; shells name the one that they were built with. */
  readonly assets: ThemeAssets
}

/**
 * Composes documents of shells and artifacts. Pure: no clock, no files. What a section's pages share is made when the
 * first of them is asked for, so a page costs little more than joining strings.
 */
export function createComposer(options: ComposerOptions): Composer {
  return {
    *open(bytes) {
      const shell = yield* decodeShell(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
      const { integrations: _, analytics: __, ...untold } = shell
      return openShell(options.isLocal === true ? untold : shell, options)
    },
    live: () => composeLive(plainShell(options.assets), options),
  }
}

/** Of a site that has nothing yet. */
function plainShell(assets: ThemeAssets): Shell {
  return {
    format: 1,
    name: 'Preview',
    url: '',
    colors: { primary: defaultColour },
    appearance: { default: 'system', strict: false },
    navbar: { links: [] },
    footer: { socials: [], columns: [] },
    anchors: [],
    sections: [],
    places: {},
    assets,
  }
}

const decoder = new TextDecoder()

/** Artifacts, as shells, come from our own builder, through blobs whose hash is checked. */
function parse(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes))
}

function openShell(shell: Shell, options: ComposerOptions): OpenShell {
  const style = siteStyle(shell)
  const { base = '' } = shell
  const framers = ["'self'", options.dashboard]
  const csp = contentSecurityPolicy(style, framers)
  /** The policy of a page, which may ask servers that its operation names, and on live sites services that the site reports to. */
  const policyOf = ({ servers = [], styles = '' }: PageArtifact, isReporting: boolean): string => {
    const asked = servers.filter((origin) => options.isLocal === true || !isLoopback(origin))
    const reach = isReporting && shell.integrations !== undefined ? reachOf(shell.integrations) : undefined
    if (asked.length === 0 && reach === undefined)
      return styles === '' ? csp : contentSecurityPolicy(style + styles, framers)
    return contentSecurityPolicy(style + styles, framers, {
      scripts: reach?.scripts ?? [],
      connects: [...(reach?.connects ?? []), ...asked],
    })
  }
  const head = siteHead(shell, style)
  const describedBy = shell.full === true ? ['/llms.txt', '/llms-full.txt'] : ['/llms.txt']
  const counterparts = new Counterparts(shell)
  const searched = scopesOf(shell.sections)
  const sections = new Map<number, SectionParts>()
  const partsOf = (index: number): SectionParts => {
    const known = sections.get(index)
    if (known !== undefined) return known
    const made = createSection(shell, index, { counterparts, scope: searched.sections[index]?.scope ?? 0 })
    sections.set(index, made)
    return made
  }

  const compose = ({
    artifact,
    path,
    canonical,
    translations,
    section,
    position,
    context,
    article,
    contents,
  }: Composed): Document => {
    const { root, className, around, lang, words, footer, local } = partsOf(section)
    const { header, sidebar } = around(path)
    // A page that is in no release, such as an entry of a changelog, has no source, and no card where it would be looked for.
    const isReleased = path !== null && context.source !== undefined && context.preview === undefined
    const found = isReleased && options.hasCards ? cardOf(shell, artifact, position) : null
    const card = found === null || path === null ? undefined : cardPath(found, path)
    const { html } = (
      <html {...root} data-current-path={shell.own === undefined ? undefined : (path ?? undefined)}>
        <head>
          {charset}
          {pageHead(shell, artifact, {
            path,
            canonical,
            translations,
            lang,
            position,
            updated: context.updated,
            card,
            isPreview: context.preview !== undefined,
          })}
          {artifact.styles === undefined ? head : siteHead(shell, style + artifact.styles)}
          {describedBy.map((text) => (
            <link rel="describedby" type="text/plain" href={text} />
          ))}
          {previewScript(shell, context.preview)}
          {askScript(shell, context, lang)}
          {analyticsScript(shell, context)}
          {integrationsScript(shell, context)}
          {context.changelog !== undefined && feedLinks(shell.name, context.changelog)}
        </head>
        <body class={`q-mode-${modeOf(artifact)}${className}${hasAside(artifact) ? ' q-has-aside' : ''}`}>
          {header}
          <div class="q-layout">
            {sidebar}
            <div class="q-content">
              <main id="q-main" tabindex="-1">
                {article}
              </main>
              {context.changelog === undefined ? footer : renderFooter(local, words, context.changelog)}
            </div>
            {contents !== undefined && !hasAside(artifact) && (
              <ContentsRail title={words.contents}>{contents}</ContentsRail>
            )}
          </div>
          {context.branch !== undefined && renderPreviewMark(context.branch, context.live, words)}
        </body>
      </html>
    )
    const at = (href: string): string => withBase(href, base)
    return {
      html: `<!doctype html>${htmlBelow(html, base)}`,
      csp: policyOf(artifact, hasIntegrations(shell, context)),
      preload: [shell.assets.css, shell.assets.script].map(at),
      describedBy: describedBy.map(at),
    }
  }

  const positionOf = (path: string) => {
    const position = Object.hasOwn(shell.places, path) ? shell.places[path] : undefined
    const section = position === undefined ? counterparts.sectionAt(path) : shell.sections[position.section]
    return { position, section, index: section === undefined ? 0 : shell.sections.indexOf(section) }
  }

  return {
    language: (path) => partsOf(positionOf(path).index).lang,
    settings: {
      analytics: shell.analytics === true,
      feedback: shell.feedback === true,
      ...(shell.base === undefined ? {} : { url: shell.url }),
      ...(shell.lost?.redirect === true ? { lost: shell.sections[0]?.href ?? '/' } : {}),
    },
    page: (bytes, path, context = {}) => {
      const artifact = parse(bytes) as PageArtifact
      const { position, section, index } = positionOf(path)
      const { words, parts, lang } = partsOf(index)
      const contents = renderContents(artifact, parts)
      const newer = section && counterparts.newer(path, section)
      const notice = newer && renderVersionNotice(newer, words)
      const { title, timestamp, actions } = artifact
      const page = { shell, path, title, timestamp, actions, context, words, lang }
      const menu = renderPageMenu(page)
      const article = renderArticle(artifact, {
        position,
        contents,
        words,
        parts,
        notice,
        menu,
        feedback: renderFeedback(page),
        foot: renderPageFoot(page),
        updates: renderUpdates(artifact, path, lang),
        images: context.images,
        eyebrow: shell.look?.eyebrow,
      })
      // A page that the default version has, too, is one page for search engines.
      const canonical = newer?.isSamePage === true ? newer.href : encodePath(path)
      const translations = section === undefined ? [] : counterparts.translations(path, section)
      return compose({ artifact, path, canonical, translations, section: index, position, context, article, contents })
    },
    notFound: (path, context = {}) => {
      const found = counterparts.sectionAt(path)
      const section = found === undefined ? 0 : shell.sections.indexOf(found)
      const { words } = partsOf(section)
      const artifact: PageArtifact = {
        title: shell.lost?.title ?? words.notFound,
        html: '',
        headings: [],
        features: [],
      }
      const offer = found && renderTranslationOffer(found, counterparts.translations(path, found), words)
      const article = renderNotFound(shell, path, { section: shell.sections[section], words, offer })
      return compose({ artifact, path: null, canonical: null, translations: [], section, context, article })
    },
    card: (bytes, path) => {
      if (!options.hasCards) return null
      const position = Object.hasOwn(shell.places, path) ? shell.places[path] : undefined
      return cardOf(shell, parse(bytes) as PageArtifact, position)
    },
    feed: (bytes, path, about) =>
      renderFeed(shell, parse(bytes) as PageArtifact, { ...about, path, lang: partsOf(positionOf(path).index).lang }),
    live: () => composeLive(shell, options),
  }
}

/** The document that the editor shows pages in: the site's look around an empty article, with the theme of today. */
function composeLive(shell: Shell, { dashboard, assets }: ComposerOptions): Document {
  const style = siteStyle(shell)
  const { html } = (
    <html {...rootOf(shell, shell.sections[0])}>
      <head>
        {charset}
        <title>{shell.name}</title>
        <meta name="robots" content="noindex" />
        <Feature source={assets.features['extras']} />
        <Feature source={assets.features['api']} />
        {siteHead({ ...shell, assets, ...(shell.own && { own: { ...shell.own, scripts: [] } }) }, style)}
        {liveScript(assets, dashboard)}
      </head>
      <body class="q-live q-mode-default">
        <div class="q-layout">
          <div class="q-content">
            <main id="q-main" tabindex="-1"></main>
          </div>
        </div>
      </body>
    </html>
  )
  return {
    html: `<!doctype html>${html}`,
    csp: contentSecurityPolicy(style, [dashboard]),
    preload: [assets.css, assets.script],
  }
}

/** What a document is made of beside its site. */
interface Composed {
  readonly artifact: PageArtifact
  /** Null for a document without an address. */
  readonly path: string | null
  /** The address that search engines are to keep. */
  readonly canonical: string | null
  readonly translations: readonly Translation[]
  /** Index of the section that it stands in. */
  readonly section: number
  readonly position?: PagePosition | undefined
  readonly context: DocumentContext
  readonly article: Html
  readonly contents?: Html | undefined
}

const modes: ReadonlySet<string> = new Set(['default', 'wide', 'custom', 'frame', 'center'])

function modeOf(artifact: PageArtifact): string {
  return artifact.mode !== undefined && modes.has(artifact.mode) ? artifact.mode : 'default'
}

/** Whether examples stand beside the text, where the contents list would. */
const hasAside = ({ features }: PageArtifact): boolean => features.includes('aside')
