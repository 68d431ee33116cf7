import { domainLimits, type Domain, type DomainRecord } from '../contract/domains.ts'
import { registrableDomain } from '../lib/domain-names.ts'
import { graceEnd, recordText, type StoredDomain } from './stored-domain.ts'
import { recordName } from './txt-lookup.ts'

export interface PresentOptions {
  /** Address of the site on a domain. */
  readonly urlOf: (name: string) => string
  /** Host of the project's site, to which the domain must lead. */
  readonly target: string
  /** The domain that the project leads its readers to. */
  readonly primary: string | undefined
}

/** A domain as its project sees it. */
export function presentDomain(domain: Readonly<StoredDomain>, { urlOf, target, primary }: PresentOptions): Domain {
  const { name, addedAt, verifiedAt, checkedAt, missingSince } = domain
  const isVerified = verifiedAt !== undefined
  const problem = problemOf(domain)
  return {
    domain: name,
    url: urlOf(name),
    verified: isVerified,
    records: recordsOf(domain, target),
    primary: name === primary,
    addedAt,
    ...(isVerified ? { verifiedAt } : {}),
    ...(checkedAt === undefined ? {} : { checkedAt }),
    ...(missingSince === undefined ? {} : { missingSince }),
    ...(isVerified && missingSince !== undefined ? { endsAt: graceEnd(missingSince).toISOString() } : {}),
    ...(problem === undefined ? {} : { problem }),
  }
}

function recordsOf(domain: Readonly<StoredDomain>, target: string): DomainRecord[] {
  const { name } = domain
  const bought = registrableDomain(name)
  const hostOf = (full: string): string => (full === bought ? '@' : full.slice(0, -bought.length - 1))
  const isApex = name === bought
  return [
    {
      purpose: 'ownership',
      type: 'TXT',
      name: recordName(name),
      host: hostOf(recordName(name)),
      value: recordText(domain),
      note: 'Shows that the domain is yours. Keep it: it is looked for again every day.',
    },
    {
      purpose: 'traffic',
      type: isApex ? 'ALIAS' : 'CNAME',
      name,
      host: hostOf(name),
      value: target,
      note: isApex
        ? 'A domain itself can have no CNAME beside its other records. Choose ALIAS, ANAME or a flattened CNAME; where ' +
          `your provider has none of them, enter A and AAAA records with the addresses of ${target}.`
        : 'Leads readers here. Remove A and AAAA records of the same name.',
    },
  ]
}

function problemOf(domain: Readonly<StoredDomain>): string | undefined {
  const { name, verifiedAt, missingSince, fault } = domain
  const place = recordName(name)
  const wanted = `a TXT record ${place} that says ${recordText(domain)}`
  if (fault === undefined) return undefined
  if (fault === 'moved')
    return `Another project of this service has shown that ${name} is its own. To have it back, enter ${wanted}, remove the other one, and verify it again.`
  if (fault === 'own_name')
    return `The service itself uses ${name} now, or a name in the same domain, so that no project can have it. Remove it here.`
  if (fault === 'no_answer')
    return `The name servers of ${name} gave no answer when it was last looked for. Try again in a few minutes; when that does not help, ask the provider of its DNS.`
  const found =
    fault === 'no_record'
      ? `There is no TXT record ${place}.`
      : `The TXT records ${place} say something else than they should.`
  if (verifiedAt !== undefined && missingSince !== undefined)
    return `${found} The site is served at ${name} nevertheless for ${domainLimits.graceDays} days from when it went missing: enter ${wanted} before.`
  if (missingSince !== undefined)
    return `${found} It was missing for ${domainLimits.graceDays} days, and the site is not served at ${name} any more. Enter ${wanted}, and verify it again.`
  return `${found} Enter ${wanted}; it may take some minutes until it can be seen. Many providers append the domain to the name by themselves.`
}
