import { createContext, use, type ReactNode } from 'react'
import { classes } from './classes.ts'
import css from './page.module.css'

interface PageProps {
  /** Heading, and the name of the tab and in the history. */
  readonly title: string
  /** The heading where it is more than the title’s text. */
  readonly heading?: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** `wide` is for what stands side by side. */
  readonly width?: 'normal' | 'narrow' | 'wide'
  readonly children?: ReactNode
}

/** What every page begins with. */
export function Page({ title, heading, description, actions, width = 'normal', children }: PageProps) {
  return (
    <div className={classes(css['page'], width !== 'normal' && css[width])}>
      <PageTitle>{title}</PageTitle>
      <header className={css['head']}>
        <div>
          <h1>{heading ?? title}</h1>
          {description === undefined ? null : <p className="soft">{description}</p>}
        </div>
        {actions === undefined ? null : <div className={css['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** What the pages in it are of, such as the title of their project: by it the tabs of two projects are told apart. */
export const PageOf = createContext<string | undefined>(undefined)

/** Names the page in tabs, history and to screen readers. */
export function PageTitle({ children }: { readonly children: string }) {
  const of = use(PageOf)
  return <title>{[children, of === children ? undefined : of, 'Quire'].filter(Boolean).join(' · ')}</title>
}

/** Parts of a page, one under the other. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={css['stack']}>{children}</div>
}
