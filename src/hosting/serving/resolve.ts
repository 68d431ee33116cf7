import {
  keptFolder,
  type FeedRoute,
  type FileRoute,
  type JoinedRoute,
  type PageRoute,
  type Route,
} from '../../contract/release.ts'
import { targetOf, type RedirectTable } from '../../lib/redirect-table.ts'
import { withoutEndSlashes } from '../../lib/url-path.ts'

/** Where a request for a site points. */
export interface Target {
  /** Decoded once, NFC, begins with one `/`, no `.` or `..` segments. */
  readonly path: string
  /** With its `?`, as it was sent but for `#`; empty when there is none. */
  readonly query: string
}

/**
 * Reads the target of a request in origin-form. Null is a target that no honest client sends: `//` in front, `..`,
 * encoded slashes or backslashes, control characters, bad escapes.
 */
export function parseTarget(url: string): Target | null {
  const mark = url.indexOf('?')
  const raw = mark === -1 ? url : url.slice(0, mark)
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(raw) || /[\\#]|%2f|%5c/i.test(raw)) return null
  const path = raw.includes('%') ? decodePath(raw) : raw
  if (path === null || hasDotSegment(path)) return null
  return { path, query: mark === -1 ? '' : url.slice(mark).replaceAll('#', '%23') }
}

function decodePath(raw: string): string | null {
  let path: string
  try {
    path = decodeURIComponent(raw)
  } catch (error) {
    if (error instanceof URIError) return null
    throw error
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  return /[\u0000-\u001f\u007f-\u009f\\]/.test(path) ? null : path.normalize('NFC')
}

function hasDotSegment(path: string): boolean {
  return path.includes('/.') && /\/\.\.?(?:\/|$)/.test(path)
}

/**
 * A decoded path as it stands in a Location header. More is escaped than by `encodePath` for links, and what begins with
 * several slashes would name another host.
 */
function encodeLocation(path: string): string {
  return ('/' + path.split('/').map(encodeURIComponent).join('/')).replace(/^\/+/, '/')
}

/** A string that goes into a URL as it is, with everything escaped that a header or a URL must not carry. */
export function escapeUrl(text: string): string {
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (character) =>
    /\p{Surrogate}/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character),
  )
}

export interface Redirection {
  readonly status: 307 | 308
  readonly location: string
}

export type Resolution =
  | { readonly kind: 'page'; readonly route: PageRoute }
  | {
      readonly kind: 'file'
      readonly route: FileRoute
      /** Chosen by Accept at the URL of a page. */ readonly negotiated: boolean
    }
  | { readonly kind: 'joined'; readonly route: JoinedRoute }
  | { readonly kind: 'feed'; readonly route: FeedRoute }
  | ({ readonly kind: 'redirect' } & Redirection)
  | { readonly kind: 'missing' }

export interface Routing {
  readonly routes: Readonly<Record<string, Route>>
  readonly redirects: RedirectTable
  /** Hashed assets of other releases. */
  asset(path: string): FileRoute | undefined
}

const missing: Resolution = { kind: 'missing' }

/**
 * What a site answers at a target. Content, also under the clean form of the path, comes before redirects, so a
 * redirect can never hide a page or run in a circle with it; last come assets of earlier releases.
 */
export function resolveTarget(routing: Routing, target: Target, wantsMarkdown: boolean): Resolution {
  if (target.path.startsWith(keptFolder)) return missing
  const route = routing.routes[target.path]
  if (route !== undefined) {
    if (route.kind === 'file') return { kind: 'file', route, negotiated: false }
    if (route.kind === 'joined') return { kind: 'joined', route }
    if (route.kind === 'feed') return { kind: 'feed', route }
    const markdown = wantsMarkdown && route.markdown !== undefined ? routing.routes[route.markdown] : undefined
    return markdown?.kind === 'file' ? { kind: 'file', route: markdown, negotiated: true } : { kind: 'page', route }
  }
  const path = cleanPath(target.path)
  const markdownPath = target.path.replace(/\/index\.md$/, '.md')
  if (path !== target.path && routing.routes[path] !== undefined) {
    return { kind: 'redirect', status: 308, location: encodeLocation(path) + escapeUrl(target.query) }
  }
  if (markdownPath !== target.path && routing.routes[markdownPath] !== undefined) {
    return { kind: 'redirect', status: 308, location: encodeLocation(markdownPath) + escapeUrl(target.query) }
  }
  const redirect =
    redirectionOf(routing.redirects, { path: withoutEndSlashes(target.path) || '/', query: target.query }) ??
    (path === target.path ? null : redirectionOf(routing.redirects, { path, query: target.query }))
  if (redirect !== null) return { kind: 'redirect', ...redirect }
  const asset = routing.asset(target.path)
  return asset === undefined ? missing : { kind: 'file', route: asset, negotiated: false }
}

/** The path that a page has: no trailing slash, no `index`, no ending of its source or of a static file. */
export function cleanPath(path: string): string {
  const bare = withoutEndSlashes(path).replace(/\.(?:html|mdx)$/, '')
  return withoutEndSlashes(bare.replace(/(?:\/index)+$/, '')) || '/'
}

/** Longer addresses no browser follows; a path that stands in its target many times makes them. */
const maxLocation = 32 * 1024

/** Where a table leads a target, with the query of the request; null when nowhere, or to itself. */
export function redirectionOf(table: RedirectTable, { path, query }: Target): Redirection | null {
  const match = table.match(path)
  if (match === null) return null
  const filled = targetOf(match, { segment: encodeURIComponent, text: escapeUrl })
  // An empty or odd parameter must not turn a path into another host.
  const to = filled.startsWith('/') ? filled.replace(/^[/\\]+/, '/') : filled
  const hash = to.indexOf('#')
  const fragment = hash === -1 ? '' : to.slice(hash)
  const address = hash === -1 ? to : to.slice(0, hash)
  if (address.replace(/\?.*$/s, '') === encodeLocation(path)) return null
  const location = withQuery(address, query) + fragment
  return location.length > maxLocation ? null : { status: match.redirect.status, location }
}

function withQuery(address: string, query: string): string {
  if (query.length < 2) return address
  return address + (address.includes('?') ? '&' : '?') + escapeUrl(query.slice(1))
}
