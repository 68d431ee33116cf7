import { useEffect, useRef } from 'react'
import { NavLink, Outlet, useLocation } from 'react-router'
import { paths } from '../../paths.ts'
import { settingsPages } from '../../shell/project-pages.ts'
import { useProject } from '../../shell/project-shell.tsx'
import css from './settings.module.css'

/** The parts of a project’s settings, and the one that is open. */
export function Component() {
  const project = useProject()
  const { pathname } = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a phone the parts are wider than the window.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [pathname])
  return (
    <div className={css['settings']}>
      <nav ref={nav} aria-label="Settings">
        <ul>
          {settingsPages(project).map(({ name, to }) => (
            <li key={to}>
              <NavLink to={to} end={to === paths.settings(project.slug)}>
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
