import { useLayoutEffect, useRef, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import { classes } from './classes.ts'
import css from './tabs.module.css'

interface TabsProps {
  readonly label: string
  /** Links; one of them has `aria-current`. */
  readonly children: ReactNode
  readonly className?: string | undefined
}

/** Links to the parts of one thing, beside each other. */
export function Tabs({ label, children, className }: TabsProps) {
  const location = useLocation()
  const row = useRef<HTMLElement>(null)
  // On a phone there are more than fit. Nothing but the row is scrolled: the page stays where it is.
  useLayoutEffect(() => {
    const tab = row.current?.querySelector('[aria-current]')
    if (!tab || !row.current) return
    const [around, own] = [row.current.getBoundingClientRect(), tab.getBoundingClientRect()]
    row.current.scrollLeft += own.left + own.width / 2 - (around.left + around.width / 2)
  }, [location])
  return (
    <nav ref={row} aria-label={label} className={classes(css['tabs'], className)}>
      {children}
    </nav>
  )
}
