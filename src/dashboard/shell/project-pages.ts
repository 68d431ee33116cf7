import type { Scope } from '../../contract/endpoint.ts'
import type { Project } from '../../contract/projects.ts'
import { paths } from '../paths.ts'
import { may } from '../queries/projects.ts'

interface ProjectPage {
  readonly name: string
  readonly to: string
}

function allowed(project: Project, pages: readonly (readonly [string, string, Scope])[]): readonly ProjectPage[] {
  return pages.filter(([, , scope]) => may(project, scope)).map(([name, to]) => ({ name, to }))
}

/** The parts of a project that whoever is signed in may see, in the order in which they are offered. */
export function projectPages(project: Project): readonly ProjectPage[] {
  const { slug } = project
  return allowed(project, [
    ['Overview', paths.project(slug), 'read'],
    ['Branches', paths.branches(slug), 'read'],
    ['Deploys', paths.deploys(slug), 'read'],
    ['Changelog', paths.entries(slug), 'read'],
    ['Analytics', paths.analytics(slug), 'read'],
    ['Activity', paths.activity(slug), 'admin'],
    ['Usage', paths.usage(slug), 'read'],
    ['Settings', paths.settings(slug), 'read'],
  ])
}

/** The parts of its settings. */
export function settingsPages(project: Project): readonly ProjectPage[] {
  const { slug } = project
  return allowed(project, [
    ['General', paths.settings(slug), 'read'],
    ['Members', paths.members(slug), 'read'],
    ['Visibility', paths.visibility(slug), 'admin'],
    ['API keys', paths.keys(slug), 'admin'],
    ['Webhooks', paths.webhooks(slug), 'write'],
    ['Domains', paths.domains(slug), 'admin'],
    ['Clone and push', paths.git(slug), 'read'],
  ])
}
