import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Failure } from '../../contract/failure.ts'
import { generalLimitNames, rateLimitNames, type RateLimitName, type RateLimits } from '../../contract/limits.ts'
import { networkOf, wideNetworkOf } from '../../lib/network.ts'
import type { Projects } from '../../projects/projects.ts'

const windowSeconds = 60
/** Callers that a limit remembers; beyond, the one that was quiet longest starts anew. About 2 MB a limit. */
const maxRemembered = 20_000

type Limit = keyof RateLimits

/** How many times more strangers of a wide network may ask than those of one network in it: it may be one party's. */
const wideFactor = 8

type Count = ReturnType<FastifyInstance['createRateLimit']>

/** Whose a project is. */
type OwnerOf = Pick<Projects, 'ownerOf'>

/**
 * Counts requests in windows of a minute. Needs @fastify/rate-limit registered. Every account has a budget of its own,
 * whatever address its requests come from and however many keys its projects have. Who has no good credential is counted
 * by network, and so that many networks of one party are not as many parties, by the wide network around it.
 */
export class RateLimiter {
  readonly #counts: ReadonlyMap<Limit, { readonly own: Count; readonly wide: Count }>

  constructor(app: FastifyInstance, limits: RateLimits, projects: OwnerOf) {
    const count = (max: number, keyGenerator: (request: FastifyRequest) => string): Count => {
      const options = { max, timeWindow: windowSeconds * 1000, keyGenerator, cache: maxRemembered }
      return app.createRateLimit(options)
    }
    const wide = ({ ip }: FastifyRequest): string => wideNetworkOf(ip)
    const own = (request: FastifyRequest): string => callerOf(request, projects)
    this.#counts = new Map(
      [...rateLimitNames, ...generalLimitNames].map((name) => {
        const max = limits[name]
        const by = name === 'failures' ? addressOf : own
        return [name, { own: count(max, by), wide: count(max * wideFactor, wide) }]
      }),
    )
  }

  /**
   * Counts a request whose caller is known, or known to be nobody. Throws Failure `rate_limited`.
   *
   * @param limit The endpoint's own, beside the general one.
   */
  async count(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName | undefined): Promise<void> {
    await this.#spend(request.caller === null ? 'strangers' : 'callers', request, reply)
    if (limit !== undefined) await this.#spend(limit, request, reply)
  }

  /** Counts what pages of sites send by themselves: in its own limit alone, so that reading takes nothing from whoever asks. */
  async countOwn(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName): Promise<void> {
    await this.#spend(limit, request, reply)
  }

  /** Counts a credential that was refused. Throws Failure `rate_limited` when its address sent too many. */
  async countFailure(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#spend('failures', request, reply)
  }

  async #spend(name: Limit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const counts = this.#counts.get(name)
    const counted = await counts?.own(request)
    if (counts === undefined || counted === undefined || counted.isAllowed) return
    const { max, remaining, ttlInSeconds: seconds } = counted
    const isStranger = name === 'failures' || request.caller === null
    announce(reply, { name, max, remaining, seconds })
    if (counted.isExceeded)
      throw this.#refusal(name, { max, seconds, who: isStranger ? 'this address' : 'this account' })
    // Only what its own network may: of one that asks too often, others around it do not suffer.
    const around = isStranger ? await counts.wide(request) : undefined
    if (around === undefined || around.isAllowed || !around.isExceeded) return
    throw this.#refusal(name, { max: around.max, seconds: around.ttlInSeconds, who: 'the network around this address' })
  }

  #refusal(name: Limit, of: { readonly max: number; readonly seconds: number; readonly who: string }): Failure {
    const { max, seconds, who } = of
    const what = name === 'failures' ? 'requests with a credential that is not valid' : 'requests'
    return new Failure('rate_limited', `More than ${max} ${what} a minute from ${who}.`, {
      hint: `Wait ${seconds} s. ${hints[name] ?? 'A script can go by the headers RateLimit and Retry-After.'}`,
      retryAfter: Math.max(1, seconds),
      extra: { limit: { name, requests: max, windowSeconds } },
    })
  }
}

const hints: Partial<Record<Limit, string>> = {
  strangers: 'With an API key, requests are counted for its account and more are allowed.',
  failures: 'Check the API key: it may be mistyped, revoked or expired. Good keys are served meanwhile.',
}

interface State {
  readonly name: Limit
  readonly max: number
  readonly remaining: number
  readonly seconds: number
}

/**
 * The headers of https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ (structured fields), which the
 * package does not know: it sends three of an older draft. An answer under two limits names both.
 */
function announce(reply: FastifyReply, { name, max, remaining, seconds }: State): void {
  append(reply, 'ratelimit-policy', `"${name}";q=${max};w=${windowSeconds}`)
  append(reply, 'ratelimit', `"${name}";r=${remaining};t=${seconds}`)
}

function append(reply: FastifyReply, header: string, item: string): void {
  const before = reply.getHeader(header)
  reply.header(header, typeof before === 'string' ? `${before}, ${item}` : item)
}

/** The account behind a request: a key acts for the owner of its project, and a new key is no new budget. */
function callerOf(request: FastifyRequest, projects: OwnerOf): string {
  const { caller } = request
  if (caller === null) return addressOf(request)
  return `account ${caller.kind === 'key' ? projects.ownerOf(caller.project) : caller.account.id}`
}

function addressOf({ ip }: FastifyRequest): string {
  return `address ${networkOf(ip)}`
}
