import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { GuessThrottle, siteGuesses } from '../../access/throttles.ts'
import { Failure } from '../../contract/failure.ts'
import { passwordLength } from '../../contract/accounts.ts'
import type { RateLimitName } from '../../contract/limits.ts'
import { withBase } from '../../lib/base-path.ts'
import { networkOf, wideNetworkOf } from '../../lib/network.ts'
import type { EntryCodes } from '../../visibility/entry-codes.ts'
import type { Grant } from '../../visibility/grants.ts'
import type { SiteHost, Visibility } from '../../visibility/visibility.ts'
import { baseOf } from '../requests/known.ts'
import { assertOwnPage } from './own-page.ts'
import type { EntryProblem } from './private-page.ts'
import { enterPath, type PrivateSites } from './private.ts'
import { sitePath } from './site-path.ts'

interface Limiter {
  count(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName | undefined): Promise<void>
  countFailure(request: FastifyRequest, reply: FastifyReply): Promise<void>
}

export interface EnteringOptions {
  readonly sites: PrivateSites
  readonly visibility: Visibility
  readonly codes: EntryCodes
  readonly originOf: (site: SiteHost) => string
  readonly limiter: Limiter
  readonly now: () => Date
}

/** A password, and the path, each byte of them written as an escape. */
const bodyLimit = 3 * (4 * passwordLength.most + 8192) + 100

/** Bounds wrong passwords of sites. */
class SiteGuesses {
  readonly #ofNetwork: GuessThrottle
  readonly #ofSite: GuessThrottle
  readonly #ofWideNetwork: GuessThrottle

  constructor(now: () => Date) {
    this.#ofNetwork = new GuessThrottle(siteGuesses.ofNetwork, now)
    this.#ofSite = new GuessThrottle(siteGuesses.ofSite, now)
    this.#ofWideNetwork = new GuessThrottle(siteGuesses.ofWideNetwork, now)
  }

  /** Looks at a password, for a wide network. Throws Failure `rate_limited`. */
  async guard(
    project: string,
    address: string,
    look: (wideNetwork: string) => Promise<Grant | null>,
  ): Promise<Grant | null> {
    const wideNetwork = wideNetworkOf(address)
    const network = `${project} ${networkOf(address)}`
    const around = `${project} ${wideNetwork}`
    this.#ofNetwork.assertAllowed(network)
    if (this.#ofSite.isOver(project)) this.#ofWideNetwork.assertAllowed(around)
    const count = (change: 1 | -1): void => {
      this.#ofNetwork.note(network, change)
      this.#ofWideNetwork.note(around, change)
      this.#ofSite.note(project, change)
    }
    // Before it is looked at: many at once gain nothing.
    count(1)
    let isWrong = false
    try {
      const grant = await look(wideNetwork)
      isWrong = grant === null
      return grant
    } finally {
      if (!isWrong) count(-1)
    }
  }
}

/**
 * The ways into a private site, on its own host: share links, the password, and codes that members bring from the
 * service’s. They go through the application as its own requests do; there is no way to them from its own host.
 */
export async function enteringRoutes(app: FastifyInstance, options: EnteringOptions): Promise<void> {
  const { sites, visibility, codes, originOf, limiter, now } = options
  const guesses = new SiteGuesses(now)

  const siteOf = (request: FastifyRequest): SiteHost => {
    const site = sites.entered(request.raw)
    if (site === undefined) throw new Failure('not_found', `There is nothing at ${enterPath}.`)
    return site
  }

  const shut = (
    { site, path, problem }: { readonly site: SiteHost; readonly path: string; readonly problem: EntryProblem },
    reply: FastifyReply,
  ): FastifyReply => {
    const { html, headers } = sites.page(reply.request.raw, site, { wanted: path, problem })
    return reply
      .code(problem === 'often' ? 429 : 401)
      .headers(headers)
      .send(html)
  }

  /** The page where there were too many attempts; throws whatever else went wrong. */
  const later = (
    { site, path, error }: { readonly site: SiteHost; readonly path: string; readonly error: unknown },
    reply: FastifyReply,
  ): FastifyReply => {
    if (!(error instanceof Failure) || error.code !== 'rate_limited') throw error
    if (error.retryAfter !== undefined) void reply.header('retry-after', String(Math.ceil(error.retryAfter)))
    return shut({ site, path, problem: 'often' }, reply)
  }

  const enter = (
    { site, path, grant }: { readonly site: SiteHost; readonly path: string; readonly grant: Grant | null },
    request: FastifyRequest,
    reply: FastifyReply,
  ): FastifyReply => {
    const signed = grant === null ? null : visibility.sign(site, grant)
    if (signed !== null) reply.header('set-cookie', sites.cookieOf(request.raw, signed))
    // Below a path of another host, readers stay at that host.
    const base = baseOf(request.raw)
    const to = base === '' ? originOf(site) + path : withBase(path, base)
    return reply.header('referrer-policy', 'no-referrer').redirect(to, 303)
  }

  await app.register(async (scope) => {
    await scope.register(formbody, { bodyLimit })
    scope.addHook('onRequest', async (request, reply) => {
      const site = siteOf(request)
      void reply.header('cache-control', 'no-store')
      const isGuess = request.method === 'POST'
      if (isGuess) assertOwnPage(request, originOf(site), 'Only the page of this site takes its password.')
      try {
        await limiter.count(request, reply, isGuess ? 'enter' : undefined)
      } catch (error) {
        return later({ site, path: '/', error }, reply)
      }
      return undefined
    })

    scope.get(enterPath, async (request, reply) => {
      const site = siteOf(request)
      const { share, code, path: wanted } = request.query as Readonly<Record<string, unknown>>
      const path = sitePath(wanted)
      if (!visibility.isPrivate(site.project)) return enter({ site, path, grant: null }, request, reply)
      if (typeof share !== 'string' && typeof code !== 'string')
        return enter({ site, path, grant: null }, request, reply)
      const grant = typeof share === 'string' ? visibility.byLink(site.project, share) : codes.take(String(code), site)
      if (grant !== null) return enter({ site, path, grant }, request, reply)
      try {
        await limiter.countFailure(request, reply)
      } catch (error) {
        return later({ site, path, error }, reply)
      }
      return shut({ site, path, problem: typeof share === 'string' ? 'link' : 'code' }, reply)
    })

    scope.post(enterPath, { bodyLimit }, async (request, reply) => {
      const site = siteOf(request)
      const { password, path: wanted } = (request.body ?? {}) as Readonly<Record<string, unknown>>
      const path = sitePath(wanted)
      let grant: Grant | null = null
      try {
        grant = await guesses.guard(site.project, request.ip, async (name) =>
          typeof password === 'string' && password.length <= passwordLength.most
            ? visibility.byPassword(site.project, password, { name, isKnown: false })
            : null,
        )
      } catch (error) {
        return later({ site, path, error }, reply)
      }
      if (grant !== null || !visibility.isPrivate(site.project)) return enter({ site, path, grant }, request, reply)
      return shut({ site, path, problem: 'password' }, reply)
    })
  })
}
