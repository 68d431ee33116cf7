import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import type { Loaded, Workspace } from '../../data/workspace.ts'
import { clockText } from './age.ts'

/** For the status: from when a list is that the service could not be asked for; nothing while it can. */
export function asOfLine(loaded: Loaded<unknown> | undefined): Line {
  if (loaded?.offline !== true) return []
  return [span(`offline, as of ${clockText(loaded.asOf)}`, { color: 'warning' })]
}

/** For commands that change something. */
export function readOnlyReason({ readOnly }: Workspace): { readonly unavailable?: string } {
  return readOnly ? { unavailable: 'The sample project can only be looked at. Sign in to change something.' } : {}
}
