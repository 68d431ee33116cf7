import type { BranchContent } from '../branching/branch-content.ts'
import type { Saves } from '../branching/saves.ts'
import type { FileChange, Oid } from '../content/repository.ts'
import type { HistoryCommit } from '../contract/branches.ts'
import type { Check } from '../contract/checks.ts'
import type { List, ListQuery } from '../contract/common.ts'
import type { Models } from '../models/model.ts'
import type { Records } from '../storage/records.ts'

/** What the assistant needs of other rooms: nothing of it reaches beyond one branch but what is said to. */
export interface AssistantPorts {
  readonly branches: {
    /** Throws `not_found`. */
    require(projectId: string, id: string): Promise<void>
    isKnown(projectId: string, id: string): boolean
    content(projectId: string, id: string): Promise<BranchContent>
    history(projectId: string, id: string, query: ListQuery): Promise<List<HistoryCommit>>
    /** What the preview would say with changes on top of a commit of the branch. Keeps nothing. */
    check(
      projectId: string,
      id: string,
      unsaved: { readonly commit: Oid; readonly changes: readonly FileChange[] },
      signal: AbortSignal,
    ): Promise<Check>
    readonly saves: Pick<Saves, 'apply' | 'revert'>
  }
  readonly models: Pick<Models, 'begin'>
  readonly records: Pick<Records, 'use' | 'exists'>
  readonly now: () => Date
  readonly log: {
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
}
