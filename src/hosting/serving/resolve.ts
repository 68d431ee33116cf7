import type { FileRoute, PageRoute, Route } from '../../contract/release.ts'
import type { RedirectTable, Redirection } from './redirects.ts'
import { encodePath, escapeUrl, type Target } from './target.ts'

export type Resolution =
  | { readonly kind: 'page'; readonly route: PageRoute }
  | {
      readonly kind: 'file'
      readonly route: FileRoute
      /** Chosen by Accept at the URL of a page. */ readonly negotiated: boolean
    }
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
  const route = routing.routes[target.path]
  if (route !== undefined) {
    if (route.kind === 'file') return { kind: 'file', route, negotiated: false }
    const twin = wantsMarkdown && route.markdown !== undefined ? routing.routes[route.markdown] : undefined
    return twin?.kind === 'file' ? { kind: 'file', route: twin, negotiated: true } : { kind: 'page', route }
  }
  const path = cleanPath(target.path)
  const twin = target.path.replace(/\/index\.md$/, '.md')
  if (path !== target.path && routing.routes[path] !== undefined) {
    return { kind: 'redirect', status: 308, location: encodePath(path) + escapeUrl(target.query) }
  }
  if (twin !== target.path && routing.routes[twin] !== undefined) {
    return { kind: 'redirect', status: 308, location: encodePath(twin) + escapeUrl(target.query) }
  }
  const redirect =
    routing.redirects.find({ path: target.path.replace(/(?<=.)\/+$/, ''), query: target.query }) ??
    (path === target.path ? null : routing.redirects.find({ path, query: target.query }))
  if (redirect !== null) return { kind: 'redirect', ...redirect }
  const asset = routing.asset(target.path)
  return asset === undefined ? missing : { kind: 'file', route: asset, negotiated: false }
}

/** The path that a page has: no trailing slash, no `index`, no ending of its source or of a static file. */
export function cleanPath(path: string): string {
  const bare = path.replace(/\/+$/, '').replace(/\.(?:html|mdx)$/, '')
  return bare.replace(/(?:\/index)+$/, '').replace(/\/+$/, '') || '/'
}
