import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import type { ErrorDetail } from '../../contract/common.ts'
import { classes } from './classes.ts'
import { overPage } from './use-dialog.ts'
import css from './problems.module.css'

interface ProblemsProps {
  readonly severity: 'error' | 'warning'
  readonly items: readonly ErrorDetail[]
  /** All there were: the service sends at most a thousand, lists only the first few. */
  readonly total: number
  /** Where the file can be mended; absent: nowhere. */
  readonly linkOf?: ((place: ErrorDetail & { readonly path: string }) => string) | undefined
}

/** What a build says of files: place, sentence, and the lines around it. */
export function Problems({ severity, items, total, linkOf }: ProblemsProps) {
  if (items.length === 0) return null
  const Icon = severity === 'error' ? CircleAlert : TriangleAlert
  const rest = total - items.length
  // What to do is said once: many break the same rule.
  const told = new Map(items.map(({ hint }, index) => [hint, index] as const).toReversed())
  return (
    <ul className={css['problems']} aria-label={severity === 'error' ? 'Errors' : 'Warnings'}>
      {items.map((item, index) => (
        <li key={index}>
          <Icon aria-hidden className={classes(css['icon'], css[severity])} />
          <div>
            <p className={css['message']}>{item.message}</p>
            {item.hint === undefined || told.get(item.hint) !== index ? null : <p className="soft">{item.hint}</p>}
            <Place item={item} linkOf={linkOf} />
            {item.frame === undefined ? null : (
              <pre className={css['frame']} tabIndex={0} role="group" aria-label={`Lines around ${placeWords(item)}`}>
                <code>{item.frame}</code>
              </pre>
            )}
          </div>
        </li>
      ))}
      {rest > 0 ? <li className="soft">and {rest.toLocaleString()} more</li> : null}
    </ul>
  )
}

function Place({ item, linkOf }: { readonly item: ErrorDetail; readonly linkOf: ProblemsProps['linkOf'] }): ReactNode {
  const { path } = item
  if (path === undefined) return null
  const words = placeWords(item)
  const to = linkOf?.({ ...item, path })
  return to === undefined ? (
    <p className={css['place']}>{words}</p>
  ) : (
    <p className={css['place']}>
      <Link className="link" to={to} state={to.startsWith('?') ? overPage : null}>
        {words}
      </Link>
    </p>
  )
}

/** `guides/install.mdx:12:3`, or the pointer in a file of JSON. */
export function placeWords({ path, line, column, pointer }: ErrorDetail): string {
  return [path, line, column, line === undefined ? pointer : undefined].filter((part) => part !== undefined).join(':')
}
