import type { ErrorDetail } from '#contract/common.ts'
import { count, locationOf } from '#cli/output.ts'
import { span } from '../../canvas/lines.ts'
import { shown } from '../../canvas/width.ts'
import type { Detail } from './details-pane.ts'

/** More of them are not listed: whoever mends these sees the others. */
const mostShown = 100

/** Where somebody can be taken to: a file of the project. */
export interface FileLocation {
  readonly path: string
  /** From 1. */
  readonly line?: number
  readonly column?: number
}

/**
 * Errors or warnings of a build, each with its place, and with its source lines.
 * @param total all there were, which may be more than are given. @param open absent: the places cannot be gone to
 */
export function problemDetails(
  problems: readonly ErrorDetail[],
  {
    severity,
    total,
    open,
  }: {
    readonly severity: 'error' | 'warning'
    readonly total: number
    readonly open?: ((place: FileLocation) => void) | undefined
  },
): readonly Detail[] {
  const color = severity === 'error' ? 'danger' : 'warning'
  const told = new Set<string>()
  const listed = problems.slice(0, mostShown).flatMap((problem): readonly Detail[] => {
    // What to do is said once: many break the same rule.
    const hint = problem.hint === undefined || told.has(problem.hint) ? undefined : problem.hint
    if (hint !== undefined) told.add(hint)
    const place = placeOf(problem)
    const location = locationOf(problem)
    return [
      {
        text: location === '' ? problem.message : `${location}  ${problem.message}`,
        style: { color },
        open: place === undefined || open === undefined ? undefined : () => open(place),
      },
      ...(hint === undefined ? [] : [{ text: `  ${hint}`, style: { color: 'muted' as const } }]),
      ...frameLines(problem),
    ]
  })
  const rest = total - Math.min(problems.length, mostShown)
  return rest <= 0
    ? listed
    : [...listed, { text: `… and ${count(rest, `more ${severity}`)}.`, style: { color: 'muted' } }]
}

/** Cut rather than wrapped: a mark below stands under what it means. */
function frameLines({ frame }: ErrorDetail): Detail[] {
  if (frame === undefined) return []
  return frame.split('\n').map((line) => ({ line: [span(`  ${shown(line)}`, { color: 'muted' })] }))
}

function placeOf({ path, line, column }: ErrorDetail): FileLocation | undefined {
  if (path === undefined) return undefined
  return { path, ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) }
}
