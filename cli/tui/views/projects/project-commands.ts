import type { Scope } from '#contract/endpoint.ts'
import type { Command, View } from '../../app/view.ts'
import { accountView } from '../settings/account.ts'
import { keysView } from '../settings/keys.ts'
import { membersView } from '../settings/members.ts'
import { UsageView } from '../settings/usage.ts'
import { webhooksView } from '../settings/webhooks.ts'
import type { ProjectPlace } from '../shared/context.ts'
import { readOnlyReason } from '../shared/refusals.ts'

interface AccountOptions extends Pick<ProjectPlace, 'app' | 'workspace'> {
  readonly signOut: () => Promise<void>
}

const none = 'The sample project has none of it: sign in to see your own.'

/** Also for who has no project yet: this is where an invitation to one is accepted. */
export function accountCommand({ app, workspace, signOut }: AccountOptions): Command {
  return {
    id: 'account',
    title: 'Account, invitations, sessions and settings',
    ...(workspace.readOnly ? { unavailable: none } : {}),
    run: () => app.push(accountView(app, workspace, { signOut })),
  }
}

/**
 * What else there is to a project than its branches and pages: for the palette.
 * @param place.left whoever works here is no member any more
 */
export function projectCommands(place: ProjectPlace & { readonly left: () => void }): Command[] {
  const { app, workspace, project } = place
  const command = (id: string, title: string, open: () => View, scope: Scope): Command => ({
    id,
    title,
    ...readOnlyReason(workspace, { project, scope }),
    ...(workspace.readOnly ? { unavailable: none } : {}),
    run: () => app.push(open()),
  })
  return [
    command('project.webhooks', 'Webhooks and their deliveries', () => webhooksView(place), 'write'),
    command('project.usage', 'Usage of the plan', () => new UsageView(place), 'read'),
    command('project.keys', 'API keys', () => keysView(place), 'admin'),
    command('project.members', 'Members and invitations', () => membersView(place), 'read'),
  ]
}
