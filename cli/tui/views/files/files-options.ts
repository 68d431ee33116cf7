import type { Branch } from '#contract/branches.ts'
import type { Project } from '#contract/projects.ts'
import type { Context } from '../shared/context.ts'

/** Whose files are shown. */
export interface FilesOptions extends Context {
  readonly project: Project
  readonly branch: Branch | 'main'
}
