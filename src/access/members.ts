import type { Account } from '../contract/accounts.ts'
import { Failure } from '../contract/failure.ts'
import type { Member } from '../contract/members.ts'
import type { Store } from '../storage/store.ts'
import { noProject, projectDocument, type ProjectDocument, type StoredMember } from '../projects/document.ts'
import type { Projects } from '../projects/projects.ts'
import { endAdministration } from './keys.ts'

export interface MembersOptions {
  readonly store: Store
  readonly projects: Pick<Projects, 'change' | 'transfer'>
  readonly accounts: {
    read(id: string): Promise<Account | null>
    readByEmail(email: string): Promise<Account | null>
  }
  readonly now: () => Date
}

/** With the address, which not everybody is shown. */
export type KnownMember = Member & { readonly email: string }

const maxWriters = 100

/** Who has a part in a project: its owner and its writers. */
export class Members {
  readonly #options: MembersOptions

  constructor(options: MembersOptions) {
    this.#options = options
  }

  /** The owner, then the writers in the order in which they came. Throws Failure `not_found`. */
  async list(project: string): Promise<KnownMember[]> {
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
  async read(project: string, id: string): Promise<KnownMember> {
    const member = (await this.list(project)).find((candidate) => candidate.id === id)
    if (member === undefined) throw noMember(id)
    return member
  }

  /**
   * Makes the account of an email address a writer, for the operator, who may know who has an account; one that is a
   * member already stays what it is.
   * Throws Failure `not_found` when no account has the address, `invalid_request` when there are too many.
   */
  async add(project: string, email: string): Promise<KnownMember> {
    const account = await this.#options.accounts.readByEmail(email)
    if (account === null) {
      throw new Failure('not_found', `Nobody has an account here with the address ${email}.`, {
        hint: 'Ask them to create an account first, or the operator to create it.',
        errors: [{ pointer: '/email', message: 'has no account' }],
      })
    }
    const addedAt = this.#options.now()
    await this.#options.projects.change(project, (document) => {
      admitWriter(document, account.id, addedAt)
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
   * Makes a writer the owner, and the owner a writer, also one who has as many projects as an account may. Keys that
   * administer end. Throws Failure `not_found`.
   */
  async transfer(project: string, id: string): Promise<KnownMember> {
    if (!(await this.#options.projects.transfer(project, id, { also: endedByTransfer }))) throw noMember(id)
    return this.read(project, id)
  }

  async #present({ account: id, addedAt }: Readonly<StoredMember>, role: Member['role']): Promise<KnownMember | null> {
    const account = await this.#options.accounts.read(id)
    return account === null ? null : { id, name: nameOf(account.email), email: account.email, role, addedAt }
  }
}

/** The name of an account: its address up to the @. */
export function nameOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'))
}

/** Makes an account a writer; a member stays what it is. Throws Failure `invalid_request` when there are too many. */
export function admitWriter(document: ProjectDocument, account: string, at: Date): void {
  const writers = (document.members ??= [])
  if (document.owner === account || indexOf(writers, account) !== -1) return
  if (writers.length >= maxWriters) {
    throw new Failure('invalid_request', `The project has ${writers.length} writers, which is the most.`, {
      hint: 'Remove members who do not work on it any more.',
    })
  }
  writers.push({ account, addedAt: at.toISOString() })
}

/** With the owner end the keys that administer, and invitations to own the project. */
export function endedByTransfer(document: ProjectDocument): void {
  endAdministration(document)
  if (document.invitations !== undefined)
    document.invitations = document.invitations.filter(({ role }) => role !== 'owner')
}

function indexOf(members: readonly Readonly<StoredMember>[], id: string): number {
  return members.findIndex(({ account }) => account === id)
}

function noMember(id: string): Failure {
  return new Failure('not_found', `The project has no member ${id}.`, {
    hint: 'GET …/members lists those that it has.',
  })
}
