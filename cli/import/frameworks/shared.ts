import { posix } from 'node:path'
import { splitPage, titleIn } from '../markdown/front-matter.ts'
import type { Project } from '../project.ts'
import type { Asset, Redirect } from '../site.ts'

/** What a page says of itself. */
export interface Facts {
  readonly data: Readonly<Record<string, unknown>>
  /** Of its front matter, else of its first heading. */
  readonly title?: string
}

const known = new WeakMap<Project, Map<string, Facts>>()

export function factsOf(project: Project, path: string): Facts {
  const facts = known.get(project) ?? new Map<string, Facts>()
  known.set(project, facts)
  const before = facts.get(path)
  if (before !== undefined) return before
  const { data, body } = splitPage(project.text(path) ?? '')
  const title = typeof data['title'] === 'string' && data['title'] !== '' ? data['title'] : titleIn(body).title
  const own = { data, ...(title === undefined ? {} : { title }) }
  facts.set(path, own)
  return own
}

/** `getting-started` → `Getting started`. */
export function humanise(name: string): string {
  const words = name
    .replace(/\.mdx?$/, '')
    .replaceAll(/[-_]+/g, ' ')
    .trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Address without a slash at its end, and with one at its beginning. */
export function urlOf(...parts: readonly string[]): string {
  const path = posix.join('/', ...parts).replace(/(.)\/+$/, '$1')
  return path
}

/** A path pattern with `*`, `**`, `?` and `{a,b}`; linear. */
export function globPattern(glob: string): RegExp {
  let source = ''
  let depth = 0
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at] ?? ''
    if (glob.startsWith('**/', at)) {
      source += '(?:[^/]+/)*'
      at += 2
    } else if (glob.startsWith('**', at)) {
      source += '.*'
      at++
    } else if (character === '*') source += '[^/]*'
    else if (character === '?') source += '[^/]'
    else if (character === '{') {
      source += '(?:'
      depth++
    } else if (character === '}' && depth > 0) {
      source += ')'
      depth--
    } else if (character === ',' && depth > 0) source += '|'
    else source += character.replaceAll(/[.+^$|()[\]\\]/g, '\\$&')
  }
  return new RegExp(`^${source}${')'.repeat(depth)}$`)
}

/** Files that are for hosts and crawlers, and not for readers. */
const forHosts =
  /(?:^|\/)(?:_redirects|_headers|_routes\.json|CNAME|\.nojekyll|\.DS_Store|robots\.txt|sitemap\.xml|netlify\.toml|vercel\.json|sw\.js)$/
/** What sites do not publish. */
const unpublished = /\.(?:html?|js|mjs|cjs|css|scss|ts|tsx|jsx|vue|astro|map|php|py|wasm)$/i

/** The files of folders whose contents stand at the root of the site. */
export function staticFiles(project: Project, folders: readonly string[]): { assets: Asset[]; left: string[] } {
  const assets: Asset[] = []
  const left: string[] = []
  for (const folder of folders) {
    for (const source of project.below(folder)) {
      const target = folder === '' ? source : source.slice(folder.length + 1)
      if (forHosts.test(target) || /(?:^|\/)\.(?!well-known\/)/.test(target)) continue
      if (unpublished.test(target)) left.push(source)
      else assets.push({ source, target })
    }
  }
  return { assets, left }
}

