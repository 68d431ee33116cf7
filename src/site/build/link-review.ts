import type { ErrorDetail } from '../../contract/common.ts'
import type { Redirect } from '../../contract/release.ts'
import type { Changes } from './changes.ts'
import { SiteRedirects } from '../config/site-redirects.ts'
import { checkLinks, LinkTargets } from './links.ts'
import type { PageRecords } from './page-records.ts'
import { sitePages, type Plan } from './plan.ts'
import { GENERATED } from './texts.ts'

/** Links that lead nowhere, by source path of their page, and what they were looked up in. */
export interface LinkReview {
  readonly targets: LinkTargets
  readonly redirects: readonly Redirect[]
  readonly findings: ReadonlyMap<string, readonly ErrorDetail[]>
}

interface ReviewInput {
  readonly plan: Plan
  readonly records: PageRecords
  readonly redirects: readonly Redirect[]
}

/**
 * Checks all pages, or, while paths, redirects and anchors are those of the last review, only the changed ones.
 * @param last The review of a build with the same plan, and what has changed since.
 */
export function reviewLinks(
  { plan, records, redirects }: ReviewInput,
  last: { readonly review: LinkReview; readonly changes: Changes } | undefined,
): LinkReview {
  const kept =
    last !== undefined && !last.changes.anchors && sameRedirects(last.review.redirects, redirects) ? last : undefined
  if (kept !== undefined && kept.changes.pages.length === 0) return kept.review
  const pages = sitePages(plan, records)
  const targets =
    kept?.review.targets ??
    new LinkTargets(pages, new Set([...plan.urls.owners.keys(), ...GENERATED.keys()]), new SiteRedirects(redirects))
  const changed = kept === undefined ? undefined : new Set(kept.changes.pages)
  const findings = new Map(kept?.review.findings)
  for (const page of pages) {
    if (changed !== undefined && !changed.has(page.path)) continue
    const found = checkLinks(page, targets)
    if (found.length > 0) findings.set(page.path, found)
    else findings.delete(page.path)
  }
  return { targets, redirects, findings }
}

function sameRedirects(one: readonly Redirect[], other: readonly Redirect[]): boolean {
  if (one === other) return true
  return (
    one.length === other.length &&
    one.every(({ from, to, status }, index) => {
      const against = other[index]
      return from === against?.from && to === against.to && status === against.status
    })
  )
}
