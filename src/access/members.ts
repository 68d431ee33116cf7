import type { Account } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import type { Member } from '../contract/members.ts'
import type { Store } from '../storage/store.ts'
import { noProject, projectDocument, type ProjectDocument, type StoredMember } from '../projects/document.ts'
import type { Projects } from '../projects/projects.ts'
import { endAdministration } from './keys.ts'

export interface MembersOptions {
  readonly store: Store
  readonly projects: Pick<Projects, 'change' | 'transfer' | 'requireRoom'>
  readonly accounts: {
    read(id: string): Promise<Account | null>
    readByEmail(email: string): Promise<Account | null>
  }
  readonly now: () => Date
}

const maxWriters = 100

/** Who has a part in a project: its owner and its writers. */
export class Members {
  readonly #options: MembersOptions

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** The owner, then the writers in the order in which they came. Throws Failure `not_found`. */
  async list(project: string): Promise<Member[]> {
    const document = await this.#options.store.read<ProjectDocument>(projectDocument(project))
    if (document === undefined) throw noProject(project)
    const owner = { account: document.owner, addedAt: document.ownerSince ?? document.createdAt }
    const writers = await Promise.all((document.members ?? []).map((member) => this.#present(member, 'writer')))
    const shown = await this.#present(owner, 'owner')
    if (shown === null) throw new Error(`the project ${project} has the owner ${owner.account}, which is no account`)
    // Somebody may have been added at the moment in which the account was removed.
    return [shown, ...writers.filter((writer) => writer !== null)]
  }

  /** The member with that account id. Throws Failure `not_found`. */
  async read(project: string, id: string): Promise<Member> {
    const member = (await this.list(project)).find((candidate) => candidate.id === id)
    if (member === undefined) throw noMember(id)
    return member
  }

  /**
   * Makes the account of an email address a writer; one that is a member already stays what it is.
   * Throws Failure `not_found` when no account has the address, `invalid_request` when there are too many.
   */
  async add(project: string, email: string): Promise<Member> {
    const account = await this.#options.accounts.readByEmail(email)
    if (account === null) {
      throw new Failure('not_found', `Nobody has an account here with the address ${email}.`, {
        hint: 'Ask them to create an account first, or the operator to create it.',
        errors: [{ pointer: '/email', message: 'has no account' }],
      })
    }
    const addedAt = this.#options.now().toISOString()
    await this.#options.projects.change(project, (document) => {
      const writers = (document.members ??= [])
      if (document.owner === account.id || indexOf(writers, account.id) !== -1) return
      if (writers.length >= maxWriters) {
        throw new Failure('invalid_request', `The project has ${writers.length} writers, which is the most.`, {
          hint: 'Remove members who do not work on it any more.',
        })
      }
      writers.push({ account: account.id, addedAt })
    })
    return this.read(project, account.id)
  }

  /** From the next request on it is a stranger. Throws Failure `not_found`, `invalid_request` for the owner. */
  async remove(project: string, id: string): Promise<void> {
    await this.#options.projects.change(project, (document) => {
      if (document.owner === id) {
        throw new Failure('invalid_request', 'The owner of a project cannot leave it.', {
          hint: 'Give it to a writer first, or delete it.',
        })
      }
      const index = indexOf(document.members ?? [], id)
      if (index === -1) throw noMember(id)
      document.members?.splice(index, 1)
    })
  }

  /**
   * Makes a writer the owner, and the owner a writer. Keys that administer end. Throws Failure `not_found`,
   * `too_many_projects`.
   * @param options.limited an operator may give to whom nobody else could give any more
   */
  async transfer(project: string, id: string, { limited = true } = {}): Promise<Member> {
    const { projects } = this.#options
    // Who is no member is not told how many projects a stranger has.
    const { role } = await this.read(project, id)
    if (limited && role !== 'owner') projects.requireRoom(id)
    if (!(await projects.transfer(project, id, endAdministration))) throw noMember(id)
    return this.read(project, id)
  }

  async #present({ account: id, addedAt }: Readonly<StoredMember>, role: Member['role']): Promise<Member | null> {
    const account = await this.#options.accounts.read(id)
    return account === null ? null : { id, email: account.email, role, addedAt }
  }
}

function indexOf(members: readonly Readonly<StoredMember>[], id: string): number {
  return members.findIndex(({ account }) => account === id)
}

function noMember(id: string): Failure {
  return new Failure('not_found', `The project has no member ${id}.`, {
    hint: 'Only members can own a project: add them as a writer first.',
  })
}
