import { getDomain } from 'tldts'
import type { HostSettings } from './hosts.ts'

/**
 * Why the sites and the dashboard must not run so, or null when they may. Scripts of a tenant's site can set cookies
 * for the whole registrable domain: on the dashboard's that would reach people's sessions. On a developer's machine,
 * where PUBLIC_URL is a loopback host, it is allowed.
 */
export function originProblem({ publicUrl, previewDomain }: HostSettings): string | null {
  const dashboard = new URL(publicUrl).hostname
  if (isLoopbackName(dashboard)) return null
  const sites = previewDomain.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase()
  const options = { allowPrivateDomains: true }
  // A preview domain that is itself a public suffix has no registrable domain, and each site one of its own.
  const mine = getDomain(dashboard, options) ?? dashboard
  const theirs = getDomain(sites, options) ?? sites
  if (mine !== theirs && !isUnder(dashboard, sites)) return null
  return (
    `PREVIEW_DOMAIN (${sites}) and PUBLIC_URL (${dashboard}) share the domain ${mine}: a site could set cookies for the dashboard. ` +
    'Serve sites under a domain of their own.'
  )
}

function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith('.' + domain)
}

function isLoopbackName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
