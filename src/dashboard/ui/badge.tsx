import type { ReactNode } from 'react'
import { classes } from './classes.ts'
import css from './badge.module.css'

interface BadgeProps {
  readonly tone?: 'plain' | 'success' | 'danger' | 'warning' | 'note'
  /** Something is going on. */
  readonly pulse?: boolean
  readonly children: ReactNode
}

/** A word about the state of something. Never the colour alone says it. */
export function Badge({ tone = 'plain', pulse = false, children }: BadgeProps) {
  return (
    <span className={classes(css['badge'], css[tone], pulse && css['pulse'])}>
      <span>{children}</span>
    </span>
  )
}
