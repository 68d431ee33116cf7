/** Every address of the dashboard is made here; router.tsx has the patterns that they match. */
const project = (slug: string): string => `/dashboard/${slug}`
const branch = (slug: string, id: string): string => `${project(slug)}/branches/${encodeURIComponent(id)}`
const filePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** A place in a file; lines and columns count from 1. */
export interface Spot {
  readonly path: string
  readonly line?: number | undefined
  readonly column?: number | undefined
}

export const paths = {
  projects: '/dashboard',
  newProject: '/dashboard/new',
  account: '/dashboard/account',
  device: '/dashboard/device',
  forgottenPassword: '/dashboard/auth/forgotten-password',
  /** Where whoever wants to see a private site signs in. */
  visit: (url: string): string => `/dashboard/auth/visit?to=${encodeURIComponent(url)}`,

  project,
  start: (slug: string): string => `${project(slug)}/start`,
  deploys: (slug: string): string => `${project(slug)}/deploys`,
  deploy: (slug: string, id: string): string => `${project(slug)}/deploys/${encodeURIComponent(id)}`,
  deployChanges: (slug: string, id: string): string => `${project(slug)}/deploys/${encodeURIComponent(id)}/changes`,

  branches: (slug: string): string => `${project(slug)}/branches`,
  branch,
  editor: (slug: string, id: string, path?: string): string =>
    path === undefined ? `${branch(slug, id)}/edit` : `${branch(slug, id)}/edit/${filePath(path)}`,
  editorAt: (slug: string, id: string, { path, line, column }: Spot): string => {
    const place = [line === undefined ? '' : `line=${line}`, column === undefined ? '' : `column=${column}`]
    const query = place.filter((part) => part !== '').join('&')
    return `${branch(slug, id)}/edit/${filePath(path)}${query === '' ? '' : `?${query}`}`
  },
  /** The same page, which asks on which branch to edit. @param spot absent: no page in particular */
  editSomewhere: (spot?: Spot): string => {
    const search = new URLSearchParams({ edit: spot?.path ?? '' })
    if (spot?.line !== undefined) search.set('line', String(spot.line))
    if (spot?.column !== undefined) search.set('column', String(spot.column))
    return `?${search.toString()}`
  },
  changes: (slug: string, id: string): string => `${branch(slug, id)}/changes`,
  publish: (slug: string, id: string): string => `${branch(slug, id)}/publish`,
  update: (slug: string, id: string): string => `${branch(slug, id)}/update`,

  /** `/dashboard/{slug}/changelog` is the public page. */
  entries: (slug: string): string => `${project(slug)}/entries`,
  newEntry: (slug: string): string => `${project(slug)}/entries/new`,
  entry: (slug: string, id: string): string => `${project(slug)}/entries/${encodeURIComponent(id)}`,
  publicChangelog: (slug: string): string => `${project(slug)}/changelog`,

  analytics: (slug: string): string => `${project(slug)}/analytics`,
  activity: (slug: string): string => `${project(slug)}/activity`,
  usage: (slug: string): string => `${project(slug)}/usage`,

  settings: (slug: string): string => `${project(slug)}/settings`,
  keys: (slug: string): string => `${project(slug)}/settings/keys`,
  members: (slug: string): string => `${project(slug)}/settings/members`,
  domains: (slug: string): string => `${project(slug)}/settings/domains`,
  visibility: (slug: string): string => `${project(slug)}/settings/visibility`,
  git: (slug: string): string => `${project(slug)}/settings/git`,
  webhooks: (slug: string): string => `${project(slug)}/settings/webhooks`,
  webhook: (slug: string, id: string): string => `${project(slug)}/settings/webhooks/${encodeURIComponent(id)}`,
  delivery: (slug: string, webhook: string, id: string): string =>
    `${project(slug)}/settings/webhooks/${encodeURIComponent(webhook)}/deliveries/${encodeURIComponent(id)}`,
} as const
