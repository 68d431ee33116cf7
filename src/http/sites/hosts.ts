import { isUnder, registrableDomain } from '../../lib/domain-names.ts'

/** Different Host headers that are remembered, and their length at most. */
const maxRemembered = 1000
const longestHost = 260

/** Where the service and its sites are. */
export interface HostSettings {
  /** Origin of dashboard and API: `https://app.example.com`. */
  readonly publicUrl: string
  /** Sites are at `{label}.{previewDomain}`; may carry a port: `localhost:4000`. */
  readonly previewDomain: string
}

/** What of a request decides whom it is for. `IncomingMessage` and its socket have these. */
export interface HostRequest {
  /** Names and values by turns, as they came. */
  readonly rawHeaders: readonly string[]
  /** Request target. */
  readonly url: string
  readonly httpVersion: string
  /** Port of the socket that it came in by. */
  readonly localPort?: number | undefined
}

/**
 * Whom a request is for. A site is named by its label alone, or by a domain of its project's; whether there is one is
 * for the caller to find out. `unknown` is a well-formed host that is not ours: `domain` is its name where it can be a
 * project's (a load balancer's health check may come so, too); `refused` is a request that no honest client sends, or a
 * name under the preview domain that can be no site.
 */
export type HostDecision =
  | { readonly kind: 'service' }
  | { readonly kind: 'site'; readonly label: string }
  | { readonly kind: 'unknown'; readonly status: 421; readonly reason: string; readonly domain?: string }
  | { readonly kind: 'refused'; readonly status: 400 | 404; readonly reason: string }

interface Authority {
  /** Lower case, without the trailing dot of a full name. */
  readonly host: string
  readonly port: number | null
}

const service: HostDecision = { kind: 'service' }
const notASite: HostDecision = { kind: 'refused', status: 404, reason: 'There is no site here' }
const foreign = { kind: 'unknown', status: 421, reason: 'This host is not served here' } as const

function refuse(reason: string): HostDecision {
  return { kind: 'refused', status: 400, reason }
}

/**
 * Makes the decision for one set of settings. Only the Host header counts, and the authority of a target in
 * absolute-form, which must agree with it; `X-Forwarded-Host` and the path never do.
 *
 * @throws Error when a setting is not a URL or a domain.
 */
export function hostDecider(settings: HostSettings): (request: HostRequest) => HostDecision {
  const url = new URL(settings.publicUrl)
  const schemePort = url.protocol === 'https:' ? 443 : 80
  const own = parseAuthority(url.host)
  const preview = parseAuthority(settings.previewDomain)
  if (own === null) throw new Error(`PUBLIC_URL has no valid host: ${settings.publicUrl}`)
  if (preview === null) throw new Error(`PREVIEW_DOMAIN is not a domain: ${settings.previewDomain}`)
  const rules: Rules = { own, preview, suffix: '.' + preview.host, schemePort }
  const known = new Map<string, HostDecision>()

  return (request) => {
    const host = hostHeader(request)
    if (typeof host === 'object') return host
    if (host.length > longestHost) return refuse('The Host header is too long')
    const key = `${request.localPort ?? ''} ${host}`
    let decision = known.get(key)
    if (decision === undefined) {
      decision = decide(rules, host, request.localPort)
      if (known.size >= maxRemembered) known.clear()
      known.set(key, decision)
    }
    return decision
  }
}

interface Rules {
  readonly own: Authority
  readonly preview: Authority
  readonly suffix: string
  /** Port of a URL that names none. */
  readonly schemePort: number
}

/** The one host that a request names, or its refusal. */
function hostHeader({ rawHeaders, url, httpVersion }: HostRequest): string | HostDecision {
  let host: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return refuse('A request has one Host header')
    host = rawHeaders[i + 1]
  }
  if (host === undefined && httpVersion !== '1.0') return refuse('The Host header is missing')
  if (url.startsWith('/') || url === '*') return host ?? foreign
  const target = /^https?:\/\/([^/?#]*)/i.exec(url)?.[1]
  if (target === undefined) return refuse('The request target is not valid')
  if (host !== undefined && host.toLowerCase() !== target.toLowerCase())
    return refuse('The request target and the Host header name different hosts')
  return target
}

function decide(rules: Rules, text: string, localPort: number | undefined): HostDecision {
  const asked = parseAuthority(text)
  if (asked === null) return refuse('The Host header is not valid')
  const { own, preview, suffix, schemePort } = rules
  if (asked.host === own.host && portAgrees(asked, own, schemePort)) return service
  // Health checks and people on the machine come by address, where no name can be spoofed.
  const port = asked.port ?? 80
  if (isLoopback(asked.host) && (port === localPort || port === (own.port ?? schemePort))) return service
  if (!portAgrees(asked, preview, schemePort)) return foreign
  // The service's own name on another port is nobody's domain either.
  if (asked.host === own.host) return foreign
  if (!asked.host.endsWith(suffix) && asked.host !== preview.host) return { ...foreign, domain: asked.host }
  const label = asked.host.slice(0, -suffix.length)
  return /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label) ? { kind: 'site', label } : notASite
}

/** A port that is not named is the scheme's, or one that a proxy took away: it agrees with any. */
function portAgrees(asked: Authority, configured: Authority, schemePort: number): boolean {
  return asked.port === null || asked.port === (configured.port ?? schemePort)
}

function isLoopback(host: string): boolean {
  return /^127(?:\.\d{1,3}){3}$/.test(host) || host === '[::1]'
}

/** `host`, `host:port`, `[v6]`, `[v6]:port`; null for all else, such as user names. */
function parseAuthority(text: string): Authority | null {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)\.?(?::(\d{1,5}))?$/i.exec(text)
  if (match?.[1] === undefined) return null
  const port = match[2] === undefined ? null : Number(match[2])
  if (match[1].includes('..') || (port !== null && port > 65_535)) return null
  return { host: match[1].toLowerCase(), port }
}

/** True when a request target is in absolute-form: `GET http://host/path`. */
export function isAbsoluteForm(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

/** The origin-form of a target in absolute-form. */
export function originForm(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : '/' + path
}

/**
 * Why the sites and the dashboard must not run so, or null when they may. Scripts of a tenant's site can set cookies
 * for the whole registrable domain: on the dashboard's that would reach people's sessions. On a developer's machine,
 * where PUBLIC_URL is a loopback host, it is allowed.
 */
export function originProblem({ publicUrl, previewDomain }: HostSettings): string | null {
  const dashboard = new URL(publicUrl).hostname
  if (isLoopbackName(dashboard)) return null
  const sites = previewDomain.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase()
  // A preview domain that is itself a public suffix has no registrable domain, and each site one of its own.
  const mine = registrableDomain(dashboard)
  const theirs = registrableDomain(sites)
  if (mine !== theirs && !isUnder(dashboard, sites)) return null
  return (
    `PREVIEW_DOMAIN (${sites}) and PUBLIC_URL (${dashboard}) share the domain ${mine}: a site could set cookies for the dashboard. ` +
    'Serve sites under a domain of their own.'
  )
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
