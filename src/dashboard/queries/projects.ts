import { queryOptions } from '@tanstack/react-query'
import { contract } from '../../contract/index.ts'
import type { Project } from '../../contract/projects.ts'
import type { Scope } from '../../contract/endpoint.ts'
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
