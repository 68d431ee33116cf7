import type { Branch } from '../../../../src/contract/branches.ts'
import type { Project } from '../../../../src/contract/projects.ts'
import type { Context } from '../shared/context.ts'

/** Whose history is looked at. */
export interface HistoryOptions {
  readonly context: Context
  readonly project: Project
  readonly branch: Branch
  /** Only what changed this file, also under its earlier names. */
  readonly path?: string
}
