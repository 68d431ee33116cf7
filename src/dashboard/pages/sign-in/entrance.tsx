import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { Mark } from '../../ui/mark.tsx'
import { PageTitle } from '../../ui/page.tsx'
import css from './entrance.module.css'

interface EntranceProps {
  readonly title: string
  readonly description?: ReactNode
  readonly children?: ReactNode
  /** Other ways, below the card. */
  readonly footer?: ReactNode
}

/** What whoever is not signed in sees: one card, and what this is. */
export function Entrance({ title, description, children, footer }: EntranceProps) {
  return (
    <div className={css['entrance']}>
      <PageTitle>{title}</PageTitle>
      <Link to={paths.projects} className={css['brand']}>
        <Mark />
        Quire
      </Link>
      <div className={css['card']}>
        <header>
          <h1>{title}</h1>
          {description === undefined ? null : <p className="soft">{description}</p>}
        </header>
        {children}
      </div>
      {footer === undefined ? null : <div className={css['footer']}>{footer}</div>}
      <p className={css['claim']}>Documentation from Git: write, preview, publish.</p>
    </div>
  )
}
