import type { Branch } from '#contract/branches.ts'
import type { Project } from '#contract/projects.ts'
import type { Context } from '../shared/context.ts'
import type { FileLocation } from '../shared/problems.ts'

/** Which page is opened, and where in it. */
export interface EditorOptions {
  readonly context: Context
  readonly project: Project
  readonly branch: Branch | 'main'
  readonly place: FileLocation
}
