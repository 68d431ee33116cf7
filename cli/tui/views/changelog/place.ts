import type { DecisionPlace } from '../../data/drafts/decision.ts'
import type { Entries } from '../../data/entries.ts'
import type { Context, ProjectPlace } from '../shared/context.ts'
import type { Publication } from './publication.ts'

/** What the views of one changelog share. */
export interface ChangelogPlace extends ProjectPlace, Pick<Context, 'pendingMerges'> {
  /** Undefined: it can only be read. */
  readonly entries: Entries | undefined
  readonly publication: Publication
}

/** What its entries are texts of, where both sides of a conflict are merged. */
export function changelogOf({ slug }: { readonly slug: string }): DecisionPlace {
  return { slug, branchId: `changelog:${slug}` }
}
