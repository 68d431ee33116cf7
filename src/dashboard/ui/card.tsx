import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import css from './card.module.css'

interface CardProps {
  readonly title?: string
  readonly description?: ReactNode
  /** Buttons beside the title. */
  readonly actions?: ReactNode
  readonly tone?: 'plain' | 'danger'
  readonly children?: ReactNode
  readonly className?: string | undefined
}

/** A part of a page with a heading of its own. */
export function Card({ title, description, actions, tone = 'plain', children, className }: CardProps) {
  return (
    <section className={classes(css['card'], tone === 'danger' && css['danger'], className)}>
      {title === undefined ? null : (
        <header className={css['head']}>
          <div>
            <h2>{title}</h2>
            {description === undefined ? null : <p className="soft">{description}</p>}
          </div>
          {actions === undefined ? null : <div className={css['actions']}>{actions}</div>}
        </header>
      )}
      {children}
    </section>
  )
}

/** A list whose items are rows of one card. */
export function Rows({
  label,
  children,
  ordered = false,
  busy = false,
}: {
  readonly label: string
  readonly children: ReactNode
  readonly ordered?: boolean
  /** Other rows are on their way. */
  readonly busy?: boolean
}) {
  const List = ordered ? 'ol' : 'ul'
  return (
    <List className={css['rows']} aria-label={label} aria-busy={busy || undefined}>
      {children}
    </List>
  )
}

interface RowProps {
  readonly title: ReactNode
  /** Second line. */
  readonly detail?: ReactNode
  /** At the end of the row: badges, times, buttons. */
  readonly children?: ReactNode
  /** Small buttons and menus behind them; on a phone they stay beside the title. */
  readonly tools?: ReactNode
}

export function Row({ title, detail, children, tools }: RowProps) {
  return (
    <li className={css['row']}>
      <div className={css['main']}>
        <div className={css['title']}>{title}</div>
        {detail === undefined ? null : <div className={css['detail']}>{detail}</div>}
      </div>
      {children === undefined ? null : <div className={css['aside']}>{children}</div>}
      {tools === undefined ? null : <div className={css['tools']}>{tools}</div>}
    </li>
  )
}

/** Names and values. */
export function Facts({ items }: { readonly items: readonly (readonly [name: string, value: ReactNode] | null)[] }) {
  return (
    <dl className={css['facts']}>
      {items.map((item) =>
        item === null ? null : (
          <div key={item[0]}>
            <dt>{item[0]}</dt>
            <dd>{item[1]}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
