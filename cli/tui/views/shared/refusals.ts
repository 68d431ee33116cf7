import type { Scope } from '#contract/endpoint.ts'
import type { Project } from '#contract/projects.ts'
import type { Command } from '../../app/view.ts'
import type { Workspace } from '../../data/workspace.ts'

/** What a command needs of a project: the scope of the endpoint that it calls. */
export interface Need {
  readonly project: Pick<Project, 'scopes'>
  readonly scope: Scope
}

type Refusal = Pick<Command, 'unavailable'>

/** Why nothing can be changed now that only the service keeps, or not by whoever works here; nothing where it can. */
export function refusalOf(workspace: Workspace, need?: Need): Refusal {
  const never = readOnlyReason(workspace, need)
  if (never.unavailable !== undefined || workspace.connection === 'online') return never
  return { unavailable: 'The service cannot be reached now.' }
}

/** Why it can never be done here, also while the service can be reached; for what waits for the connection. */
export function readOnlyReason(workspace: Workspace, need?: Need): Refusal {
  if (workspace.readOnly)
    return { unavailable: 'The sample project can only be looked at. Sign in to change something.' }
  if (need === undefined || mayDo(need)) return {}
  if (workspace.identity.kind !== 'key') return { unavailable: 'Only the owner of the project can do that.' }
  return {
    unavailable: `The API key in SERVICE_API_KEY lacks the scope ${need.scope}: start with a key that has it, or sign in.`,
  }
}

/** As the service said when it told of the project. One that does not tell refuses by itself what may not be done. */
export function mayDo({ project, scope }: Need): boolean {
  return project.scopes?.includes(scope) ?? true
}
