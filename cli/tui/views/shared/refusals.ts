import type { Command } from '../../app/view.ts'
import type { Workspace } from '../../data/workspace.ts'
import { readOnlyReason } from './loaded.ts'

/** Why nothing can be changed now that only the service keeps; nothing where it can. */
export function refusalOf(workspace: Workspace): Pick<Command, 'unavailable'> {
  if (workspace.readOnly || workspace.connection === 'online') return readOnlyReason(workspace)
  return { unavailable: 'The service cannot be reached now.' }
}
