import type { Around, Composer, Document, OpenShell } from '../../contract/release.ts'
import { attributes, escapeHtml } from '../html.ts'
import type { PageArtifact } from '../page.ts'
import type { Place, Shell } from '../shell.ts'
import { renderArticle, renderContents } from './document/article.ts'
import { renderFooter, renderHeader, renderSidebarFrame, waysHome } from './document/chrome.ts'
import { colorStyle } from './document/colors.ts'
import { pageHead, previewScript, siteHead } from './document/head.ts'
import { ICONS } from './document/icons.ts'
import { contentSecurityPolicy } from './document/policy.ts'
import { createSidebar } from './document/sidebar.ts'
import { languageOf, renderSwitches } from './document/switches.ts'

const RIGHT_TO_LEFT = /^(?:ar|dv|fa|he|ku|ps|sd|ug|ur|yi)(?:-|$)/i

/**
 * Composes documents of shells and artifacts. Pure: no clock, no files. What a section's pages share is made when the
 * first of them is asked for, so a page costs little more than joining strings.
 */
export function createComposer(): Composer {
  return { open: (bytes) => openShell(parse(bytes) as Shell) }
}

const decoder = new TextDecoder()

/** Shells and artifacts come from our own builder, through blobs whose hash is checked. */
function parse(bytes: Uint8Array): unknown {
  return JSON.parse(decoder.decode(bytes))
}

function openShell(shell: Shell): OpenShell {
  const style = colorStyle(shell.colors)
  const head = siteHead(shell, style)
  const csp = contentSecurityPolicy(style)
  const footer = renderFooter(shell)
  const footerOf = ({ changelog }: Around): string =>
    changelog === undefined ? footer : renderFooter(shell, changelog)
  const frames = new Map<number, Frame>()
  const frameOf = (section: number): Frame => {
    const known = frames.get(section)
    if (known !== undefined) return known
    const made = createFrame(shell, section)
    frames.set(section, made)
    return made
  }

  const compose = (artifact: PageArtifact, path: string | null, place: Place | undefined, parts: Parts): Document => {
    const frame = frameOf(place?.section ?? 0)
    const html =
      `<!doctype html><html${frame.attributes}><head><meta charset="utf-8">${pageHead(shell, artifact, path)}${head}${parts.preview}</head>` +
      `<body${attributes({ class: `q-mode-${modeOf(artifact)}${frame.className}` })}>${frame.header}<div class="q-layout">${frame.sidebar(path ?? '')}` +
      `<div class="q-content"><main id="q-main" tabindex="-1">${parts.article}</main>${parts.footer}</div>${contentsRail(parts.contents)}</div></body></html>`
    return { html, csp, preload: [shell.assets.css, shell.assets.script] }
  }

  const partsAround = (around: Around): Pick<Parts, 'preview' | 'footer'> => ({
    preview: previewScript(shell, around.preview),
    footer: footerOf(around),
  })

  return {
    page: (bytes, path, around = {}) => {
      const artifact = parse(bytes) as PageArtifact
      const place = Object.hasOwn(shell.places, path) ? shell.places[path] : undefined
      const contents = renderContents(artifact)
      const article = renderArticle(artifact, place, contents)
      return compose(artifact, path, place, { article, contents, ...partsAround(around) })
    },
    notFound: (path, around = {}) => {
      const parts = { article: lostArticle(shell, path), contents: '', ...partsAround(around) }
      return compose(LOST, null, undefined, parts)
    },
  }
}

/** What a page adds to its frame, as HTML. */
interface Parts {
  readonly article: string
  readonly contents: string
  /** Of previews. */
  readonly preview: string
  readonly footer: string
}

/** All that pages of one section share. */
interface Frame {
  /** Attributes of the root element. */
  readonly attributes: string
  /** For the body, with a leading space. */
  readonly className: string
  readonly header: string
  sidebar(href: string): string
}

function createFrame(shell: Shell, index: number): Frame {
  const section = shell.sections[index]
  const switches = renderSwitches(shell.sections, index)
  const sidebar = createSidebar(section?.items ?? [])
  const { start, end } = renderSidebarFrame(shell, switches)
  const lang = languageOf(section)
  const { default: appearance, strict } = shell.appearance
  return {
    attributes: attributes({
      lang,
      dir: RIGHT_TO_LEFT.test(lang) ? 'rtl' : 'ltr',
      'data-appearance': appearance,
      'data-strict': strict,
      'data-theme': appearance === 'system' ? undefined : appearance,
    }),
    className: switches.tabs === '' ? '' : ' q-has-tabs',
    header: renderHeader(shell, switches),
    sidebar: (href) => start + sidebar.render(href) + end,
  }
}

const MODES: ReadonlySet<string> = new Set(['default', 'wide', 'custom', 'frame', 'center'])

function modeOf(artifact: PageArtifact): string {
  return artifact.mode !== undefined && MODES.has(artifact.mode) ? artifact.mode : 'default'
}

function contentsRail(contents: string): string {
  if (contents === '') return ''
  return `<aside class="q-contents"><nav aria-labelledby="q-contents-title" data-contents><p class="q-contents-title" id="q-contents-title">${ICONS.list}On this page</p>${contents}</nav></aside>`
}

const LOST: PageArtifact = { title: 'Page not found', html: '', headings: [], features: [] }

function lostArticle(shell: Shell, path: string): string {
  return (
    '<article class="q-lost"><p class="q-eyebrow">404</p><h1 class="q-title">Page not found</h1>' +
    `<p class="q-lead">There is nothing at <code>${escapeHtml(path)}</code>. It may have moved, or the address has a typo.</p>` +
    `${waysHome(shell)}</article>`
  )
}
