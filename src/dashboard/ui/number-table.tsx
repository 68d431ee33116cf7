import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import css from './number-table.module.css'

interface NumberTableProps {
  readonly label: string
  readonly className: string | undefined
  readonly children: ReactNode
}

/** Numbers at the right, what they are of at the left, from edge to edge of a card; too wide for it, they scroll. */
export function NumberTable({ label, className, children }: NumberTableProps) {
  return (
    <div className={css['scroll']} tabIndex={0} role="group" aria-label={label}>
      <table className={classes(css['table'], className)}>{children}</table>
    </div>
  )
}
