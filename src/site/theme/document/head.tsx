/** @jsxImportSource #html */
import { raw, type Child, type Html } from '../../../lib/html.ts'
import type { PageArtifact } from '../../page.ts'
import type { Shell } from '../../shell.ts'
import { themeColor } from './colors.ts'
import { encodePath, isExternal, safeHref } from './link.tsx'
import { headScript } from './policy.ts'

/** The part of the head that all pages of a site share. */
export function siteHead(shell: Shell, style: string): Html {
  const color = themeColor(shell.colors)
  return (
    <>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <script>{raw(headScript)}</script>
      <link rel="stylesheet" href={safeHref(shell.assets.css)} />
      {/* After the style sheet: the site's colours are read by its rules, not written over them. */}
      {style !== '' && <style>{raw(style)}</style>}
      <Script source={shell.assets.script} />
      <Favicon icons={shell.favicon} />
      {color !== null && <meta name="theme-color" content={color} />}
      <meta name="generator" content="Quire" />
      <meta property="og:site_name" content={shell.name} />
      <meta property="og:type" content="article" />
      <meta name="twitter:card" content="summary" />
    </>
  )
}

/** The part of the head that is a page's own. `path` is null for a document without an address: 404. */
export function pageHead(shell: Shell, artifact: PageArtifact, path: string | null): Html {
  const title =
    artifact.title === '' || artifact.title === shell.name ? shell.name : `${artifact.title} - ${shell.name}`
  const description = artifact.description ?? shell.description
  const canonical = path === null || !isExternal(shell.url) ? null : shell.url + encodePath(path)
  const { keywords = [], features } = artifact
  const isHidden = artifact.noindex === true || shell.noindex === true || path === null
  return (
    <>
      <title>{title}</title>
      {description !== undefined && <meta name="description" content={description} />}
      {description !== undefined && <meta property="og:description" content={description} />}
      {canonical !== null && <link rel="canonical" href={canonical} />}
      {canonical !== null && <meta property="og:url" content={canonical} />}
      <meta property="og:title" content={title} />
      {keywords.length > 0 && <meta name="keywords" content={keywords.join(', ')} />}
      {isHidden && <meta name="robots" content="noindex" />}
      {features.map((feature) => (
        <Script source={featureSource(shell, feature)} />
      ))}
    </>
  )
}

/** The script with which a preview shows newer saves by itself; it is told which release its page is of. */
export function previewScript(shell: Shell, release: string | undefined): Child {
  return release !== undefined && <Script source={featureSource(shell, 'preview')} data-release={release} />
}

function featureSource(shell: Shell, feature: string): string | undefined {
  return Object.hasOwn(shell.assets.features, feature) ? shell.assets.features[feature] : undefined
}

function Script({ source, ...more }: { readonly source: string | undefined; readonly 'data-release'?: string }): Child {
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
