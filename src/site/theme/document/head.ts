import { attributes, escapeHtml } from '../../html.ts'
import type { PageArtifact } from '../../page.ts'
import type { Shell } from '../../shell.ts'
import { themeColor } from './colors.ts'
import { encodePath, isExternal, safeHref } from './href.ts'
import { HEAD_SCRIPT } from './policy.ts'

/** The part of the head that all pages of a site share. */
export function siteHead(shell: Shell, style: string): string {
  const color = themeColor(shell.colors)
  return [
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<script>${HEAD_SCRIPT}</script>`,
    `<link${attributes({ rel: 'stylesheet', href: safeHref(shell.assets.css) })}>`,
    // After the style sheet: the site's colours are read by its rules, not written over them.
    style === '' ? '' : `<style>${style}</style>`,
    `<script${attributes({ type: 'module', src: safeHref(shell.assets.script) })}></script>`,
    favicon(shell.favicon),
    color === null ? '' : meta('theme-color', color),
    '<meta name="generator" content="Quire">',
    property('og:site_name', shell.name),
    '<meta property="og:type" content="article"><meta name="twitter:card" content="summary">',
  ].join('')
}

/** The part of the head that is a page's own. `path` is null for a document without an address: 404. */
export function pageHead(shell: Shell, artifact: PageArtifact, path: string | null): string {
  const title =
    artifact.title === '' || artifact.title === shell.name ? shell.name : `${artifact.title} - ${shell.name}`
  const description = artifact.description ?? shell.description
  const canonical = path === null || !isExternal(shell.url) ? null : shell.url + encodePath(path)
  const robots = artifact.noindex === true || shell.noindex === true || path === null
  return (
    `<title>${escapeHtml(title)}</title>` +
    (description === undefined ? '' : meta('description', description) + property('og:description', description)) +
    (canonical === null
      ? ''
      : `<link${attributes({ rel: 'canonical', href: canonical })}>${property('og:url', canonical)}`) +
    property('og:title', title) +
    (artifact.keywords === undefined || artifact.keywords.length === 0
      ? ''
      : meta('keywords', artifact.keywords.join(', '))) +
    (robots ? meta('robots', 'noindex') : '') +
    artifact.features.map((feature) => featureScript(shell, feature)).join('')
  )
}

/** The script with which a preview shows newer saves by itself; it is told which release its page is of. */
export function previewScript(shell: Shell, release: string | undefined): string {
  const source = Object.hasOwn(shell.assets.features, 'preview') ? shell.assets.features['preview'] : undefined
  if (release === undefined || source === undefined) return ''
  return `<script${attributes({ type: 'module', src: safeHref(source), 'data-release': release })}></script>`
}

function featureScript(shell: Shell, feature: string): string {
  const source = Object.hasOwn(shell.assets.features, feature) ? shell.assets.features[feature] : undefined
  return source === undefined ? '' : `<script${attributes({ type: 'module', src: safeHref(source) })}></script>`
}

function favicon(icons: Shell['favicon']): string {
  // Browsers ask for /favicon.ico by themselves, and complain where there is none.
  if (icons === undefined) return '<link rel="icon" href="data:,">'
  if (icons.light === icons.dark) return `<link${attributes({ rel: 'icon', href: safeHref(icons.light) })}>`
  const scheme = (name: 'light' | 'dark'): string =>
    `<link${attributes({ rel: 'icon', href: safeHref(icons[name]), media: `(prefers-color-scheme: ${name})` })}>`
  return scheme('light') + scheme('dark')
}

function meta(name: string, content: string): string {
  return `<meta${attributes({ name, content })}>`
}

function property(name: string, content: string): string {
  return `<meta${attributes({ property: name, content })}>`
}