/** Redirects that the files of hosts have: `_redirects`, `netlify.toml`, `vercel.json`. */
export function hostRedirects(project: Project, folders: readonly string[]): Redirect[] {
  const redirects: Redirect[] = []
  for (const folder of folders) {
    for (const line of (project.text(posix.join(folder, '_redirects')) ?? '').split('\n')) {
      const [from = '', to = '', status = '301'] = line
        .replace(/\s#.*$/, '')
        .trim()
        .split(/\s+/)
      if (from.startsWith('/') && to !== '' && status.startsWith('3')) redirects.push(redirectOf(from, to))
    }
    const toml = project.text(posix.join(folder, 'netlify.toml')) ?? ''
    for (const block of toml.split(/^\[\[redirects\]\]/m).slice(1)) {
      const field = (name: string): string | undefined =>
        new RegExp(`^\\s*${name}\\s*=\\s*["']?([^"'\\n]+)["']?`, 'm').exec(block)?.[1]
      const [from, to, status = '301'] = [field('from'), field('to'), field('status')]
      if (from?.startsWith('/') === true && to !== undefined && status.startsWith('3'))
        redirects.push(redirectOf(from, to))
    }
    for (const { source, destination } of vercelRedirects(project.text(posix.join(folder, 'vercel.json'))))
      redirects.push(redirectOf(source, destination))
  }
  return redirects
}

function vercelRedirects(text: string | undefined): Redirect[] {
  try {
    const { redirects } = JSON.parse(text ?? '{}') as { redirects?: unknown }
    if (!Array.isArray(redirects)) return []
    return redirects.filter(
      (entry): entry is Redirect => typeof entry?.source === 'string' && typeof entry?.destination === 'string',
    )
  } catch {
    return []
  }
}

/** `/old/*` to `/new/:splat` in our words. */
function redirectOf(from: string, to: string): Redirect {
  return { source: from.replace(/\*$/, ':splat*'), destination: to.replace(/:splat$/, ':splat*') }
}

/** The first colour that style sheets give to a name, as a hex colour. */
export function colorIn(project: Project, files: readonly string[], names: readonly string[]): string | undefined {
  for (const file of files) {
    const text = project.text(file) ?? ''
    for (const name of names) {
      const [, color] = new RegExp(`${name}\\s*:\\s*(#[\\da-f]{3,8})\\b`, 'i').exec(text) ?? []
      if (color !== undefined && /^#(?:[\da-f]{3}|[\da-f]{6})$/i.test(color)) return color
    }
  }
  return undefined
}

/** `https://github.com/owner/name` of an address of its pages. */
export function repositoryOf(address: string | undefined): string | undefined {
  return /^https:\/\/(?:github|gitlab)\.com\/[\w.-]+\/[\w.-]+/.exec(address ?? '')?.[0].replace(/\.git$/, '')
}

/** Names of services as `footer.socials` has them. */
const socials: Readonly<Record<string, string>> = {
  twitter: 'x',
  'x.com': 'x',
  'x-twitter': 'x',
  blueSky: 'bluesky',
  'mark-github': 'github',
  stackOverflow: 'website',
  npm: 'website',
}

export function socialsOf(links: readonly (readonly [icon: string, href: string])[]): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [icon, href] of links) {
    const host = /^https?:\/\/(?:www\.)?([^/]+)/.exec(href)?.[1] ?? ''
    const byHost = Object.entries(hosts).find(([name]) => host === name || host.endsWith(`.${name}`))?.[1]
    const name = byHost ?? socials[icon] ?? icon
    if (href.startsWith('https:') && platforms.has(name)) found[name] ??= href
  }
  return found
}

const hosts: Readonly<Record<string, string>> = {
  'github.com': 'github',
  'x.com': 'x',
  'twitter.com': 'x',
  'discord.gg': 'discord',
  'discord.com': 'discord',
  'linkedin.com': 'linkedin',
  'youtube.com': 'youtube',
  'bsky.app': 'bluesky',
  'slack.com': 'slack',
  't.me': 'telegram',
  'reddit.com': 'reddit',
  'facebook.com': 'facebook',
  'instagram.com': 'instagram',
  'medium.com': 'medium',
}
const platforms = new Set([
  'x',
  'github',
  'discord',
  'linkedin',
  'youtube',
  'bluesky',
  'slack',
  'telegram',
  'reddit',
  'facebook',
  'instagram',
  'medium',
  'threads',
])
