import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import type { Project } from '../../contract/projects.ts'
import type { Scope } from '../../contract/endpoint.ts'
import { siteAccessPath } from '../../contract/site-access.ts'
import { client } from '../client.ts'
import { listQuery } from './list.ts'

/** All projects of whoever is signed in, page by page. */
export const projectsQuery = listQuery(['projects'], (cursor, signal) =>
  client.call(contract.projects.list, { query: cursor, signal }),
)

export function projectQuery(slug: string) {
  return queryOptions({
    queryKey: ['project', slug],
    queryFn: ({ signal }) => client.call(contract.projects.read, { params: { slug }, signal }),
  })
}

export function may(project: Project, scope: Scope): boolean {
  return project.scopes?.includes(scope) ?? false
}

/** What a frame shows of a project's site: of a private one, by the way that lets its members in. */
export function frameUrl(project: Project, url: string): string {
  return project.privateSince === undefined ? url : visitUrl(url)
}

/** The way of members to an address of a private site. */
export function visitUrl(url: string): string {
  return `${siteAccessPath}?to=${encodeURIComponent(url)}`
}
