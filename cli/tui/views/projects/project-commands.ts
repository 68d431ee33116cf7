import type { Project } from '../../../../src/contract/projects.ts'
import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import type { Workspace } from '../../data/workspace.ts'
import { accountView } from '../settings/account.ts'
import { keysView } from '../settings/keys.ts'
import { membersView } from '../settings/members.ts'
import { UsageView } from '../settings/usage.ts'
import { webhooksView } from '../settings/webhooks.ts'

interface ProjectCommandsOptions {
  readonly app: App
  readonly workspace: Workspace
  readonly signOut: () => Promise<void>
}

/** What else there is to a project than its branches and pages: for the palette. */
export function projectCommands({ app, workspace, signOut }: ProjectCommandsOptions, project: Project): Command[] {
  const { slug } = project
  const sample = workspace.readOnly
    ? { unavailable: 'The sample project has none of it: sign in to see your own.' }
    : {}
  const command = (id: string, title: string, open: () => View): Command => ({
    id,
    title,
    ...sample,
    run: () => app.push(open()),
  })
  return [
    command('project.webhooks', 'Webhooks and their deliveries', () => webhooksView(app, workspace, slug)),
    command('project.usage', 'Usage of the plan', () => new UsageView(app, workspace, slug)),
    command('project.keys', 'API keys', () => keysView(app, workspace, slug)),
    command('project.members', 'Members and invitations', () => membersView(app, workspace, project)),
    command('account', 'Account, sessions and settings', () => accountView(app, workspace, { signOut })),
  ]
}
