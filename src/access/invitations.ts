import { randomBytes } from 'node:crypto'
import { Failure } from '../contract/failure.ts'
import { invitationLimits, type Invitation, type ReceivedInvitation } from '../contract/invitations.ts'
import type { Role } from '../contract/members.ts'
import {
  noProject,
  projectDocument,
  projectPrefix,
  type ProjectDocument,
  type StoredInvitation,
} from '../projects/document.ts'
import type { Projects } from '../projects/projects.ts'
import type { Store } from '../storage/store.ts'
import { assertEmail, normaliseEmail, type AccountRecords, type StoredAccount } from './account-records.ts'
import { admitWriter, endedByTransfer, type KnownMember, type Members } from './members.ts'
import { hashToken, newId } from './tokens.ts'

export interface InvitationsOptions {
  readonly store: Store
  readonly records: Pick<AccountRecords, 'find'>
  readonly projects: Pick<Projects, 'change' | 'transfer' | 'slugOf' | 'requireRoom' | 'requireActive'>
  readonly members: Pick<Members, 'read'>
  /**
   * Lets an account take a project over as far as its storage goes, and ends that when it has. Throws Failure
   * `quota_exceeded`.
   */
  readonly takeOver?: ((account: string, projectId: string) => Promise<{ end(): void }>) | undefined
  readonly now: () => Date
}

const lifetimeMs = invitationLimits.days * 24 * 60 * 60 * 1000
/** Of one account. */
const maxShown = 50

interface Found {
  readonly projectId: string
  readonly document: Readonly<ProjectDocument>
  readonly invitation: Readonly<StoredInvitation>
}

/**
 * Invitations of email addresses to projects. Nothing tells who invites whether an address has an account. Who signs
 * up by password only claims an address: such an account proves by the code, which is handed over or mailed, that it is
 * meant. An account that changes its address leaves its invitations behind: they are of the address.
 */
export class Invitations {
  readonly #options: InvitationsOptions
  /** Projects by address. Only where to look: whether there is an invitation says the project’s document. */
  readonly #projects = new Map<string, Set<string>>()

  private constructor(options: InvitationsOptions) {
    this.#options = options
  }

  /** Reads the invitations of all projects. */
  static async open(options: InvitationsOptions): Promise<Invitations> {
    const invitations = new Invitations(options)
    for (const name of await options.store.list(projectPrefix)) {
      const stored = (await options.store.read<ProjectDocument>(name))?.invitations ?? []
      for (const { email } of stored) invitations.#note(email, name.slice(projectPrefix.length))
    }
    return invitations
  }

