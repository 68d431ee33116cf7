import { Card } from '../../ui/card.tsx'
import css from './analytics.module.css'

const mostShown = 20

interface TermsProps {
  readonly title: string
  readonly description: string
  /** What is said where there are none. */
  readonly none: string
  readonly terms: readonly { readonly term: string; readonly number: number }[]
}

/** Search terms with their numbers. */
export function Terms({ title, description, none, terms }: TermsProps) {
  const most = terms[0]?.number ?? 1
  return (
    <Card title={title} description={description} className={css['term-card']}>
      {terms.length === 0 ? (
        <p className="soft">{none}</p>
      ) : (
        <ol className={css['term-list']} aria-label={title}>
          {terms.slice(0, mostShown).map(({ term, number }) => (
            <li key={term}>
              <span className={css['share']} style={{ width: `${(number / most) * 100}%` }} aria-hidden />
              <bdi>{term}</bdi>
              <span>{number.toLocaleString()}</span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  )
}
