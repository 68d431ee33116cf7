import type { Logger } from 'pino'
import type { Principal } from '../../access/principal.ts'
import { networkOf } from '../../lib/network.ts'
import { shown } from '../../lib/secrets.ts'
import type { KnownRequest, KnownResponse } from './known.ts'
import { LineBudget } from './line-budget.ts'
import { TrustedProxies } from './trusted-proxies.ts'

/** Characters of what a client chose. */
const longest = { path: 200, agent: 100, site: 253 } as const
/** Of a word in a path that nothing here has: codes of invitations and letters, and passwords that were made, are longer. */
const longestWord = 16
/** How often is told what was left out. */
const leftOutMs = 10_000
/** Of load balancers and collectors of numbers, which ask all the time. */
const uneventful = new Set(['/healthz', '/readyz', '/metrics'])

export interface RequestLogOptions {
  readonly logger: Pick<Logger, 'info' | 'warn'> & { readonly isLevelEnabled?: Logger['isLevelEnabled'] }
  readonly trustProxy: false | string
  /** What people call a project. */
  readonly slugOf: (projectId: string) => string
  /** The share of pages that were read without an error that has a line: from 0 to 1. */
  readonly pageViews: number
  /** Told of every answer. */
  readonly onAnswer: (answered: Answered) => void
}

/** Who answers: their requests are of different sizes and numbers. */
export type RequestKind = 'api' | 'git' | 'dashboard' | 'site' | 'probe'

export interface Answered {
  readonly kind: RequestKind
  readonly method: string
  readonly status: number
  readonly seconds: number
}

/**
 * A line of the log for each request, with nothing in it that opens a door: no query, no header but the client’s name, no
 * body, no path of which nothing is known. Requests of known callers have a line each; those of strangers as many as `LineBudget` lets through, and reads of pages the share
 * that the settings say.
 */
export class RequestLog {
  readonly #options: RequestLogOptions
  readonly #proxies: TrustedProxies
  readonly #budget = new LineBudget(performance.now())
  /** Requests without a line, by status. */
  readonly #leftOut = new Map<number, number>()
  #telling: NodeJS.Timeout | undefined

  constructor(options: RequestLogOptions) {
    this.#options = options
    this.#proxies = new TrustedProxies(options.trustProxy)
  }

  /** Before anything else is done with a request. */
  watch(request: KnownRequest, response: KnownResponse): void {
    request.identify(this.#proxies)
    response.once('close', () => this.#end(request, response))
  }

  /** Whether what a request says of ids and traces is a trusted proxy’s word. */
  isTrusted({ socket }: KnownRequest): boolean {
    return this.#proxies.has(socket.remoteAddress)
  }

  /** Tells what was left out until now. */
  close(): void {
    clearTimeout(this.#telling)
    if (this.#telling !== undefined) this.#tellLeftOut()
  }

  #end(request: KnownRequest, response: KnownResponse): void {
    const now = performance.now()
    const status = response.headersSent ? response.statusCode : 499
    const kind = kindOf(request)
    const { method = '' } = request
    this.#options.onAnswer({ kind, method, status, seconds: (now - request.arrivedAt) / 1000 })
    if (!this.#isWorthALine(request, { kind, status, now })) return
    const { logger, slugOf } = this.#options
    logger.info(lineOf(request, response, { status, now, slugOf }), 'request')
  }

  #isWorthALine(
    request: KnownRequest,
    { kind, status, now }: { readonly kind: RequestKind; readonly status: number; readonly now: number },
  ): boolean {
    if (kind === 'probe' && status < 400) return false
    const caller = request.handled?.caller ?? null
    const isReader = (kind === 'site' || kind === 'dashboard') && caller === null && status < 400
    if (isReader) return Math.random() < this.#options.pageViews
    if (this.#options.logger.isLevelEnabled?.('info') === false) return false
    // The rates bound what a caller may ask, and not how often they are refused.
    if (status < 500 && caller !== null && status !== 429) return true
    const isLet =
      status >= 500 ? this.#budget.takeFault(now) : this.#budget.take(networkOf(addressOf(request) ?? ''), now)
    if (!isLet) this.#leaveOut(status)
    return isLet
  }

  #leaveOut(status: number): void {
    this.#leftOut.set(status, (this.#leftOut.get(status) ?? 0) + 1)
    if (this.#telling !== undefined) return
    this.#telling = setTimeout(() => this.#tellLeftOut(), leftOutMs)
    this.#telling.unref()
  }

  #tellLeftOut(): void {
    this.#telling = undefined
    this.#options.logger.warn({ leftOut: Object.fromEntries(this.#leftOut) }, 'requests have no line: too many came')
    this.#leftOut.clear()
  }
}

function kindOf({ handled, site, url = '' }: KnownRequest): RequestKind {
  if (site !== undefined) return 'site'
  // A host that is nobody’s.
  if (handled === undefined) return 'site'
  const path = handled.routeOptions.url ?? url
  if (path.startsWith('/git/')) return 'git'
  if (path.startsWith('/dashboard')) return 'dashboard'
  return uneventful.has(path) ? 'probe' : 'api'
}

interface LineParts {
  readonly status: number
  readonly now: number
  readonly slugOf: (projectId: string) => string
}

function lineOf(request: KnownRequest, response: KnownResponse, { status, now, slugOf }: LineParts) {
  const { handled, id, method, site, socket } = request
  const route = site === undefined ? handled?.routeOptions.url : undefined
  const who = whoIs(handled?.caller ?? null)
  return {
    requestId: id,
    ...(who === undefined ? {} : { who }),
    ...projectOf(request, slugOf),
    method,
    // Where there is a pattern, names of files and whatever else is in an address stay out.
    ...(route === undefined ? { path: shownPath(request) } : { route }),
    status,
    ms: Math.round((now - request.arrivedAt) * 10) / 10,
    bytes: socket.bytesWritten - request.sentBefore,
    ...(response.writableFinished ? {} : { cutOff: true }),
    ...(who === undefined && status >= 400 ? strangerOf(request) : {}),
  }
}

function projectOf({ handled, site }: KnownRequest, slugOf: LineParts['slugOf']) {
  const project = site?.project ?? handled?.project?.id ?? handled?.gitCaller?.projectId
  return {
    ...(project === undefined ? {} : { projectId: project, slug: slugOf(project) }),
    ...(site === undefined ? {} : { site: shown(site.name, longest.site) }),
  }
}

/** Whom to look at when somebody tries keys, or asks for what is not there. */
function strangerOf(request: KnownRequest) {
  const address = addressOf(request)
  const agent = request.headers['user-agent']
  return {
    ...(address === undefined ? {} : { address }),
    ...(agent === undefined ? {} : { agent: shown(agent, longest.agent) }),
  }
}

function addressOf({ handled, socket }: KnownRequest): string | undefined {
  return handled?.ip ?? socket.remoteAddress
}

function whoIs(caller: Principal): string | undefined {
  if (caller === null) return undefined
  return caller.kind === 'key' ? caller.key.id : caller.account.id
}

/**
 * Of a site, the path. Of what neither a site nor a route has, where it leads to: anything may be in it, such as a link
 * with a code that was cut or put together wrong.
 */
function shownPath({ url = '', site }: KnownRequest): string {
  const path = shown(url.split('?', 1)[0] ?? '', longest.path)
  if (site?.project !== undefined) return path
  const words = path.split('/').slice(1)
  const most = words[0] === 'api' ? 2 : 1
  const told = words.slice(0, most).map((word) => (word.length > longestWord ? '…' : word))
  return `/${[...told, ...(words.length > most ? ['…'] : [])].join('/')}`
}
