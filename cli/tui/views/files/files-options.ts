import type { Branch } from '../../../../src/contract/branches.ts'
import type { Project } from '../../../../src/contract/projects.ts'
import type { App } from '../../app/app.ts'
import type { Workspace } from '../../data/workspace.ts'
import type { Routes } from '../shared/routes.ts'

/** Whose files are shown. */
export interface FilesOptions {
  readonly app: App
  readonly workspace: Workspace
  readonly routes: Routes
  readonly project: Project
  readonly branch: Branch | 'main'
}
