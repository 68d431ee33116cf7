import { useQuery } from '@tanstack/react-query'
import { FolderX } from 'lucide-react'
import { Navigate, NavLink, Outlet, useLocation, useOutletContext, useParams } from 'react-router'
import type { Project } from '../../contract/projects.ts'
import { isFailure } from '../client.ts'
import { paths } from '../paths.ts'
import { serviceQuery } from '../queries/account.ts'
import { projectQuery } from '../queries/projects.ts'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loaded, Skeleton } from '../ui/loaded.tsx'
import { Notice } from '../ui/notice.tsx'
import { Page, PageOf } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { Day } from '../ui/time.tsx'
import { PageBoundary } from './page-boundary.tsx'
import { projectPages } from './project-pages.ts'
import css from './shell.module.css'

/** The project of the address, to all its pages. */
export function useProject(): Project {
  return useOutletContext<Project>()
}

/** What is around the pages of a project: its parts, and the project itself. */
export function ProjectShell() {
  const { slug = '' } = useParams()
  const { pathname, search, hash } = useLocation()
  const project = useQuery(projectQuery(slug))

  if (isFailure(project.error, 'not_found')) {
    return (
      <Page title="No such project">
        <Empty
          icon={FolderX}
          title={`There is no project ${slug} here, or it is not yours`}
          action={<LinkButton to={paths.projects}>Your projects</LinkButton>}
        >
          Check the address, or ask its owner to invite you.
        </Empty>
      </Page>
    )
  }
  if (project.data === undefined) {
    return (
      <Page title={slug}>
        <Loaded query={project} pending={<Skeleton />}>
          {() => null}
        </Loaded>
      </Page>
    )
  }
  // It was renamed: the service answered under its new name.
  if (project.data.slug !== slug)
    return (
      <Navigate replace to={pathname.replace(paths.project(slug), paths.project(project.data.slug)) + search + hash} />
    )
  return (
    <>
      <Tabs label="Project" className={css['tabs']}>
        {projectPages(project.data).map(({ name, to }) => (
          <NavLink key={to} to={to} end={to === paths.project(slug)}>
            {name}
          </NavLink>
        ))}
      </Tabs>
      {project.data.suspended === undefined ? null : <SuspendedNotice {...project.data.suspended} />}
      <PageBoundary>
        <PageOf value={project.data.title}>
          <Outlet context={project.data satisfies Project} />
        </PageOf>
      </PageBoundary>
    </>
  )
}

/** On every page of a project of which nothing can be changed. */
function SuspendedNotice({ since, reason }: NonNullable<Project['suspended']>) {
  const contact = useQuery(serviceQuery).data?.contact
  return (
    <div className={css['suspended']}>
      <Notice
        tone="warning"
        title="This project is suspended"
        action={
          contact === undefined ? null : (
            <LinkButton to={contact} target="_blank" rel="noreferrer">
              Contact the operator
            </LinkButton>
          )
        }
      >
        By the operator of this service, since <Day at={since} />
        {reason === undefined ? '. ' : `: ${reason} `}
        Its members can read and clone it; nobody else sees it, and nothing can be changed.
      </Notice>
    </div>
  )
}
