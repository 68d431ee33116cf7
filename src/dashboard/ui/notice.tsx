import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import css from './notice.module.css'

const icons = { danger: CircleAlert, warning: TriangleAlert, note: Info, success: CircleCheck } as const

interface NoticeProps {
  readonly tone: keyof typeof icons
  readonly title?: string
  readonly children: ReactNode
  /** What can be done about it. */
  readonly action?: ReactNode
}

/** Something that must be read before going on. Failures interrupt screen readers, the rest waits for its turn. */
export function Notice({ tone, title, children, action }: NoticeProps) {
  const Icon = icons[tone]
  return (
    <div className={classes(css['notice'], css[tone])} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon aria-hidden />
      <div>
        {title === undefined ? null : <strong>{title}</strong>}
        <div>{children}</div>
      </div>
      {action}
    </div>
  )
}
