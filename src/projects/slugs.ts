import type { Store } from '../storage/store.ts'
import { projectPrefix, type FormerSlug, type ProjectDocument } from './document.ts'
import { Failure } from '../contract/failure.ts'
import { slugFault } from '../contract/patterns.ts'

/** Names that would pass for the service itself, or that it may need one day. */
const reservedNames = new Set(
  (
    'www api app admin dashboard git static assets cdn localhost auth login signup account accounts billing status ' +
    'mail smtp imap pop ftp ns1 ns2 mx autoconfig autodiscover wpad isatap postmaster hostmaster webmaster ' +
    'device settings new'
  ).split(' '),
)
const reservationPrefix = 'former-slug/'
const dayMs = 24 * 60 * 60_000

/** Throws Failure `invalid_request` for a slug that no project may have. */
export function assertSlug(slug: string): void {
  const fault = reservedNames.has(slug) ? 'is reserved for the service' : slugFault(slug)
  if (fault === undefined) return
  throw new Failure('invalid_request', `The slug ${JSON.stringify(slug)} ${fault}.`, {
    hint: 'Choose a short name such as my-project: it becomes the site’s host name.',
    errors: [{ pointer: '/slug', message: fault }],
  })
}

export interface SlugsOptions {
  readonly store: Store
  /** Days for which a slug is reserved for its former owner. */
  readonly reservedDays: number
  readonly now: () => Date
}

/** The slug of a removed project, kept for its owner. */
interface Reservation {
  /** Account id. */
  readonly owner: string
  /** RFC 3339. */
  readonly since: string
}

/** What `Slugs` knows of the document of a project. */
type KeptInMemory = Readonly<Pick<ProjectDocument, 'slug' | 'owner' | 'formerSlugs' | 'suspended'>>

/** A copy that outlives the draft of a change. */
export function keptInMemory({ slug, owner, formerSlugs = [], suspended }: ProjectDocument): KeptInMemory {
  const former = formerSlugs.map((one) => ({ ...one }))
  return { slug, owner, formerSlugs: former, ...(suspended === undefined ? {} : { suspended: { ...suspended } }) }
}

/**
 * Which project a slug stands for, which one it stood for, for whom it is kept, whose each project is and whether it is suspended. All in memory,
 * because every request for a site asks; what is written down lies in the projects’ documents and in one document for each slug of a removed
 * project.
 */
export class Slugs {
  readonly #options: SlugsOptions
  /** Ids by slug. */
  readonly #projects = new Map<string, string>()
  /** Slugs by id. */
  readonly #slugs = new Map<string, string>()
  /** Account ids by id. */
  readonly #owners = new Map<string, string>()
  /** Ids by account id. */
  readonly #owned = new Map<string, Set<string>>()
  readonly #former = new Map<string, { readonly project: string; readonly since: string }>()
  readonly #reserved = new Map<string, Reservation>()
  readonly #aside = new Set<string>()
  /** Ids of projects that nobody but their members sees. */
  readonly #suspended = new Set<string>()

  private constructor(options: SlugsOptions) {
    this.#options = options
  }

  static async open(options: SlugsOptions): Promise<Slugs> {
    const slugs = new Slugs(options)
    const { store } = options
    for (const name of await store.list(projectPrefix)) {
      const document = await store.read<ProjectDocument>(name)
      if (document !== undefined && document.creating !== true) slugs.put(name.slice(projectPrefix.length), document)
    }
    for (const { document, previous } of store.setAside(projectPrefix))
      slugs.#setAside(document.slice(projectPrefix.length), previous as ProjectDocument | undefined)
    for (const name of await store.list(reservationPrefix)) await slugs.#load(name)
    // For nobody, until its owner can be read again.
    for (const { document } of store.setAside(reservationPrefix))
      slugs.reserve({ slug: document.slice(reservationPrefix.length), since: options.now().toISOString() }, '')
    return slugs
  }

  /** Id of the project that has the slug. */
  projectOf(slug: string): string | undefined {
    return this.#projects.get(slug)
  }

  /** The slug of a project; the id itself when the project was deleted. */
  slugOf(id: string): string {
    return this.#slugs.get(id) ?? id
  }

  /** Id of the project that had the slug and left it, for as long as nobody else may take it. */
  successorOf(slug: string): string | undefined {
    const former = this.#former.get(slug)
    return former === undefined || this.#projects.has(slug) || this.hasLapsed(former.since) ? undefined : former.project
  }

