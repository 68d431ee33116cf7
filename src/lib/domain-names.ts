import { getDomain } from 'tldts'

/** The domain that somebody bought and a name is in; the name itself where there is none, as of an IP address. */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

/** Whether a host is a domain or below it. */
export function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith('.' + domain)
}
