import { count } from '#cli/output.ts'
import { fit, lineWidth, span } from '../../canvas/lines.ts'
import type { Pane, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { Page } from './page.ts'

/** Under the text: what is wrong at the line of the cursor, else how many problems there are. */
export class NoteLine implements Pane {
  readonly inert = true
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  draw({ width }: Size): readonly Line[] {
    const line = this.#line()
    if (lineWidth(line) <= width) return [fit(line, width)]
    const more = '  F2 shows all of it'
    return [[...fit(line, Math.max(0, width - more.length)), span(more, { color: 'muted' })]]
  }

  input(): boolean {
    return false
  }

  spoken(): string {
    return this.#line()
      .map(({ text }) => text)
      .join('')
  }

  #line(): Line {
    const { pane, checker } = this.#page
    const here = pane.markersOn(pane.position.line)
    const [first] = here.toSorted((one, other) => rank(one.severity) - rank(other.severity))
    if (first !== undefined)
      return [
        span(first.severity === 'error' ? '● ' : '▲ ', { color: first.severity === 'error' ? 'danger' : 'warning' }),
        span(shown(first.message)),
        span(here.length > 1 ? `  (and ${here.length - 1} more here)` : '', { color: 'muted' }),
      ]
    if (checker === undefined) return []
    return this.#summary()
  }

  #summary(): Line {
    const { problems, checker } = this.#page
    const { kind, elsewhere, reason } = checker?.state ?? { kind: 'none', elsewhere: [], reason: undefined }
    if (kind === 'offline')
      return [span('Offline: the page is checked when the service can be reached.', { color: 'muted' })]
    if (kind === 'failed') return [span(`Not checked: ${shown(reason ?? '')}`, { color: 'muted' })]
    if (kind === 'tooLong') return [span('The page is too long to be checked while you write.', { color: 'muted' })]
    const errors = problems.filter(({ severity }) => severity === 'error').length
    const counted = [
      ...(errors > 0 ? [span(count(errors, 'error'), { color: 'danger' })] : []),
      ...(errors < problems.length ? [span(count(problems.length - errors, 'warning'), { color: 'warning' })] : []),
    ]
    const joined = counted.flatMap((piece, index) => (index === 0 ? [piece] : [span(', '), piece]))
    if (counted.length > 0) return [...joined, span('  F8 goes to the next one', { color: 'muted' })]
    const [other] = elsewhere
    if (other !== undefined) return [span(`Elsewhere: ${shown(other)}`, { color: 'warning' })]
    return kind === 'done' ? [span('No problems found.', { color: 'muted' })] : []
  }
}

function rank(severity: 'error' | 'warning'): number {
  return severity === 'error' ? 0 : 1
}
