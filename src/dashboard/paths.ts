/** Every address of the dashboard is made here; router.tsx has the patterns that they match. */
const project = (slug: string): string => `/dashboard/${slug}`
const branch = (slug: string, id: string): string => `${project(slug)}/branches/${encodeURIComponent(id)}`
const filePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

export const paths = {
  projects: '/dashboard',
  newProject: '/dashboard/new',
  account: '/dashboard/account',
  device: '/dashboard/device',
  forgottenPassword: '/dashboard/auth/forgotten-password',

  project,
  start: (slug: string): string => `${project(slug)}/start`,
  deploys: (slug: string): string => `${project(slug)}/deploys`,
  deploy: (slug: string, id: string): string => `${project(slug)}/deploys/${encodeURIComponent(id)}`,
  deployChanges: (slug: string, id: string): string => `${project(slug)}/deploys/${encodeURIComponent(id)}/changes`,

  branches: (slug: string): string => `${project(slug)}/branches`,
  branch,
  editor: (slug: string, id: string, path?: string): string =>
    path === undefined ? `${branch(slug, id)}/edit` : `${branch(slug, id)}/edit/${filePath(path)}`,
  changes: (slug: string, id: string): string => `${branch(slug, id)}/changes`,
  publish: (slug: string, id: string): string => `${branch(slug, id)}/publish`,
  update: (slug: string, id: string): string => `${branch(slug, id)}/update`,

  /** `/dashboard/{slug}/changelog` is the public page. */
  entries: (slug: string): string => `${project(slug)}/entries`,
  newEntry: (slug: string): string => `${project(slug)}/entries/new`,
  entry: (slug: string, id: string): string => `${project(slug)}/entries/${encodeURIComponent(id)}`,
  publicChangelog: (slug: string): string => `${project(slug)}/changelog`,

  activity: (slug: string): string => `${project(slug)}/activity`,
  usage: (slug: string): string => `${project(slug)}/usage`,

  settings: (slug: string): string => `${project(slug)}/settings`,
  keys: (slug: string): string => `${project(slug)}/settings/keys`,
  members: (slug: string): string => `${project(slug)}/settings/members`,
  domains: (slug: string): string => `${project(slug)}/settings/domains`,
  git: (slug: string): string => `${project(slug)}/settings/git`,
  webhooks: (slug: string): string => `${project(slug)}/settings/webhooks`,
  webhook: (slug: string, id: string): string => `${project(slug)}/settings/webhooks/${encodeURIComponent(id)}`,
  delivery: (slug: string, webhook: string, id: string): string =>
    `${project(slug)}/settings/webhooks/${encodeURIComponent(webhook)}/deliveries/${encodeURIComponent(id)}`,
} as const