  /** Former slugs that still redirect to their project. */
  former(): readonly string[] {
    return [...this.#former.keys()].filter((slug) => this.successorOf(slug) !== undefined)
  }

  /** Id of the project that had the slug, whoever has it now. */
  formerProjectOf(slug: string): string | undefined {
    return this.#former.get(slug)?.project
  }

  /** Former slugs that another project has now. */
  taken(): readonly string[] {
    return [...this.#former].flatMap(([slug]) => (this.#projects.has(slug) ? [slug] : []))
  }

  /** When a slug became free that is still kept for its former owner; undefined for any other. */
  leftAt(slug: string): string | undefined {
    const left = this.#former.get(slug) ?? this.#reserved.get(slug)
    return left === undefined || this.hasLapsed(left.since) ? undefined : left.since
  }

  /** The account for which the slug of a removed project is kept. */
  reservedFor(slug: string): string | undefined {
    const reserved = this.#reserved.get(slug)
    return reserved === undefined || this.hasLapsed(reserved.since) ? undefined : reserved.owner
  }

  /** Whether a slug that became free at that time may be taken by anybody now. */
  hasLapsed(since: string): boolean {
    return this.#options.now().getTime() >= this.endOf(since).getTime()
  }

  /** When a slug that became free at that time may be taken by anybody. */
  endOf(since: string): Date {
    return new Date(Date.parse(since) + this.#options.reservedDays * dayMs)
  }

  /** A project whose document cannot be read keeps its slugs: its address must not become anybody else's. */
  #setAside(id: string, previous: ProjectDocument | undefined): void {
    if (previous !== undefined) this.put(id, previous)
    else if (!this.#projects.has(id)) this.put(id, { slug: id, owner: id })
    this.#aside.add(id)
  }

  /** Whether the document of a project cannot be read: whatever is asked of it is refused with `unavailable`. */
  isSetAside(id: string): boolean {
    return this.#aside.has(id)
  }

  get count(): number {
    return this.#slugs.size
  }

  /** Whether the operator has suspended a project. */
  isSuspended(id: string): boolean {
    return this.#suspended.has(id)
  }

  /** Ids of all projects. */
  ids(): Iterable<string> {
    return this.#slugs.keys()
  }

  /** Account id of a project’s owner; the project’s own id where the project is being made or was deleted. */
  ownerOf(id: string): string {
    return this.#owners.get(id) ?? id
  }

  /** Ids of the projects that an account owns. */
  ownedBy(account: string): ReadonlySet<string> {
    return this.#owned.get(account) ?? new Set()
  }

  setOwner(id: string, account: string): void {
    this.#disown(id)
    this.#owners.set(id, account)
    const owned = this.#owned.get(account)
    if (owned === undefined) this.#owned.set(account, new Set([id]))
    else owned.add(id)
  }

  #disown(id: string): void {
    const owner = this.#owners.get(id)
    if (owner === undefined) return
    this.#owners.delete(id)
    const owned = this.#owned.get(owner)
    owned?.delete(id)
    if (owned?.size === 0) this.#owned.delete(owner)
  }

  setSuspended(id: string, isSuspended: boolean): void {
    if (isSuspended) this.#suspended.add(id)
    else this.#suspended.delete(id)
  }

  /** Takes over from the document of a project whose it is, what it is called and whether it is suspended. */
  put(id: string, document: KeptInMemory): void {
    const { slug, owner, formerSlugs = [], suspended } = document
    this.delete(id)
    if (suspended !== undefined) this.#suspended.add(id)
    this.setOwner(id, owner)
    this.#projects.set(slug, id)
    this.#slugs.set(id, slug)
    for (const { slug: former, since } of formerSlugs) this.#former.set(former, { project: id, since })
  }

  /** Forgets a project that was deleted, with the slugs that it had. */
  delete(id: string): void {
    const slug = this.#slugs.get(id)
    if (slug !== undefined) this.#projects.delete(slug)
    this.#slugs.delete(id)
    this.#disown(id)
    this.#suspended.delete(id)
    for (const [former, { project }] of this.#former) if (project === id) this.#former.delete(former)
  }

  /** Reserves a slug for its former owner, in memory; `write` makes the reservation durable. */
  reserve({ slug, since }: FormerSlug, owner: string): void {
    if (!this.hasLapsed(since)) this.#reserved.set(slug, { owner, since })
  }

  /** Makes a reservation durable, unless it has lapsed or another project has the slug. */
  async write({ slug, since }: FormerSlug, owner: string): Promise<void> {
    if (this.hasLapsed(since) || this.#projects.has(slug)) return
    const document: Reservation = { owner, since }
    await this.#options.store.mutate(reservationPrefix + slug, () => ({ document, result: undefined }))
  }

  /** Ends a reservation: the former owner has taken the slug again, or the time is over. */
  async release(slug: string): Promise<void> {
    this.#reserved.delete(slug)
    await this.#options.store.mutate(reservationPrefix + slug, () => ({ document: undefined, result: undefined }))
  }

  async #load(name: string): Promise<void> {
    const slug = name.slice(reservationPrefix.length)
    const reserved = await this.#options.store.read<Reservation>(name)
    if (reserved === undefined || this.#projects.has(slug) || this.hasLapsed(reserved.since)) await this.release(slug)
    else this.#reserved.set(slug, reserved)
  }
}
