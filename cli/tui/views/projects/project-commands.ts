import type { Scope } from '../../../../src/contract/endpoint.ts'
import type { Project } from '../../../../src/contract/projects.ts'
import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import type { Workspace } from '../../data/workspace.ts'
import { accountView } from '../settings/account.ts'
import { keysView } from '../settings/keys.ts'
import { membersView } from '../settings/members.ts'
import { UsageView } from '../settings/usage.ts'
import { webhooksView } from '../settings/webhooks.ts'
import { readOnlyReason } from '../shared/refusals.ts'

interface ProjectCommandsOptions {
  readonly app: App
  readonly workspace: Workspace
  readonly signOut: () => Promise<void>
}

/** What else there is to a project than its branches and pages: for the palette. */
export function projectCommands({ app, workspace, signOut }: ProjectCommandsOptions, project: Project): Command[] {
  const place = { app, workspace, project }
  const none = 'The sample project has none of it: sign in to see your own.'
  const command = (id: string, title: string, open: () => View, scope?: Scope): Command => ({
    id,
    title,
    ...readOnlyReason(workspace, scope === undefined ? undefined : { project, scope }),
    ...(workspace.readOnly ? { unavailable: none } : {}),
    run: () => app.push(open()),
  })
  return [
    command('project.webhooks', 'Webhooks and their deliveries', () => webhooksView(place), 'write'),
    command('project.usage', 'Usage of the plan', () => new UsageView(place), 'read'),
    command('project.keys', 'API keys', () => keysView(place), 'admin'),
    command('project.members', 'Members and invitations', () => membersView(place), 'read'),
    command('account', 'Account, sessions and settings', () => accountView(app, workspace, { signOut })),
  ]
}
