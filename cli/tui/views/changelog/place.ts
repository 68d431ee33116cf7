import type { Entries } from '../../data/entries.ts'
import type { ProjectPlace } from '../shared/context.ts'
import type { Publication } from './publication.ts'

/** What the views of one changelog share. */
export interface ChangelogPlace extends ProjectPlace {
  /** Undefined: it can only be read. */
  readonly entries: Entries | undefined
  readonly publication: Publication
}
