import type { Accounts } from '../access/accounts.ts'
import type { Authenticator } from '../access/principal.ts'
import type { Devices } from '../access/devices.ts'
import type { Keys } from '../access/keys.ts'
import type { Members } from '../access/members.ts'
import type { ProjectLifecycle } from '../projects/lifecycle.ts'
import type { Projects } from '../projects/projects.ts'
import type { Sessions } from '../access/sessions.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Branches } from '../branching/branches.ts'
import type { Changelog } from '../changelog/changelog.ts'
import type { FeedCache, ListCache } from '../changelog/response-cache.ts'
import type { Repositories } from '../content/repositories.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Usage } from '../usage/usage.ts'
import type { Deliveries } from '../webhooks/deliveries.ts'
import type { Dispatcher } from '../webhooks/dispatcher.ts'
import type { Subscriptions } from '../webhooks/subscriptions.ts'

/** What the routes need of the other rooms. Put together by wire.ts. */
export interface Services {
  readonly authenticator: Authenticator
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly devices: Devices
  readonly projects: Projects
  readonly lifecycle: ProjectLifecycle
  readonly members: Members
  readonly keys: Keys
  readonly repositories: Repositories
  readonly deploys: Deploys
  readonly branches: Branches
  readonly usage: Usage
  readonly audit: AuditLog
  readonly changelog: Changelog
  readonly feeds: FeedCache
  /** Pages of its list. */
  readonly lists: ListCache
  readonly webhooks: {
    readonly subscriptions: Subscriptions
    readonly deliveries: Deliveries
    readonly dispatcher: Pick<Dispatcher, 'counts' | 'pending'>
  }
  /** Of ids. */
  readonly siteUrl: (project: string) => string
  readonly cloneUrl: (project: string) => string
  /** Who may create an account. */
  readonly signup: 'open' | 'closed'
  readonly identityProvider: { readonly name: string } | undefined
  /** Protections around the build children that are active. */
  readonly isolation: readonly string[]
  readonly version: string
}
