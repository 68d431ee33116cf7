import { lookup, Resolver } from 'node:dns/promises'
import { Failure, type FailureCode } from '../contract/failure.ts'
import { Blocked, SendFailed, type BlockRule } from './send.ts'
import { parseTarget, requirePublicAddress, type Target, type UrlPolicy } from './url.ts'

const noAddressCodes = new Set(['ENODATA'])

const failureCodes: Readonly<Record<BlockRule, FailureCode>> = {
  malformed: 'webhook_url_invalid',
  not_https: 'webhook_url_not_https',
  credentials: 'webhook_url_invalid',
  port: 'webhook_url_invalid',
  own_host: 'webhook_url_private',
  local_name: 'webhook_url_private',
  no_address: 'webhook_url_invalid',
  private_address: 'webhook_url_private',
}

const hints: Partial<Readonly<Record<BlockRule, string>>> = {
  not_https: 'Use a URL that begins with `https://`.',
  credentials: 'Check the signature of deliveries instead, or put a token into the path.',
  no_address: 'Check the host for a typing mistake.',
}
const publicHint = 'Use a receiver that is reachable from the internet.'

export interface GuardOptions extends UrlPolicy {
  readonly lookup: Lookup
  /** For the exempt hosts. */
  readonly systemLookup: Lookup
}

/** Says whether a URL may be sent to: its form, its name, and all addresses that the name has at this moment. */
export class Guard {
  readonly #options: GuardOptions

  constructor(options: GuardOptions) {
    this.#options = options
  }

  /** The rules that need no lookup. Throws Blocked. */
  parse(url: string): Target {
    return parseTarget(url, this.#options)
  }

  /**
   * Addresses to connect to. One that may not be reached spoils them all: who mixes public and private addresses is
   * trying something. Throws Blocked, SendFailed `lookup`.
   */
  async addresses({ host, literal, exempt }: Target): Promise<readonly string[]> {
    if (literal) return [host]
    if (exempt) return this.#options.systemLookup(host)
    const addresses = await this.#options.lookup(host)
    for (const address of addresses) requirePublicAddress(address, host)
    return addresses
  }
}

/**
 * Addresses of a name: all of them, at least one. Throws Blocked `no_address` for a name that has none, and SendFailed
 * `lookup` when nothing could be learnt.
 */
export type Lookup = (host: string) => Promise<readonly string[]>

type Resolving = Pick<Resolver, 'resolve4' | 'resolve6'>

/**
 * Asks the name servers, never the hosts file, and those that the system has at this moment: a resolver knows only those
 * of when it was made. Not `getaddrinfo`: it takes threads that the file system needs, so that
 * a slow name server of one receiver would hold up everything.
 */
export function publicLookup(create: () => Resolving = createResolver): Lookup {
  return async (host) => {
    const resolver = create()
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (found.length > 0) return found
    const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [codeOf(answer.reason)] : ['ENODATA']))
    if (codes.every((code) => noAddressCodes.has(code)))
      throw new Blocked('no_address', `The host ${host} has no address.`)
    throw lookupFailed(host, codes.find((code) => !noAddressCodes.has(code)) ?? '')
  }
}

/** Two tries of two seconds: a lookup ends well before the time of a request does. */
function createResolver(): Resolver {
  return new Resolver({ timeout: 2000, tries: 2 })
}

/** As the system resolves names, hosts file included: for hosts that the operator has named. */
export const systemLookup: Lookup = async (host) => {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch (error) {
    throw lookupFailed(host, codeOf(error))
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

function lookupFailed(host: string, code: string): SendFailed {
  return new SendFailed('lookup', `The host ${host} could not be looked up (${code}).`)
}

/**
 * The URL of a webhook that is to be created or changed. A name that cannot be looked up is let in: that says nothing
 * about the URL, and every delivery looks again. Throws Failure `webhook_url_not_https`, `webhook_url_private` or
 * `webhook_url_invalid`.
 */
export async function admitUrl(guard: Guard, text: string): Promise<URL> {
  try {
    const target = guard.parse(text)
    await lookUp(guard, target)
    return target.url
  } catch (error) {
    if (!(error instanceof Blocked)) throw error
    throw new Failure(failureCodes[error.rule], error.message, {
      hint: hints[error.rule] ?? publicHint,
      errors: [{ pointer: '/url', message: error.message }],
      extra: { rule: error.rule },
      cause: error,
    })
  }
}

async function lookUp(guard: Guard, target: Target): Promise<void> {
  try {
    await guard.addresses(target)
  } catch (error) {
    if (!(error instanceof SendFailed)) throw error
  }
}
