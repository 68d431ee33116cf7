import type { Branch, FileDiff, HistoryCommit } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import type { List, ListQuery } from '#contract/common.ts'
import type { Project } from '#contract/projects.ts'
import type { Context } from '../shared/context.ts'

/** Whose history is looked at. */
export interface HistoryOptions {
  readonly context: Context
  readonly project: Project
  readonly branch: Branch | 'main'
  /** Only what changed this file, also under its earlier names. */
  readonly path?: string
}

/** A page of the commits, newest first. */
export function commitsOf(
  { context, project, branch, path }: HistoryOptions,
  page: ListQuery,
): Promise<List<HistoryCommit>> {
  const { client } = context.workspace
  const { slug } = project
  const query = { ...page, ...(path === undefined ? {} : { path }) }
  return branch === 'main'
    ? client.call(contract.files.history, { params: { slug }, query })
    : client.call(contract.branches.history, { params: { slug, id: branch.id }, query })
}

/** What one of the commits changed; with a path that file alone. */
export async function changesOfCommit(
  { context, project, branch }: HistoryOptions,
  { oid: commit }: HistoryCommit,
  path: string | undefined,
): Promise<readonly FileDiff[]> {
  const { client } = context.workspace
  const { slug } = project
  const query = { commit, ...(path === undefined ? {} : { path }) }
  const { files } =
    branch === 'main'
      ? await client.call(contract.files.diff, { params: { slug }, query })
      : await client.call(contract.branches.diff, { params: { slug, id: branch.id }, query })
  return files
}
