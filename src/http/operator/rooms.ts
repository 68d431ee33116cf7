import type { AccountRemoval } from '../../access/account-removal.ts'
import type { Accounts } from '../../access/accounts.ts'
import type { Members } from '../../access/members.ts'
import type { AuditNotes } from '../../operator/audit-notes.ts'
import type { OperatedProjects } from '../../operator/projects.ts'
import type { ProjectLifecycle } from '../../projects/lifecycle.ts'
import type { Projects } from '../../projects/projects.ts'
import type { Store } from '../../storage/store.ts'

/** What an operator's endpoints work with. */
export interface OperatorRooms {
  readonly accounts: Pick<Accounts, 'list' | 'createByOperator' | 'resetPassword' | 'setPlan' | 'readByEmail'>
  readonly removal: Pick<AccountRemoval, 'removeByEmail'>
  readonly members: Pick<Members, 'add' | 'transfer'>
  readonly projects: Pick<
    Projects,
    'ids' | 'find' | 'read' | 'resolve' | 'slugOf' | 'isSetAside' | 'ownerOf' | 'setSuspended'
  >
  readonly lifecycle: Pick<ProjectLifecycle, 'remove'>
  /** The deploy that the site of a project shows; null for none. Throws Failure `not_found`. */
  readonly liveDeploy: (projectId: string) => Promise<{ readonly number: number; readonly createdAt: string } | null>
  /** A project is not suspended any more: its webhooks go on. */
  readonly wake: (projectId: string) => void
  readonly now: () => Date
  readonly operated: Pick<OperatedProjects, 'collect' | 'repair'>
  readonly store: Pick<Store, 'putBack'>
  readonly notes: AuditNotes
}
