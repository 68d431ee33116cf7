import { isIP } from 'node:net'
import { webhookLimits } from '../contract/webhooks.ts'
import { isLoopback, specialPurpose } from './addresses.ts'
import { Blocked } from './sending.ts'

/** Where webhooks may go, beside the rules that hold everywhere. */
export interface UrlPolicy {
  /** `host` or `host:port`, IPv6 with or without brackets: exempt from the rules on ports, names and addresses. */
  readonly allowHosts: readonly string[]
  /** Host of the dashboard. */
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

/** The URL taken apart. Throws Blocked: every rule that needs no lookup is here. */
export function parseTarget(text: string, policy: UrlPolicy): Target {
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
  if (!URL.canParse(text)) throw new Blocked('malformed', 'This is not a URL.')
  const url = new URL(text)
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
  if (host === ownHost || host === previewDomain || host.endsWith(`.${previewDomain}`)) {
    throw new Blocked('own_host', `The host ${host} is this service’s own.`)
  }
  if (!host.includes('.') || localNames.test(host)) {
    throw new Blocked('local_name', `The host ${host} is a local name, not a public one.`)
  }
}

/** Throws Blocked for an address that is not public. */
export function requirePublicAddress(address: string, host = address): void {
  const what = specialPurpose(address)
  if (what === null) return
  const subject = host === address ? `The address ${address}` : `The host ${host} has the address ${address}, which`
  throw new Blocked('private_address', `${subject} is not public: it is ${what}.`)
}
