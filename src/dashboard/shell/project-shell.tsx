import { useQuery } from '@tanstack/react-query'
import { FolderX } from 'lucide-react'
import { Navigate, NavLink, Outlet, useLocation, useOutletContext, useParams } from 'react-router'
import type { Project } from '../../contract/projects.ts'
import { isFailure } from '../client.ts'
import { paths } from '../paths.ts'
import { projectQuery } from '../queries/projects.ts'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Loaded, Skeleton } from '../ui/loaded.tsx'
import { Page, PageOf } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
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
      <PageBoundary>
        <PageOf value={project.data.title}>
          <Outlet context={project.data satisfies Project} />
        </PageOf>
      </PageBoundary>
    </>
  )
}
