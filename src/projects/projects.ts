import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { OnError, Plan } from '../contract/projects.ts'
import { pageOf } from '../lib/pages.ts'
import type { Store } from '../storage/store.ts'
import { noProject, projectDocument, projectPrefix, type ProjectDocument, type Suspension } from './document.ts'
import type { Slugs } from './slugs.ts'

export interface ProjectsOptions {
  readonly store: Store
  readonly slugs: Slugs
  /** Plan of an account. */
  readonly planOf: (account: string) => Promise<Plan>
  /** Projects that one account may own; default: any number. */
  readonly most?: number
  /** Where people reach the operator, `https:` or `mailto:`. */
  readonly contact?: string | undefined
}

/** A project as the rest of the service sees it. */
export interface ProjectInfo {
  /** Names the project’s repository, site and records; it never changes, while the slug may. See README.md. */
  readonly id: string
  readonly slug: string
  readonly title: string
  /** Account id. */
  readonly owner: string
  /** Account ids. */
  readonly writers: readonly string[]
  readonly suspended?: Readonly<Suspension>
  readonly onError: OnError
  /** Plan of the owner. */
  readonly plan: Plan
  readonly createdAt: string
}

/** What a slug in a request stands for. */
export interface ResolvedSlug {
  /** Id of the project. */
  readonly id: string
  /** The slug that the project has now, where the request names one that it had before. */
  readonly movedTo: string | null
}

/** Projects: their owners, slugs and titles. Their repositories, sites and deploys are kept elsewhere. */
export class Projects {
  readonly #options: ProjectsOptions

  constructor(options: ProjectsOptions) {
    this.#options = options
  }

  /** What a slug stands for, or did before a rename; null for any other text. Only memory is looked at. */
  resolve(slug: string): ResolvedSlug | null {
    const { slugs } = this.#options
    const id = slugs.projectOf(slug)
    if (id !== undefined) return { id, movedTo: null }
    const successor = slugs.successorOf(slug)
    return successor === undefined ? null : { id: successor, movedTo: slugs.slugOf(successor) }
  }

  /** The slug of a project; the id itself when the project was deleted. */
  slugOf(id: string): string {
    return this.#options.slugs.slugOf(id)
  }

  /** Account id of the owner, from memory: by whom what is shared is divided. The id itself when the project is gone. */
  ownerOf(id: string): string {
    return this.#options.slugs.ownerOf(id)
  }

