import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { may } from '../queries/projects.ts'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { useProject } from './project-shell.tsx'

interface OwnersOnlyProps {
  /** Of the page. */
  readonly title: string
  /** Whom it is for, as a sentence: “The activity is for owners”. */
  readonly says: string
  /** Why that is, and what others do instead. */
  readonly why: string
  readonly children: ReactNode
}

/** A page for whoever administers the project; to others, who may have been sent its address, it says so. */
export function OwnersOnly({ title, says, why, children }: OwnersOnlyProps) {
  const project = useProject()
  if (may(project, 'admin')) return children
  return (
    <Page title={title}>
      <Empty icon={Lock} title={says} action={<LinkButton to={paths.project(project.slug)}>Overview</LinkButton>}>
        {why}
      </Empty>
    </Page>
  )
}
