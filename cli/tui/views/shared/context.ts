import type { Project } from '#contract/projects.ts'
import type { App } from '../../app/app.ts'
import type { Workspace } from '../../data/workspace.ts'
import type { PendingMerges } from '../merge/pending-merges.ts'
import type { Routes } from './routes.ts'

/** What the views of one sign-in share. */
export interface Context {
  readonly app: App
  readonly workspace: Workspace
  readonly routes: Routes
  /** What was decided of conflicts, which outlives the views. */
  readonly pendingMerges: PendingMerges
}

/** What the views beside the pages of one project share. */
export interface ProjectPlace extends Pick<Context, 'app' | 'workspace'> {
  readonly project: Project
}