  /**
   * Invites an address; an open invitation of the same address ends. The reply is the only place where the code is told.
   * Throws Failure `invalid_request`, `not_found`.
   */
  async create(project: string, request: { readonly email: string; readonly role: Role }) {
    assertEmail(request.email)
    const email = normaliseEmail(request.email)
    const now = this.#options.now()
    const code = randomBytes(24).toString('base64url')
    const invitation: StoredInvitation = {
      id: newId('inv'),
      email,
      role: request.role,
      code_hash: hashToken(code),
      createdAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + lifetimeMs).toISOString(),
    }
    await this.#change(project, (all) => {
      const others = all.filter((other) => other.email !== email)
      if (others.length >= invitationLimits.ofProject) {
        throw new Failure('invalid_request', `The project has ${others.length} open invitations, which is the most.`, {
          hint: 'Take back those that nobody will accept.',
        })
      }
      return [...others, invitation]
    })
    this.#note(email, project)
    return { ...present(invitation), code }
  }

  /** Open ones of a project, the newest first. Throws Failure `not_found`. */
  async list(project: string): Promise<Invitation[]> {
    const document = await this.#options.store.read<ProjectDocument>(projectDocument(project))
    if (document === undefined) throw noProject(this.#options.projects.slugOf(project))
    return this.#open(document).map(present).toReversed()
  }

  /** Throws Failure `not_found`. Returns whose it was. */
  async revoke(project: string, id: string): Promise<Invitation> {
    let revoked: StoredInvitation | undefined
    await this.#change(project, (all) => {
      revoked = all.find((each) => each.id === id)
      if (revoked === undefined) throw noInvitation(id)
      return all.filter((each) => each.id !== id)
    })
    if (revoked === undefined) throw noInvitation(id)
    return present(revoked)
  }

  /** Open ones of an account, the newest first. */
  async received(account: string): Promise<ReceivedInvitation[]> {
    const person = await this.#options.records.find(account)
    if (person === undefined) return []
    const found = await this.#of(person)
    return found
      .map(({ projectId, document, invitation: { id, role, createdAt, expiresAt } }) => ({
        id,
        project: this.#options.projects.slugOf(projectId),
        title: document.title,
        role,
        needsCode: person.vouched !== true,
        createdAt,
        expiresAt,
      }))
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .slice(0, maxShown)
  }

  /**
   * Makes the account what it is invited to be, and ends the invitation, in one step. Throws Failure `not_found`,
   * `forbidden` where the code is missing or wrong, `invalid_request` for too many writers, `too_many_projects`,
   * `quota_exceeded`, `project_suspended`.
   */
  async accept(
    account: string,
    id: string,
    code: string | undefined,
  ): Promise<{ readonly projectId: string; readonly member: KnownMember }> {
    const { records, projects, members, now } = this.#options
    const person = await records.find(account)
    const found = await this.#find(person, id)
    if (person?.vouched !== true) assertCode(found.invitation, code)
    const { projectId } = found
    const { role } = found.invitation
    projects.requireActive(found.document)
    const admit = (draft: ProjectDocument): void => {
      // Taken back or replaced a moment ago.
      if (!this.#open(draft).some((each) => each.id === id)) throw noInvitation(id)
      draft.invitations = draft.invitations?.filter((each) => each.id !== id) ?? []
      admitWriter(draft, account, now())
    }
    if (role === 'writer') await projects.change(projectId, admit)
    else {
      const isOthers = found.document.owner !== account
      if (isOthers) projects.requireRoom(account)
      const taking = isOthers ? await this.#options.takeOver?.(account, projectId) : undefined
      try {
        await projects.transfer(projectId, account, { before: admit, also: endedByTransfer })
      } finally {
        taking?.end()
      }
    }
    return { projectId, member: await members.read(projectId, account) }
  }

  /** Throws Failure `not_found`. Returns the project’s id. */
  async decline(account: string, id: string): Promise<string> {
    const { projectId } = await this.#find(await this.#options.records.find(account), id)
    await this.revoke(projectId, id)
    return projectId
  }

  /** The account of the address goes: whoever has the address next is not who was meant. */
  async forget(email: string): Promise<void> {
    const normal = normaliseEmail(email)
    for (const project of this.#projects.get(normal) ?? [])
      await this.#change(project, (all) => all.filter((each) => each.email !== normal)).catch((error: unknown) => {
        if (!(error instanceof Failure) || error.code !== 'not_found') throw error
      })
    this.#projects.delete(normal)
  }

  async #find(person: Readonly<StoredAccount> | undefined, id: string): Promise<Found> {
    const all = person === undefined ? [] : await this.#of(person)
    const found = all.find(({ invitation }) => invitation.id === id)
    if (found === undefined) throw noInvitation(id)
    return found
  }

  async #of({ email }: Readonly<StoredAccount>): Promise<Found[]> {
    const found: Found[] = []
    const projects = this.#projects.get(email)
    for (const projectId of projects ?? []) {
      const document = await this.#options.store.read<ProjectDocument>(projectDocument(projectId))
      const own = document === undefined ? [] : this.#open(document).filter((each) => each.email === email)
      if (document === undefined || own.length === 0) projects?.delete(projectId)
      else for (const invitation of own) found.push({ projectId, document, invitation })
    }
    if (projects?.size === 0) this.#projects.delete(email)
    return found
  }

  #open({ invitations = [] }: Readonly<ProjectDocument>): readonly Readonly<StoredInvitation>[] {
    const now = this.#options.now().toISOString()
    return invitations.filter(({ expiresAt }) => expiresAt > now)
  }

  /** Edits the open ones; the others go. */
  #change(project: string, change: (open: readonly StoredInvitation[]) => readonly StoredInvitation[]): Promise<void> {
    return this.#options.projects.change(project, (document) => {
      document.invitations = [...change(this.#open(document).map((each) => ({ ...each })))]
    })
  }

  #note(email: string, project: string): void {
    let projects = this.#projects.get(email)
    if (projects === undefined) this.#projects.set(email, (projects = new Set()))
    projects.add(project)
  }
}

function present({ id, email, role, createdAt, expiresAt }: Readonly<StoredInvitation>): Invitation {
  return { id, email, role, createdAt, expiresAt }
}

function assertCode(invitation: Readonly<StoredInvitation>, code: string | undefined): void {
  // Hashes are compared: how long that takes tells nothing of the code.
  if (code !== undefined && hashToken(code) === invitation.code_hash) return
  throw new Failure(
    'forbidden',
    code === undefined
      ? 'Nobody vouches for the address of your account: accepting takes the code of the invitation.'
      : 'The code of the invitation is wrong.',
    { hint: 'It is in the link that whoever invited you was given: ask for it, or for a new invitation.' },
  )
}

function noInvitation(id: string): Failure {
  return new Failure('not_found', `There is no open invitation ${id} here.`, {
    hint: 'It has expired, was taken back, or is for another address than your account’s: ask for another one.',
  })
}
