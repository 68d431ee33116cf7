import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import css from './empty.module.css'

interface EmptyProps {
  readonly icon: LucideIcon
  readonly title: string
  /** What the thing is good for, to somebody who has none. */
  readonly children: ReactNode
  readonly action?: ReactNode
}

/** In the place of a list without items: what it is for, and how to get the first. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className={css['empty']}>
      <Icon aria-hidden />
      <h2>{title}</h2>
      <div className="soft">{children}</div>
      {action}
    </div>
  )
}
