import { lookup, Resolver } from 'node:dns/promises'
import { Blocked, SendFailed } from './sending.ts'

/**
 * Addresses of a name: all of them, at least one. Throws Blocked `no_address` for a name that has none, and SendFailed
 * `lookup` when nothing could be learnt.
 */
export type Lookup = (host: string) => Promise<readonly string[]>

const noAddress = new Set(['ENODATA'])

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
    if (codes.every((code) => noAddress.has(code))) throw new Blocked('no_address', `The host ${host} has no address.`)
    throw lookupFailed(host, codes.find((code) => !noAddress.has(code)) ?? '')
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