  /** Ids of the projects that an account owns, from memory. */
  ownedBy(account: string): readonly string[] {
    return [...this.#options.slugs.ownedBy(account)]
  }

  /** Throws Failure `too_many_projects` when an account owns as many as it may. Only memory is looked at. */
  requireRoom(account: string): void {
    const { slugs, most = Infinity } = this.#options
    const owned = slugs.ownedBy(account).size
    if (owned < most) return
    throw new Failure('too_many_projects', `The account owns ${owned} projects, and ${most} are the most here.`, {
      hint: 'Remove one, give one to somebody else, or ask the operator of the service for more (MAX_PROJECTS).',
    })
  }

  /** Whether the document of a project cannot be read: everything but its site is refused with `unavailable`. */
  isSetAside(id: string): boolean {
    return this.#options.slugs.isSetAside(id)
  }

  /** How many there are. */
  get count(): number {
    return this.#options.slugs.count
  }

  /** Whether the operator has suspended a project. Only memory is looked at. */
  isSuspended(id: string): boolean {
    return this.#options.slugs.isSuspended(id)
  }

  /** Throws Failure `project_suspended` for a project that is: nothing of it changes. */
  requireActive({ slug, suspended }: Pick<ProjectInfo, 'slug' | 'suspended'>): void {
    if (suspended === undefined) return
    const { contact } = this.#options
    throw new Failure('project_suspended', `The project ${slug} is suspended by the operator of this service.`, {
      hint:
        'Its members can read and clone it; nobody else sees it, and nothing of it changes until the operator resumes it.' +
        (contact === undefined ? ' Ask them.' : ` Ask them: ${contact.replace(/^mailto:/, '')}`),
    })
  }

  /** Suspends a project, or resumes it: null. Throws Failure `not_found`. */
  async setSuspended(id: string, suspension: Suspension | null): Promise<ProjectInfo> {
    await this.change(id, (document) => {
      if (suspension === null) delete document.suspended
      else document.suspended = suspension
    })
    this.#options.slugs.setSuspended(id, suspension !== null)
    return this.read(id)
  }

  /** Former slugs that still redirect to their project. */
  formerSlugs(): readonly string[] {
    return this.#options.slugs.former()
  }

  /** The project of an id, or null: also for a text that cannot be one. */
  async find(id: string): Promise<ProjectInfo | null> {
    const document = await this.#options.store.read<ProjectDocument>(projectDocument(id))
    return document === undefined ? null : this.#present(id, document)
  }

  /** Throws Failure `not_found`. */
  async read(id: string): Promise<ProjectInfo> {
    const project = await this.find(id)
    if (project === null) throw noProject(this.slugOf(id))
    return project
  }

  /** Projects that an account owns or writes, newest first. */
  async list(account: string, query: ListQuery = {}): Promise<List<ProjectInfo>> {
    const own: ProjectInfo[] = []
    for (const id of this.#options.slugs.ids()) {
      // Its owner cannot be told; whoever asks for the project itself is told why.
      if (this.#options.slugs.isSetAside(id)) continue
      const project = await this.find(id)
      if (project !== null && (project.owner === account || project.writers.includes(account))) own.push(project)
    }
    return pageOf(own, query, (project) => `${project.createdAt} ${project.slug}`)
  }

  /** Ids of all projects, also of those that are being made, sorted. */
  async ids(): Promise<readonly string[]> {
    return (await this.#options.store.list(projectPrefix)).map((name) => name.slice(projectPrefix.length))
  }

  /** Throws Failure `not_found`. */
  async setTitle(id: string, title: string): Promise<ProjectInfo> {
    await this.change(id, (document) => {
      document.title = title
    })
    return this.read(id)
  }

  /** From the next deploy on. Throws Failure `not_found`. */
  async setOnError(id: string, onError: OnError): Promise<ProjectInfo> {
    await this.change(id, (document) => {
      if (onError === 'refuse') delete document.onError
      else document.onError = onError
    })
    return this.read(id)
  }

  /**
   * Makes one of the writers the owner, and the owner a writer.
   *
   * @param account Id of the writer; nothing happens when it is the owner.
   * @param change What changes in the same step, in the draft of the project’s document: first, and with the owner.
   * Returns whether it is the owner now, which nobody but a writer can become. Throws Failure `not_found`.
   */
  async transfer(
    id: string,
    account: string,
    {
      before,
      also,
    }: { readonly before?: (document: ProjectDocument) => void; readonly also: (document: ProjectDocument) => void },
  ): Promise<boolean> {
    const isOwner = await this.change(id, (document) => {
      before?.(document)
      if (document.owner === account) return true
      const writer = document.members?.find((member) => member.account === account)
      if (writer === undefined) return false
      const { addedAt } = writer
      writer.account = document.owner
      writer.addedAt = document.ownerSince ?? document.createdAt
      document.owner = account
      document.ownerSince = addedAt
      also(document)
      return true
    })
    if (isOwner) this.#options.slugs.setOwner(id, account)
    return isOwner
  }

  /** Edits the document of a project in place. Throws Failure `not_found`. */
  change<R>(id: string, change: (document: ProjectDocument) => R): Promise<R> {
    return this.#options.store.mutate<ProjectDocument, R>(projectDocument(id), (draft) => {
      if (draft === undefined) throw noProject(this.slugOf(id))
      return { result: change(draft), document: draft }
    })
  }

  async #present(
    id: string,
    { slug, title, owner, members = [], createdAt, onError = 'refuse', suspended }: Readonly<ProjectDocument>,
  ): Promise<ProjectInfo> {
    const writers = members.map(({ account }) => account)
    const plan = await this.#options.planOf(owner)
    return {
      id,
      slug,
      title,
      owner,
      writers,
      onError,
      plan,
      createdAt,
      ...(suspended === undefined ? {} : { suspended }),
    }
  }
}
