import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { changelogPath, feedPaths } from '../../changelog/site-page.tsx'
import { siteAccessPath } from '../../contract/site-access.ts'
import type { SignedGrant, SiteHost, Visibility } from '../../visibility/visibility.ts'
import { withBase } from '../../lib/base-path.ts'
import { baseOf, KnownRequest, KnownResponse } from '../requests/known.ts'
import { privatePage, privatePagePolicy, type EntryProblem } from './private-page.ts'

/** On the host of each site: where a share link leads, the password is sent, and members come back to. */
export const enterPath = '/_quire/enter'

/** Of the same name in one request: of the page’s own jar, of a frame’s, and of whoever set others. */
const mostCookies = 4

/** Of a changelog; those of pages have one name. */
const feeds: ReadonlySet<string> = new Set(Object.values(feedPaths).map((path) => changelogPath + path))

export interface PrivateSitesOptions {
  readonly visibility: Pick<Visibility, 'isPrivate' | 'isGranted' | 'hasPassword' | 'byLink'>
  /** Whether a bearer’s token is a key that may read the project. */
  readonly isKey: (token: string, project: string) => Promise<boolean>
  /** Files of the theme are the same on all sites, and frames without an origin load some. */
  readonly isThemeFile: (path: string) => boolean
  /** Origin of a site, as people open it. */
  readonly originOf: (site: SiteHost) => string
  /** Origin of dashboard and API. */
  readonly publicUrl: string
}

/**
 * Stands before all sites: of a private project nothing is answered but to who may read it, and what is answered is
 * marked as theirs alone.
 */
export class PrivateSites {
  readonly #options: PrivateSitesOptions
  readonly #isHttps: boolean
  readonly #cookie: string
  /** The sites that requests to enter are for. */
  readonly #entered = new WeakMap<IncomingMessage, SiteHost>()

  constructor(options: PrivateSitesOptions) {
    this.#options = options
    this.#isHttps = options.publicUrl.startsWith('https:')
    this.#cookie = this.#isHttps ? '__Host-quire_site' : 'quire_site'
  }

  /**
   * Whether the site may answer; else this has, or the application does.
   *
   * @param path without a query
   */
  admit({ request, response, path }: Asked, site: SiteHost, application: RequestListener): boolean | Promise<boolean> {
    const { visibility, isThemeFile } = this.#options
    // A link may be opened when its site is public again.
    if (!visibility.isPrivate(site.project) && path !== enterPath) return true
    if (response instanceof KnownResponse) response.isPrivate = true
    if (path === enterPath) {
      this.#entered.set(request, site)
      application(request, response)
      return false
    }
    if (isThemeFile(path)) return true
    const admitted = (may: boolean): boolean => {
      if (!may) this.#refuse(request, response, site)
      else if (request instanceof KnownRequest) request.admittedTo = site.project
      return may
    }
    const may = this.#isFeedOfLink(request, path, site.project) || this.mayRead(request, site)
    return typeof may === 'boolean' ? admitted(may) : may.then(admitted)
  }

  /** Whether who asks may read a site now. No promise where memory can tell. */
  mayRead(request: IncomingMessage, site: SiteHost): boolean | Promise<boolean> {
    const { visibility, isKey } = this.#options
    const { project } = site
    if (!visibility.isPrivate(project)) return true
    const waited: Promise<boolean>[] = []
    for (const text of this.#cookiesOf(request)) {
      const granted = visibility.isGranted(site, text)
      if (granted === true) return true
      if (granted !== false) waited.push(granted)
    }
    const [, token] = /^bearer +([\x21-\x7e]{1,200}) *$/i.exec(request.headers.authorization ?? '') ?? []
    if (token !== undefined) waited.push(isKey(token, project))
    return waited.length > 0 && Promise.all(waited).then((answers) => answers.includes(true))
  }

  /** Feed readers have an address and nothing else: `?share=` with the token of a link opens the feeds of the changelog. */
  #isFeedOfLink({ url = '' }: IncomingMessage, path: string, project: string): boolean {
    if (!(feeds.has(path) || path.endsWith('/rss.xml'))) return false
    const token = new URLSearchParams(url.slice(path.length)).get('share')
    return token !== null && this.#options.visibility.byLink(project, token) !== null
  }

  /** The site that a request to enter is for; undefined where it came by another way. */
  entered(request: IncomingMessage): SiteHost | undefined {
    return this.#entered.get(request)
  }

  /** Has the browser keep a grant, for this host alone; within a frame, for frames of the same page around it. */
  cookieOf(request: IncomingMessage, { text, lasts }: SignedGrant): string {
    // Of this machine the dashboard and its sites are no HTTPS and are trusted like it.
    const isFramed = /^i?frame$/.test(request.headers['sec-fetch-dest'] ?? '')
    const jar = isFramed ? 'SameSite=None; Secure; Partitioned' : `SameSite=Lax${this.#isHttps ? '; Secure' : ''}`
    return `${this.#cookie}=${text}; Path=/; Max-Age=${lasts}; HttpOnly; ${jar}`
  }

  /** The page with the ways in. @param wanted path and query of the page that is wanted */
  page(
    request: IncomingMessage,
    site: SiteHost,
    { wanted, problem }: { readonly wanted: string; readonly problem?: EntryProblem },
  ): { readonly html: string; readonly headers: Readonly<Record<string, string>> } {
    const { visibility, publicUrl, originOf } = this.#options
    const base = baseOf(request)
    const path = withBase(wanted, base)
    const hasPassword = visibility.hasPassword(site.project)
    const memberUrl = `${publicUrl}${siteAccessPath}?to=${encodeURIComponent(originOf(site) + path)}`
    return {
      html: privatePage({ action: withBase(enterPath, base), path, hasPassword, memberUrl, problem }),
      headers: {
        ...refusalHeaders,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': privatePagePolicy(publicUrl),
      },
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, site: SiteHost): void {
    const { url = '/', method, headers } = request
    const isPage = headers.accept?.includes('text/html') === true
    const shown = isPage ? this.page(request, site, { wanted: url }) : { html: inWords, headers: refusalHeaders }
    response.writeHead(401, { ...shown.headers, 'Content-Length': Buffer.byteLength(shown.html) })
    response.end(method === 'HEAD' ? undefined : shown.html)
  }

  #cookiesOf({ headers: { cookie } }: IncomingMessage): string[] {
    if (cookie === undefined) return []
    const start = `${this.#cookie}=`
    const own = cookie.split(/; */).filter((pair) => pair.startsWith(start))
    return own.slice(0, mostCookies).map((pair) => pair.slice(start.length))
  }
}

interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly path: string
}

const refusalHeaders = {
  'Content-Type': 'text/plain; charset=utf-8',
  'Cache-Control': 'no-store',
  // Forms say where they come from by it.
  'Referrer-Policy': 'same-origin',
  'WWW-Authenticate': 'Bearer realm="quire"',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
}

const inWords =
  'This site is private. Send a key of its project as Authorization: Bearer <key>, or open it in a browser to sign in.\n'
