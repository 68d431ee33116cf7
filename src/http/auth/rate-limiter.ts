import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Principal } from '../../access/principal.ts'
import { Failure } from '../../contract/failure.ts'
import { generalLimitNames, rateLimitNames, type RateLimitName, type RateLimits } from '../../contract/limits.ts'

const windowSeconds = 60
/** Callers that a limit remembers; beyond, the one that was quiet longest starts anew. About 2 MB a limit. */
const maxRemembered = 20_000

type Limit = keyof RateLimits

interface Owners {
  find(slug: string): Promise<{ readonly owner: string } | null>
}

type Count = ReturnType<FastifyInstance['createRateLimit']>

/**
 * Counts requests in windows of a minute. Needs @fastify/rate-limit registered. Everyone with a good credential has a
 * budget of their own: those behind one address do not take it from each other.
 */
export class RateLimiter {
  readonly #limits: RateLimits
  readonly #counts: ReadonlyMap<Limit, Count>

  /** @param projects who owns what. */
  constructor(app: FastifyInstance, limits: RateLimits, projects: Owners) {
    this.#limits = limits
    const counted: Partial<Record<Limit, (request: FastifyRequest) => string | Promise<string>>> = {
      failures: addressOf,
      // By person: a new key is no new budget.
      webhooks: (request) => userOf(request, projects),
    }
    this.#counts = new Map(
      [...rateLimitNames, ...generalLimitNames].map((name) => {
        const keyGenerator = counted[name] ?? callerOf
        const options = { max: limits[name], timeWindow: windowSeconds * 1000, keyGenerator, cache: maxRemembered }
        return [name, app.createRateLimit(options)]
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

  /** Counts a credential that was refused. Throws Failure `rate_limited` when its address sent too many. */
  async countFailure(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.#spend('failures', request, reply)
  }

  async #spend(name: Limit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const counted = await this.#counts.get(name)?.(request)
    if (counted === undefined || counted.isAllowed) return
    const { max, remaining, ttlInSeconds: seconds } = counted
    announce(reply, { name, max, remaining, seconds })
    if (!counted.isExceeded) return
    throw new Failure('rate_limited', `More than ${max} requests a minute from ${whoOf(name, request.caller)}.`, {
      hint: `Wait ${seconds} s. ${hints[name] ?? 'A script can go by the headers RateLimit and Retry-After.'}`,
      retryAfter: Math.max(1, seconds),
      extra: { limit: { name, requests: this.#limits[name], windowSeconds } },
    })
  }
}

const hints: Partial<Record<Limit, string>> = {
  strangers: 'With an API key, requests are counted by key and more are allowed.',
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

function callerOf(request: FastifyRequest): string {
  const { caller } = request
  if (caller === null) return addressOf(request)
  return caller.kind === 'key' ? `key ${caller.key.id}` : `account ${caller.account.id}`
}

/** The person behind a request: a key acts for the owner of its project. */
async function userOf(request: FastifyRequest, projects: Owners): Promise<string> {
  const { caller } = request
  if (caller?.kind !== 'key') return callerOf(request)
  const project = await projects.find(caller.project)
  return project === null ? callerOf(request) : `account ${project.owner}`
}

/** IPv6 by its first 64 bits: a household has as many addresses as it likes below them. */
function addressOf(request: FastifyRequest): string {
  return `address ${normalizeIP(request.ip)}`
}

function whoOf(name: Limit, caller: Principal): string {
  if (name === 'failures') return 'this address had a credential that is not valid'
  if (caller === null) return 'this address'
  if (name === 'webhooks' && caller.kind === 'key') return 'the owner of this project'
  return caller.kind === 'key' ? 'this API key' : 'this account'
}
