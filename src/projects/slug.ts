import { Failure } from '../contract/failure.ts'

/** Names that would pass for the service itself, or that it may need one day. */
const reserved = new Set(
  (
    'www api app admin dashboard git static assets cdn localhost auth login signup account accounts billing status ' +
    'mail smtp imap pop ftp ns1 ns2 mx autoconfig autodiscover wpad isatap postmaster hostmaster webmaster ' +
    'device settings new'
  ).split(' '),
)

/**
 * What is wrong with a project's slug, or null. It becomes a host name (RFC 1035, 2.3.1 with RFC 1123's leading digits);
 * `--` parts slug and branch in the host of a preview, and makes `xn--` names impossible.
 */
export function slugFault(slug: string): string | null {
  if (slug.length === 0) return 'is empty'
  if (slug.length > 63) return `has ${slug.length} characters; a host name’s part has at most 63`
  if (/[A-Z]/.test(slug)) return 'has capital letters; use lower case'
  if (!/^[a-z0-9-]+$/.test(slug)) return 'may have lower-case letters, digits and hyphens only'
  if (slug.startsWith('-') || slug.endsWith('-')) return 'begins or ends with a hyphen'
  if (slug.includes('--')) return 'has two hyphens in a row, which part a project from its branch in preview addresses'
  if (reserved.has(slug)) return 'is reserved for the service'
  return null
}

/** Throws Failure `invalid_request` for a slug that no project may have. */
export function assertSlug(slug: string): void {
  const fault = slugFault(slug)
  if (fault === null) return
  throw new Failure('invalid_request', `The slug ${JSON.stringify(slug)} ${fault}.`, {
    hint: 'Choose a short name such as my-project: it becomes the site’s host name.',
    errors: [{ pointer: '/slug', message: fault }],
  })
}
