import { changedFiles } from '../content/changes/new-commits.ts'
import type { FileChange, Oid } from '../content/repository.ts'
import type { Check } from '../contract/checks.ts'
import type { Checks } from '../deploying/checks.ts'
import type { ResolvedBranch } from './branch-refs.ts'

/** Changes to a branch that are not saved. */
export interface UnsavedChanges {
  /** Of the branch: on which they are made. */
  readonly commit: Oid
  readonly changes: readonly FileChange[]
}

/** What the preview of a branch would say when the changes were saved. */
export async function checkBranch(
  { checks, urlOf }: { readonly checks: Pick<Checks, 'build'>; readonly urlOf: (label: string) => string },
  { repository, record }: Pick<ResolvedBranch, 'repository' | 'record'>,
  { commit, changes }: UnsavedChanges,
  signal: AbortSignal,
): Promise<Check> {
  const links = await repository.readLinks(commit)
  const files = { ...(await changedFiles(await repository.readTree(commit), links, changes)), leftLinks: links.left }
  const branch = { id: record.id, url: urlOf(record.label), release: record.served?.release }
  return checks.build(record.projectId, files, signal, branch)
}
