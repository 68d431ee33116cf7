import type { App } from '../../app/app.ts'
import type { Entries } from '../../data/entries.ts'
import type { Workspace } from '../../data/workspace.ts'
import type { Publication } from './publication.ts'

/** What the views of one changelog share. */
export interface ChangelogPlace {
  readonly app: App
  readonly workspace: Workspace
  readonly slug: string
  /** Undefined: it can only be read. */
  readonly entries: Entries | undefined
  readonly publication: Publication
}
