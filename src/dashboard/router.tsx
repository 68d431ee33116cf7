import { lazy, type ComponentType, type ReactNode } from 'react'
import { Outlet, useRoutes, type RouteObject } from 'react-router'
import { ProjectShell } from './shell/project-shell.tsx'
import { Shell } from './shell/shell.tsx'

/** Pages come when they are first opened; each module exports its page as `Component`. */
function page(load: () => Promise<{ readonly Component: ComponentType }>): ReactNode {
  const Page = lazy(() => load().then(({ Component }) => ({ default: Component })))
  return <Page />
}

const settings: RouteObject[] = [
  { index: true, element: page(() => import('./pages/settings/general.tsx')) },
  { path: 'keys', element: page(() => import('./pages/settings/keys.tsx')) },
  { path: 'members', element: page(() => import('./pages/settings/members.tsx')) },
  { path: 'domains', element: page(() => import('./pages/settings/domains.tsx')) },
  { path: 'visibility', element: page(() => import('./pages/settings/visibility.tsx')) },
  { path: 'git', element: page(() => import('./pages/settings/git.tsx')) },
  { path: 'webhooks', element: page(() => import('./pages/webhooks/webhooks.tsx')) },
  { path: 'webhooks/:webhook', element: page(() => import('./pages/webhooks/webhook.tsx')) },
  { path: 'webhooks/:webhook/deliveries/:delivery', element: page(() => import('./pages/webhooks/delivery.tsx')) },
]

const branch: RouteObject[] = [
  { index: true, element: page(() => import('./pages/branches/branch.tsx')) },
  { path: 'edit/*', element: page(() => import('./pages/editor/editor.tsx')) },
  { path: 'changes', element: page(() => import('./pages/branches/changes.tsx')) },
  { path: 'update', element: page(() => import('./pages/merge/update.tsx')) },
  { path: 'publish', element: page(() => import('./pages/merge/publish.tsx')) },
]

const project: RouteObject[] = [
  { index: true, element: page(() => import('./pages/overview/overview.tsx')) },
  { path: 'start', element: page(() => import('./pages/onboarding/start.tsx')) },
  { path: 'deploys', element: page(() => import('./pages/deploys/deploys.tsx')) },
  { path: 'deploys/:deploy', element: page(() => import('./pages/deploys/deploy.tsx')) },
  { path: 'deploys/:deploy/changes', element: page(() => import('./pages/deploys/deploy-changes.tsx')) },
  { path: 'branches', element: page(() => import('./pages/branches/branches.tsx')) },
  { path: 'branches/:branch', children: branch },
  { path: 'entries', element: page(() => import('./pages/changelog/entries.tsx')) },
  { path: 'entries/:entry', element: page(() => import('./pages/changelog/entry.tsx')) },
  { path: 'analytics', element: page(() => import('./pages/analytics/analytics.tsx')) },
  { path: 'activity', element: page(() => import('./pages/activity/activity.tsx')) },
  { path: 'usage', element: page(() => import('./pages/usage/usage.tsx')) },
  { path: '*', element: page(() => import('./pages/not-found.tsx')) },
  { path: 'settings', element: page(() => import('./pages/settings/settings.tsx')), children: settings },
]

const routes: RouteObject[] = [
  {
    path: '/dashboard/auth',
    element: (
      <main>
        <Outlet />
      </main>
    ),
    children: [
      { path: 'forgotten-password', element: page(() => import('./pages/sign-in/forgotten-password.tsx')) },
      { path: 'reset-password', element: page(() => import('./pages/sign-in/reset-password.tsx')) },
      { path: 'confirm-email', element: page(() => import('./pages/sign-in/confirm-email.tsx')) },
    ],
  },
  {
    path: '/dashboard',
    element: <Shell signIn={page(() => import('./pages/sign-in/sign-in.tsx'))} />,
    children: [
      { index: true, element: page(() => import('./pages/projects/projects.tsx')) },
      { path: 'new', element: page(() => import('./pages/onboarding/new-project.tsx')) },
      { path: 'account', element: page(() => import('./pages/account/account.tsx')) },
      { path: 'device', element: page(() => import('./pages/account/device.tsx')) },
      { path: 'auth/visit', element: page(() => import('./pages/sign-in/visit.tsx')) },
      { path: ':slug', element: <ProjectShell />, children: project },
    ],
  },
]

export function Pages(): ReactNode {
  return useRoutes(routes)
}
