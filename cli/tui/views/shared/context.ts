import type { App } from '../../app/app.ts'
import type { Workspace } from '../../data/workspace.ts'
import type { Settlements } from '../merge/settlements.ts'
import type { Routes } from './routes.ts'

/** What the views of one sign-in share. */
export interface Context {
  readonly app: App
  readonly workspace: Workspace
  readonly routes: Routes
  /** What was decided of conflicts, which outlives the views. */
  readonly settlements: Settlements
}
