import type { Branch } from '#contract/branches.ts'
import type { Project } from '#contract/projects.ts'
import type { Command, View } from '../../app/view.ts'
import type { FileLocation } from './problems.ts'

/** Ways from the views of projects and branches to the others: they lead back here, so neither imports the other. */
export interface Routes {
  files(project: Project, branch: Branch | 'main'): View
  /** The editor, at a place of a file. */
  page(project: Project, branch: Branch | 'main', place: FileLocation): View
  diff(project: Project, branch: Branch): View
  /** Of the branch or of main, or of one of the files there. */
  history(project: Project, branch: Branch | 'main', path?: string): View
  changelog(project: Project): View
  /** From a view of the branch, which is left when the branch is published. */
  publish?(project: Project, branch: Branch): View
  assistant(project: Project, branch: Branch): View
  /** What else can be done with a project, such as its webhooks, and without one: for the palette. */
  more(project?: Project): readonly Command[]
}
