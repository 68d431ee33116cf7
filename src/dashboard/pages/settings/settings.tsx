import { useEffect, useRef } from 'react'
import { NavLink, Outlet, useLocation } from 'react-router'
import { paths } from '../../paths.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { PageTitle } from '../../ui/page.tsx'
import css from './settings.module.css'

/** The parts of a project’s settings, and the one that is open. */
export function Component() {
  const project = useProject()
  const { slug } = project
  const { pathname } = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a phone the parts are wider than the window.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  const items = [
    ['General', paths.settings(slug), 'read'],
    ['Members', paths.members(slug), 'read'],
    ['API keys', paths.keys(slug), 'admin'],
    ['Webhooks', paths.webhooks(slug), 'write'],
    ['Domains', paths.domains(slug), 'admin'],
    ['Clone and push', paths.git(slug), 'read'],
  ] as const
  return (
    <div className={css['settings']}>
      <PageTitle>{`Settings · ${project.title}`}</PageTitle>
      <nav ref={nav} aria-label="Settings">
        <ul>
          {items
            .filter(([, , scope]) => may(project, scope))
            .map(([name, to]) => (
              <li key={to}>
                <NavLink to={to} end={to === paths.settings(slug)}>
                  {name}
                </NavLink>
              </li>
            ))}
        </ul>
      </nav>
      <div>
        <Outlet context={project} />
      </div>
    </div>
  )
}
