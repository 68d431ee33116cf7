import type { AuditActor } from '../contract/audit.ts'
import type { Member } from '../contract/members.ts'
import type { CreatedAccount, OperatorAccount, RemovedAccount } from '../contract/operator.ts'
import type { Plan } from '../contract/projects.ts'
import type { AccountsPort } from './operator.ts'

/** What an operator did to a project. */
interface OperatorEntry {
  readonly action: string
  readonly actor: AuditActor
  readonly address: string
  readonly client: string
  readonly target?: string
  readonly detail?: string
}

/** The audit logs of the projects. */
export interface AuditPort {
  record(slug: string, entry: OperatorEntry): Promise<void>
}

export interface RecordedAccountsOptions {
  readonly accounts: Pick<AccountsPort, 'list' | 'createByOperator' | 'resetPassword' | 'setPlan'> & {
    readByEmail(email: string): Promise<{ readonly id: string } | null>
  }
  readonly removal: Pick<AccountsPort, 'remove'>
  readonly members: {
    add(slug: string, email: string): Promise<Member>
    transfer(slug: string, id: string): Promise<Member>
  }
  readonly projects: {
    slugs(): Promise<readonly string[]>
    find(slug: string): Promise<{ readonly owner: string; readonly writers: readonly string[] } | null>
  }
  readonly audit: AuditPort
  /** Told when an entry could not be kept: what was done is done. */
  readonly onError: (error: unknown, slug: string) => void
}

/** Commands of `quire admin` that a project’s owner can see in its audit log, by their actions there. */
const commands = {
  plan: 'plan',
  resetPassword: 'accounts reset-password',
  removeAccount: 'accounts remove',
  transfer: 'transfer',
  restore: 'restore',
} as const

/** An entry of the audit log for a command. */
export function entryOf(
  command: keyof typeof commands,
  about: { readonly target?: string; readonly detail?: string },
): OperatorEntry {
  return {
    action: `admin.${command}`,
    actor: { kind: 'operator', id: 'operator', name: 'operator' },
    address: 'local',
    client: `quire admin ${commands[command]}`,
    ...about,
  }
}

/** Accounts and members as an operator changes them: the audit log of each project that it concerns says so. */
export class RecordedAccounts implements AccountsPort {
  readonly #options: RecordedAccountsOptions

  constructor(options: RecordedAccountsOptions) {
    this.#options = options
  }

  list(): Promise<readonly OperatorAccount[]> {
    return this.#options.accounts.list()
  }

  /** Concerns no project yet. */
  createByOperator(email: string, password?: string): Promise<CreatedAccount> {
    return this.#options.accounts.createByOperator(email, password)
  }

  async resetPassword(email: string, password?: string): Promise<string> {
    const { accounts } = this.#options
    const given = await accounts.resetPassword(email, password)
    const { owned, written } = await this.#projectsOf(email)
    await this.#record([...owned, ...written], entryOf('resetPassword', { target: email }))
    return given
  }

  async setPlan(email: string, plan: Plan): Promise<OperatorAccount> {
    const account = await this.#options.accounts.setPlan(email, plan)
    const { owned } = await this.#projectsOf(email)
    await this.#record(owned, entryOf('plan', { target: account.email, detail: plan }))
    return account
  }

  async remove(email: string): Promise<RemovedAccount | null> {
    const removed = await this.#options.removal.remove(email)
    if (removed !== null) await this.#record(removed.left, entryOf('removeAccount', { target: removed.account.email }))
    return removed
  }

  /** Throws Failure `not_found` where there is no such project or account. */
  async transferProject(slug: string, email: string): Promise<Member> {
    const { members } = this.#options
    const { id } = await members.add(slug, email)
    const owner = await members.transfer(slug, id)
    await this.#record([slug], entryOf('transfer', { target: owner.email, detail: 'is the owner now' }))
    return owner
  }

  async #projectsOf(email: string): Promise<{ readonly owned: string[]; readonly written: string[] }> {
    const { accounts, projects } = this.#options
    const account = await accounts.readByEmail(email)
    const owned: string[] = []
    const written: string[] = []
    for (const slug of account === null ? [] : await projects.slugs()) {
      const project = await projects.find(slug)
      if (project?.owner === account?.id) owned.push(slug)
      else if (account !== null && project?.writers.includes(account.id) === true) written.push(slug)
    }
    return { owned, written }
  }

  async #record(slugs: readonly string[], entry: OperatorEntry): Promise<void> {
    const { audit, onError } = this.#options
    for (const slug of slugs) await audit.record(slug, entry).catch((error: unknown) => onError(error, slug))
  }
}
