import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse } from 'tldts'
import { Failure } from '../contract/failure.ts'
import { isUnder, registrableDomain } from '../lib/domain-names.ts'

/** Names that no project can have: of the service and of its sites. */
export interface OwnNames {
  /** Host of the dashboard. */
  readonly serviceHost: string
  /** Sites are below it; without a port. */
  readonly previewDomain: string
}

/** A name of the DNS has 253 characters; that of the record is longer by its first part. */
const longest = 253 - '_quire.'.length
/** What URL parsers take for something else than a part of a name, or decode. */
const foreign = /[\s\p{Cc}\p{Surrogate}/\\?#@%[\]<>^|]/u
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The name as the DNS and the Host header have it: lower case, Punycode, no final dot. Null for what is no name, whoever
 * may have it.
 */
export function asciiName(text: string): string | null {
  if (foreign.test(text)) return null
  const name = domainToASCII(text).replace(/\.$/, '')
  return name.length <= longest && name.split('.').every((part) => label.test(part)) ? name : null
}

/** The name that a project asks for. Throws Failure `invalid_domain` for one that no project can have. */
export function domainName(text: string, own: OwnNames): string {
  const typed = text.trim()
  const name = asciiName(typed)
  const fault = name === null ? formFault(typed) : nameFault(name, own)
  if (name !== null && fault === null) return name
  const shown = JSON.stringify(typed.length > 100 ? `${typed.slice(0, 99)}…` : typed)
  throw new Failure('invalid_domain', `The domain ${shown} ${fault ?? 'is not valid'}.`, {
    hint: 'Give the host name alone, such as docs.example.com, of a domain whose DNS you can change.',
    errors: [{ pointer: '/domain', message: fault ?? 'is not valid' }],
  })
}

/** Whether a project can have a name that is written as the DNS has it. */
export function isAllowed(name: string, own: OwnNames): boolean {
  return nameFault(name, own) === null
}

function formFault(typed: string): string {
  if (typed === '') return 'is empty'
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) return 'is an address; leave out what is before and after the name'
  if (typed.includes('*')) return 'has a wildcard; add each name by itself'
  if (/^\[?[0-9a-f:]*:[0-9a-f:.]*\]?$/i.test(typed) && isIP(typed.replace(/^\[|\]$/g, '')) !== 0)
    return 'is an IP address, not a name'
  if (/:\d*$/.test(typed)) return 'has a port; sites are served on the usual one'
  if (typed.includes('/')) return 'has a path; a site has a whole host'
  if (typed.length > longest) return `is longer than ${longest} characters`
  return 'is not a host name: its parts are letters, digits and hyphens between them, at most 63 each'
}

function nameFault(name: string, { serviceHost, previewDomain }: OwnNames): string | null {
  if (isIP(name) !== 0) return 'is an IP address, not a name'
  if (isUnder(name, previewDomain))
    return 'is below the domain of all sites here; change the slug of the project instead'
  if (isUnder(name, serviceHost) || registrableDomain(name) === registrableDomain(serviceHost))
    return 'is the service’s own, or shares a domain with it, whose cookies a site could set'
  const { domain, publicSuffix, isIcann, isPrivate } = parse(name, { allowPrivateDomains: true })
  if (isIcann !== true && isPrivate !== true)
    return `does not end in what the public DNS knows (.${publicSuffix ?? name})`
  if (name === publicSuffix || domain === null) return 'is a public suffix: others have the domains below it'
  return null
}
