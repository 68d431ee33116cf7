import type { Account } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import { normaliseEmail, presentAccount, type AccountRecords } from './account-records.ts'
import type { Invitations } from './invitations.ts'
import type { Members } from './members.ts'
import { partsOf, type Part } from './parts.ts'
import type { Projects } from '../projects/projects.ts'
import type { Sessions } from './sessions.ts'

export interface AccountRemovalOptions {
  readonly records: AccountRecords
  readonly sessions: Pick<Sessions, 'endAll'>
  readonly projects: Projects
  readonly members: Pick<Members, 'remove'>
  readonly invitations: Pick<Invitations, 'forget'>
}

export interface Removed {
  readonly account: Account
  /** The projects that it was a writer of, by slug. */
  readonly left: readonly Part[]
}

/** Removes accounts with all that is theirs alone: password, identities, sessions, their part in projects of others. */
export class AccountRemoval {
  readonly #options: AccountRemovalOptions

  constructor(options: AccountRemovalOptions) {
    this.#options = options
  }

  /** As `remove`, the account that has an address now. */
  async removeByEmail(email: string): Promise<Removed | null> {
    const normal = normaliseEmail(email)
    const known = (await this.#options.records.list()).find((account) => account.email === normal)
    return known === undefined ? null : this.remove(known.id)
  }

  /**
   * Null where there is no such account, as after a removal. One that was cut off goes on where it was. Of an id, since
   * an address may be somebody else's by the time that the projects are gone.
   * Throws Failure `invalid_request` that names the projects which the account owns: nothing is changed then, but that
   * it may have left others.
   */
  async remove(id: string): Promise<Removed | null> {
    const { records, sessions, projects, invitations } = this.#options
    const known = await records.find(id)
    if (known !== undefined) await this.#assertOwnsNone(known.id, known.email)
    const account = await records.beginRemoval(id)
    if (account === undefined) return null
    const left: Part[] = []
    try {
      for (const part of (await partsOf(projects, account.id)).written)
        if (await this.#leave(part.id, account.id)) left.push(part)
      // It may have made a project, or been given one, at that moment; from here on it cannot.
      await this.#assertOwnsNone(account.id, account.email)
    } catch (error) {
      await records.cancelRemoval(account.id)
      throw error
    }
    await sessions.endAll(account.id)
    // Who only claimed the address must not end what somebody else is invited to.
    if (account.vouched === true) await invitations.forget(account.email)
    await records.remove(account.id)
    return { account: presentAccount(account), left }
  }

  /** At start: ends the removals that a crash cut off, which nobody who is removed could ask for again. */
  async recover(onError: (error: unknown) => void): Promise<void> {
    try {
      const all = await this.#options.records.list()
      for (const { id } of all.filter(({ leaving }) => leaving === true)) await this.remove(id).catch(onError)
    } catch (error) {
      // Accounts that are damaged: what needs them tells it, the rest is served.
      onError(error)
    }
  }

  async #assertOwnsNone(id: string, email: string): Promise<void> {
    const owned = (await partsOf(this.#options.projects, id)).owned.map(({ slug }) => slug)
    if (owned.length === 0) return
    const projects = owned.length === 1 ? 'the project' : `${owned.length} projects:`
    throw new Failure('invalid_request', `${email} owns ${projects} ${owned.join(', ')}.`, {
      hint: 'Give each to somebody else first (quire admin transfer <slug> <email>), or delete it in the API.',
      extra: { projects: owned },
    })
  }

  /** Whether it had a part in the project: it may have left meanwhile, or become the owner. */
  async #leave(project: string, id: string): Promise<boolean> {
    try {
      await this.#options.members.remove(project, id)
      return true
    } catch (error) {
      if (error instanceof Failure && (error.code === 'not_found' || error.code === 'invalid_request')) return false
      throw error
    }
  }
}
