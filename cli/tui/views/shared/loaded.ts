import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import type { Loaded } from '../../data/workspace.ts'
import { clockText } from './age.ts'

/** For the status: from when a list is that the service could not be asked for; nothing while it can. */
export function asOfLine(loaded: Loaded<unknown> | undefined): Line {
  if (loaded?.offline !== true) return []
  return [span(`offline, as of ${clockText(loaded.asOf)}`, { color: 'warning' })]
}
