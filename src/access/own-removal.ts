import { mostOwnedShown, type Removal } from '../contract/account-changes.ts'
import { Failure } from '../contract/failure.ts'
import type { ProjectLifecycle } from '../projects/lifecycle.ts'
import type { Projects } from '../projects/projects.ts'
import type { AccountRecords } from './account-records.ts'
import { normaliseEmail, type StoredAccount } from './account-records.ts'
import type { AccountRemoval, Removed } from './account-removal.ts'
import { partsOf } from './parts.ts'
import type { PasswordCheck } from './password-check.ts'

export interface OwnRemovalOptions {
  readonly records: Pick<AccountRecords, 'find'>
  readonly check: Pick<PasswordCheck, 'isRight'>
  readonly projects: Projects
  readonly lifecycle: Pick<ProjectLifecycle, 'remove'>
  readonly removal: Pick<AccountRemoval, 'remove'>
}

/** That somebody means it: the password, or the address typed where there is none; and what is to become of projects. */
export interface RemovalRequest {
  readonly password?: string
  readonly email?: string
  readonly projects?: 'delete'
}

/** Removes accounts for those whose they are. */
export class OwnRemoval {
  readonly #options: OwnRemovalOptions

  constructor(options: OwnRemovalOptions) {
    this.#options = options
  }

  /** What goes with an account, and what removing it takes. */
  async read(id: string): Promise<Removal> {
    const { records, projects } = this.#options
    const { owned, written } = await partsOf(projects, id)
    return {
      proof: typeof (await records.find(id))?.password === 'string' ? 'password' : 'email',
      owned: owned.slice(0, mostOwnedShown).map(({ slug }) => slug),
      ownedCount: owned.length,
      writtenCount: written.length,
    }
  }

  /**
   * Removes the account, its projects first where that is asked for. What cuts it off in between leaves the account with
   * the projects that are left. Throws Failure `invalid_request` for a wrong password or address and, with the projects,
   * while it owns some; `rate_limited`; whatever keeps a project from being removed.
   *
   * @param address IP address that asks.
   */
  async remove(id: string, request: RemovalRequest, address: string): Promise<Removed> {
    const { records, projects, lifecycle, removal } = this.#options
    const account = await records.find(id)
    if (account === undefined) throw gone()
    await this.#prove(account, request, address)
    const { owned } = await partsOf(projects, id)
    if (owned.length > 0 && request.projects !== 'delete') throw ownsProjects(owned.map(({ slug }) => slug))
    for (const { id: projectId } of owned) projects.requireActive(await projects.read(projectId))
    for (const project of owned) await lifecycle.remove(project.id)
    const removed = await removal.remove(id)
    if (removed === null) throw gone()
    return removed
  }

  async #prove(account: Readonly<StoredAccount>, request: RemovalRequest, address: string): Promise<void> {
    if (account.password === null) {
      if (request.email !== undefined && normaliseEmail(request.email) === account.email) return
      throw new Failure('invalid_request', `Type the address of the account to delete it: ${account.email}.`, {
        errors: [{ pointer: '/email', message: 'is not the address of the account' }],
      })
    }
    const { password } = request
    const { email } = account
    const right = password !== undefined && (await this.#options.check.isRight({ email, password }, account, address))
    if (right) return
    throw new Failure(
      'invalid_request',
      password === undefined ? 'The password is missing.' : 'The password is wrong.',
      {
        errors: [{ pointer: '/password', message: password === undefined ? 'is missing' : 'is wrong' }],
      },
    )
  }
}

function ownsProjects(slugs: readonly string[]): Failure {
  const shown = slugs.slice(0, mostOwnedShown)
  const projects = slugs.length === 1 ? 'the project' : `${slugs.length} projects:`
  const more = slugs.length > shown.length ? ' and others' : ''
  return new Failure('invalid_request', `You own ${projects} ${shown.join(', ')}${more}.`, {
    hint: 'Give each to somebody else first, by an invitation to own it; or delete them with the account (`"projects": "delete"`).',
    errors: [{ pointer: '/projects', message: 'is missing' }],
    extra: { projects: shown },
  })
}

function gone(): Failure {
  return new Failure('unauthenticated', 'The account has been removed.')
}
