import { CircleAlert, TriangleAlert } from 'lucide-react'
import { messageOf } from '../../client.ts'
import type { Problem } from './code/problems.ts'
import css from './editor.module.css'

interface ProblemsProps {
  readonly problems: readonly Problem[]
  /** Why nobody knows whether there are some. */
  readonly failure: unknown
  readonly onGo: (line: number, column: number) => void
}

/** What the compiler said of the page, each a way to its place. */
export function Problems({ problems, failure, onGo }: ProblemsProps) {
  if (failure !== undefined) {
    return (
      <p className={css['unchecked']} role="status">
        The preview waits: {messageOf(failure)}
      </p>
    )
  }
  if (problems.length === 0) return null
  return (
    <ul className={css['problems']} aria-label="Problems" aria-live="polite">
      {problems.map(({ severity, line = 1, column = 1, message }, index) => {
        const Icon = severity === 'error' ? CircleAlert : TriangleAlert
        return (
          <li key={`${index} ${message}`}>
            <button type="button" onClick={() => onGo(line, column)} className={css[severity]}>
              <Icon aria-label={severity === 'error' ? 'Error' : 'Warning'} />
              <span>{message}</span>
              <small>Line {line}</small>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
