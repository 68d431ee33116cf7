import { meQuery } from './queries/account.ts'
import { latestBranchesQuery } from './queries/branches.ts'
import { latestEntryQuery } from './queries/changelog.ts'
import { latestDeploysQuery } from './queries/deploys.ts'
import { projectQuery } from './queries/projects.ts'
import { queryClient } from './query-client.ts'

/** First parts of addresses under `/dashboard` that are no projects. */
const notProjects: ReadonlySet<string> = new Set(['', 'new', 'account', 'device', 'auth'])

/** Asks for what the first page will show, all at once: else each answer would only tell what to ask next. */
export function fetchAhead(pathname: string): void {
  void queryClient.prefetchQuery(meQuery)
  const [, , slug = '', area = ''] = pathname.split('/')
  if (notProjects.has(slug)) return
  void queryClient.prefetchQuery(projectQuery(slug))
  if (area !== '') return
  // Where it cannot be fetched, the page itself says so.
  import('./pages/overview/overview.tsx').catch(() => undefined)
  void queryClient.prefetchQuery(latestDeploysQuery(slug))
  void queryClient.prefetchQuery(latestBranchesQuery(slug))
  void queryClient.prefetchQuery(latestEntryQuery(slug))
}
