import { createHash, randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identities } from '../../access/identities.ts'
import type { Oidc, OidcFlow } from '../../access/oidc.ts'
import { Failure } from '../../contract/failure.ts'
import { identityProviderPath, isSignInProblem, signInProblem } from '../../contract/accounts.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { sessionClientOf, HostCookie, SessionCookie } from './session-cookie.ts'
import { parseUrl } from '../../lib/parse-url.ts'

const lifetimeMs = 10 * 60_000
const maxFlows = 10_000

export interface OidcRoutesOptions {
  readonly oidc: Oidc
  readonly identities: Identities
  readonly limiter: RateLimiter
  /** Origin of the dashboard. */
  readonly publicUrl: string
  readonly now: () => Date
}

interface Flow extends OidcFlow {
  /** Path and query of a page of the dashboard. */
  readonly returnTo: string
}

/** Where the provider sends browsers back to. */
export const callbackPath = `${identityProviderPath}/callback`

const home = '/dashboard'
/** Characters: it is kept in memory until the browser comes back. */
const longestPage = 500

/** Sign-in of browsers through an identity provider. What goes wrong is told on the page that they come back to. */
export function oidcRoutes(app: FastifyInstance, options: OidcRoutesOptions): void {
  const { oidc, identities, limiter, publicUrl, now } = options
  const { origin, protocol } = new URL(publicUrl)
  const secure = protocol === 'https:'
  const session = new SessionCookie(secure)
  const ticket = new HostCookie('quire_oidc', { secure, maxAgeSeconds: SignInFlows.maxAgeSeconds })
  const flows = new SignInFlows<Flow>(now)

  /** Runs one step; a failure leads back to the page `returnTo`. */
  const step = async (
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    returnTo: string,
    work: () => Promise<string>,
  ): Promise<FastifyReply> => {
    void reply.header('cache-control', 'no-store')
    try {
      return await reply.redirect(await work(), 303)
    } catch (error) {
      if (!(error instanceof Failure) || !isSignInProblem(error.code)) throw error
      request.log.warn({ err: error }, 'a sign-in through the identity provider failed')
      const page = new URL(returnTo, origin)
      page.searchParams.set(signInProblem, error.code)
      return reply.redirect(page.pathname + page.search, 303)
    }
  }

  app.get<{ Querystring: { return_to?: unknown } }>(identityProviderPath, async (request, reply) => {
    await limiter.count(request, reply, 'signIn')
    const returnTo = ownPage(request.query.return_to, origin)
    return step({ request, reply }, returnTo, async () => {
      const { url, flow } = await oidc.begin()
      ticket.set(reply, flows.begin({ ...flow, returnTo }))
      return url.href
    })
  })

  app.get(callbackPath, async (request, reply) => {
    await limiter.count(request, reply, 'signIn')
    const held = ticket.read(request)
    ticket.clear(reply)
    const flow = held === null ? null : flows.take(held)
    return step({ request, reply }, flow?.returnTo ?? home, async () => {
      if (flow === null)
        throw new Failure('expired_token', 'The sign-in was not begun in this browser, or too long ago.')
      const claims = await oidc.finish(new URL(request.url, origin).search, flow)
      session.set(reply, (await identities.signIn(claims, sessionClientOf(request, 'browser'))).token)
      return flow.returnTo
    })
  })
}

/** A page of the dashboard that a browser may be sent to; the dashboard itself for everything else. */
export function ownPage(asked: unknown, origin: string): string {
  if (typeof asked !== 'string' || asked.length > longestPage) return home
  const url = asked.startsWith('/') ? parseUrl(asked, origin) : undefined
  if (url === undefined) return home
  const own = url.origin === origin && (url.pathname === home || url.pathname.startsWith(`${home}/`))
  if (!own) return home
  url.searchParams.delete(signInProblem)
  return url.pathname + url.search
}

/**
 * Sign-ins that were begun in a browser and wait for it to come back. In memory: whoever is under way when the service
 * starts anew begins anew. Each is taken once.
 */
class SignInFlows<T> {
  readonly #now: () => Date
  /** By the hash of what the browser holds; the newest last. */
  readonly #flows = new Map<string, { readonly flow: T; readonly until: number }>()

  constructor(now: () => Date) {
    this.#now = now
  }

  static readonly maxAgeSeconds = lifetimeMs / 1000

  /** @returns what the browser shows to take it. */
  begin(flow: T): string {
    const ticket = randomBytes(32).toString('base64url')
    this.#flows.set(hashOf(ticket), { flow, until: this.#now().getTime() + lifetimeMs })
    const [oldest] = this.#flows.keys()
    if (this.#flows.size > maxFlows && oldest !== undefined) this.#flows.delete(oldest)
    return ticket
  }

  /** The flow, once; null when it is unknown, taken or too old. */
  take(ticket: string): T | null {
    const hash = hashOf(ticket)
    const waiting = this.#flows.get(hash)
    this.#flows.delete(hash)
    return waiting === undefined || this.#now().getTime() >= waiting.until ? null : waiting.flow
  }
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url')
}
