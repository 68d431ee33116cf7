import { lookup, Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Failure, type FailureCode } from '../contract/failure.ts'
import { Blocked, SendFailed, type BlockRule } from './send.ts'
import { webhookLimits } from '../contract/webhooks.ts'
import { parseUrl } from '../lib/parse-url.ts'

/** Where webhooks may go, beside the rules that hold everywhere. */
interface UrlPolicy {
  /** `host` or `host:port`, IPv6 with or without brackets: exempt from the rules on ports, names and addresses. */
  readonly allowHosts: readonly string[]
  /** Host of the dashboard. Names below it are the service’s own, too. */
  readonly ownHost: string
  /** Sites of tenants are below it. */
  readonly previewDomain: string
}

/** A URL whose form is in order. */
export interface Target {
  readonly url: URL
  /** Without brackets and final dot. */
  readonly host: string
  /** The host is an IP address: nothing is looked up. */
  readonly literal: boolean
  /** On the list of exempt hosts. */
  readonly exempt: boolean
}

const ports: readonly string[] = ['443', '8443']

/** Names that are not the public DNS’s. Names of one label are not, either. */
const localNames =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|onion|invalid)$/
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

/** The URL taken apart. Throws Blocked: every rule that needs no lookup is here. */
function parseTarget(text: string, policy: UrlPolicy): Target {
  const url = parse(text)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const literal = isIP(host) !== 0
  const names = new Set([host, url.hostname].flatMap((name) => [name, `${name}:${portOf(url)}`]))
  const exempt = policy.allowHosts.some((allowed) => names.has(allowed.toLowerCase()))
  requireScheme(url, host, exempt)
  if (url.username !== '' || url.password !== '') {
    throw new Blocked('credentials', 'The URL has a user name or password in it.')
  }
  if (host.length > 253 || (!literal && host.split('.').some((label) => label === '' || label.length > 63))) {
    throw new Blocked('malformed', 'The URL’s host is not a valid name.')
  }
  const target = { url, host, literal, exempt }
  if (!exempt) requirePublic(target, policy)
  return target
}

function parse(text: string): URL {
  if (text.length > webhookLimits.url) {
    throw new Blocked('malformed', `The URL is longer than ${webhookLimits.url} characters.`)
  }
  // Parsers drop or turn these in their own ways: what is checked must be what is sent to.
  if (/[\s\p{Cc}\\]/u.test(text))
    throw new Blocked('malformed', 'The URL has spaces, control characters or backslashes.')
  const url = parseUrl(text)
  if (url === undefined) throw new Blocked('malformed', 'This is not a URL.')
  if (/^https?:$/.test(url.protocol) && !/^https?:\/\//i.test(text)) {
    throw new Blocked('malformed', 'The URL does not begin with `https://`.')
  }
  return url
}

/** Without TLS nothing may leave the machine; a receiver on it that the operator has allowed needs no certificate. */
function requireScheme({ protocol }: URL, host: string, exempt: boolean): void {
  if (protocol === 'https:' || (protocol === 'http:' && exempt && isOwnMachine(host))) return
  throw new Blocked('not_https', `The URL begins with \`${protocol}\`, not \`https:\`.`)
}

function isOwnMachine(host: string): boolean {
  return isIP(host) === 0 ? /(?:^|\.)localhost$/.test(host) : isLoopback(host)
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port
  return protocol === 'http:' ? '80' : '443'
}

function requirePublic({ url, host, literal }: Target, { ownHost, previewDomain }: UrlPolicy): void {
  const port = portOf(url)
  if (!ports.includes(port)) {
    throw new Blocked('port', `The URL’s port is ${port}; allowed are ${ports.join(' and ')}.`)
  }
  if (literal) return requirePublicAddress(host)
  if ([ownHost, previewDomain].some((own) => host === own || host.endsWith(`.${own}`))) {
    throw new Blocked('own_host', `The host ${host} is this service’s own.`)
  }
  if (!host.includes('.') || localNames.test(host)) {
    throw new Blocked('local_name', `The host ${host} is a local name, not a public one.`)
  }
}

/** Throws Blocked for an address that is not public. */
function requirePublicAddress(address: string, host = address): void {
  const what = specialPurpose(address)
  if (what === null) return
  const subject = host === address ? `The address ${address}` : `The host ${host} has the address ${address}, which`
  throw new Blocked('private_address', `${subject} is not public: it is ${what}.`)
}

type Range = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** IANA’s special-purpose registry, and what only one cloud uses. All other IPv4 addresses are public. */
const special4: readonly (readonly [range: string, what: string])[] = [
  ['0.0.0.0/8', 'this host'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a carrier’s private network'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'a cloud’s internal service'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'for documentation'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'a private network'],
  ['198.18.0.0/15', 'for benchmarks'],
  ['198.51.100.0/24', 'for documentation'],
  ['203.0.113.0/24', 'for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
]

/** Of IPv6 only this is given out; loopback, private, mapped, translated and future ranges are outside. */
const global6 = '2000::/3'
const special6: readonly (readonly [range: string, what: string])[] = [
  ['2001::/23', 'a protocol’s range (Teredo, benchmarks)'],
  ['2001:db8::/32', 'for documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'for documentation'],
]

const parsed = (ranges: typeof special4): (readonly [Range, string])[] =>
  ranges.map(([range, what]) => [ipaddr.parseCIDR(range), what] as const)
const ranges4 = parsed(special4)
const ranges6 = parsed(special6)
const globalRange = ipaddr.parseCIDR(global6)

/**
 * What an IP address is when it is not a public one, such as `loopback`; null for a public one.
 *
 * @param address dotted decimal, or IPv6 without brackets. Anything else, zone ids included, is not public either.
 */
export function specialPurpose(address: string): string | null {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return 'no plain IP address'
  const ip = ipaddr.parse(address)
  if (family === 6 && !ip.match(globalRange)) return 'outside the public range of IPv6'
  const ranges = family === 4 ? ranges4 : ranges6
  return ranges.find(([range]) => ip.match(range))?.[1] ?? null
}

/** Whether an address is this machine’s own loopback. */
export function isLoopback(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  return ipaddr.process(address).range() === 'loopback'
}

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
