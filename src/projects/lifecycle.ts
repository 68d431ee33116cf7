import { randomBytes } from 'node:crypto'
import { Failure } from '../contract/failure.ts'
import { KeyedMutex } from '../lib/keyed-mutex.ts'
import type { Store } from '../storage/store.ts'
import { noProject, projectDocument, type FormerSlug, type ProjectDocument } from './document.ts'
import type { ProjectInfo, Projects } from './projects.ts'
import { assertSlug, keptInMemory, type Slugs } from './slugs.ts'

/** What a room does when a project comes, gets another slug, or goes. See README.md. */
export interface ProjectParticipant {
  /** Makes the room’s part. Its document is there, and nobody can reach the project yet. */
  created?(project: string): Promise<void>
  /** The project has the slug `to` now; for what is kept in memory. */
  renamed?(project: string, to: string): void
  /**
   * Before a removal. Throws the Failure that refuses it; else nothing begins in the project until the function that it
   * resolves with is called.
   */
  claim?(project: string): Promise<() => Promise<void>>
  /** Drops the room’s part. Its document is gone. Called again after a crash, and before an id is used: mostly there is nothing. */
  removed?(project: string): Promise<void>
}

/** Steps after which a test may have the process killed. */
export const lifecycleSteps = [
  'project-written',
  'project-made',
  'removal-written',
  'removal-begun',
  'removal-half-done',
  'removal-done',
] as const
export type LifecycleStep = (typeof lifecycleSteps)[number]

export interface LifecycleOptions {
  readonly store: Store
  readonly projects: Projects
  readonly slugs: Slugs
  /** The rooms below others first. */
  readonly participants: readonly ProjectParticipant[]
  readonly now: () => Date
  /** Told of work that failed where nobody waits for it. */
  readonly onError: (error: unknown, project: string, message: string) => void
  readonly failpoint?: (step: LifecycleStep) => void
}

/** A removal that has begun: the document `removal/<id>`. */
interface Removal {
  readonly owner: string
  /** The last one first. */
  readonly slugs: readonly FormerSlug[]
}

const removalPrefix = 'removal/'
/** Former slugs of a project at a time: each is one that nobody else may have. */
const maxFormerSlugs = 10
/** Of a slug in an id that has a random ending; together at most 63. */
const idStem = 52

/** Creates, renames and removes projects, with what each room does then. */
export class ProjectLifecycle {
  readonly #options: LifecycleOptions
  /** By slug, so that it is taken once; by id, so that nothing begins in what is being removed. */
  readonly #mutex = new KeyedMutex()

  constructor(options: LifecycleOptions) {
    this.#options = options
  }

  /** Throws Failure `invalid_request` for the slug, `project_exists`, `too_many_projects`, and what participants refuse with. */
  async create(owner: string, request: { readonly slug: string; readonly title?: string }): Promise<ProjectInfo> {
    const { slug, title = slug } = request
    const { projects, participants, now } = this.#options
    assertSlug(slug)
    // One at a time of an owner, who else would have more than are counted.
    const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
      this.#mutex.run(`owner ${owner}`, () => this.#inTurn(slug, slug, work))
    return inTurn(async () => {
      await this.#assertFree(slug, owner)
      projects.requireRoom(owner)
      const id = await this.#newId(slug)
      // Versions before this one could leave something behind when they were killed in a removal.
      await this.#drop(id)
      await this.#write(id, { slug, title, owner, createdAt: now().toISOString(), creating: true })
      this.#options.failpoint?.('project-written')
      try {
        for (const participant of participants) await participant.created?.(id)
        this.#options.failpoint?.('project-made')
        await projects.change(id, (document) => {
          delete document.creating
        })
      } catch (error) {
        await this.#undo(id)
        throw error
      }
      this.#options.slugs.put(id, { slug, owner })
      await this.#forgetFormer(slug)
      return projects.read(id)
    })
  }

  /**
   * Gives a project another slug; the one that it had leads to it. Throws Failure `invalid_request`, `project_exists`,
   * `not_found`.
   */
  async rename(id: string, to: string): Promise<ProjectInfo> {
    const { projects, slugs, participants, now, onError } = this.#options
    assertSlug(to)
    return this.#inTurn(to, id, async () => {
      const project = await projects.read(id)
      if (project.slug === to) return project
      await this.#assertFree(to, project.owner)
      const since = now().toISOString()
      const changed = await projects.change(id, (document) => {
        const left = (document.formerSlugs ?? []).filter((one) => one.slug !== to && !slugs.hasLapsed(one.since))
        if (left.length >= maxFormerSlugs) throw tooManySlugs(left.length)
        document.formerSlugs = [...left, { slug: document.slug, since }]
        document.slug = to
        return keptInMemory(document)
      })
      slugs.put(id, changed)
      await this.#forgetFormer(to, id)
      for (const participant of participants) {
        try {
          participant.renamed?.(id, to)
        } catch (error) {
          onError(error, id, 'a room did not take the new slug of a project')
        }
      }
      return projects.read(id)
    })
  }

  /**
   * Removes a project with all that it holds. Its slugs are kept for its owner. Throws Failure `not_found` and what
   * participants refuse with; whatever fails after that is tried again when the service starts.
   */
  async remove(id: string): Promise<void> {
    await this.#mutex.run(projectDocument(id), async () => {
      const releases = await this.#claim(id)
      try {
        await this.#beginRemoval(id)
      } finally {
        for (const release of releases) await release()
      }
      await this.#finishRemoval(id)
    })
  }

  /** At start, before any room looks at the projects: ends what a crash left half done. */
  async recover(): Promise<void> {
    const { store, projects, slugs, onError } = this.#options
    for (const name of await store.list(removalPrefix)) {
      const id = name.slice(removalPrefix.length)
      await this.#finishRemoval(id).catch((error: unknown) => onError(error, id, 'a project could not be removed'))
    }
    for (const id of await projects.ids()) {
      const document = await store.read<ProjectDocument>(projectDocument(id))
      if (document?.creating === true) await this.#undo(id)
    }
    // A slug may have been taken in the moment before the crash.
    for (const slug of slugs.taken()) await this.#forgetFormer(slug)
  }

  /** Alone with a slug and with an id, always taken in this order. */
  #inTurn<T>(slug: string, id: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(slug, () => this.#mutex.run(projectDocument(id), work))
  }

  async #claim(id: string): Promise<(() => Promise<void>)[]> {
    const releases: (() => Promise<void>)[] = []
    try {
      for (const participant of this.#options.participants) {
        const release = await participant.claim?.(id)
        if (release !== undefined) releases.push(release)
      }
      return releases
    } catch (error) {
      for (const release of releases) await release()
      throw error
    }
  }

  async #beginRemoval(id: string): Promise<void> {
    const { store, slugs, now } = this.#options
    const document = await store.read<ProjectDocument>(projectDocument(id))
    if (document === undefined) throw noProject(slugs.slugOf(id))
    const { owner, slug, formerSlugs = [] } = document
    const removal: Removal = { owner, slugs: [{ slug, since: now().toISOString() }, ...formerSlugs] }
    await store.mutate(removalPrefix + id, () => ({ document: removal, result: undefined }))
    this.#options.failpoint?.('removal-written')
    await this.#delete(id)
    for (const left of removal.slugs) slugs.reserve(left, owner)
    this.#options.failpoint?.('removal-begun')
  }

  /** From wherever it was cut off. Nothing happens when none has begun. */
  async #finishRemoval(id: string): Promise<void> {
    const { store, slugs, failpoint } = this.#options
    const removal = await store.read<Removal>(removalPrefix + id)
    if (removal === undefined) return
    // A crash may have come between the two.
    await this.#delete(id)
    for (const left of removal.slugs) slugs.reserve(left, removal.owner)
    await this.#drop(id, () => failpoint?.('removal-half-done'))
    failpoint?.('removal-done')
    for (const left of removal.slugs) await slugs.write(left, removal.owner)
    await store.mutate(removalPrefix + id, () => ({ document: undefined, result: undefined }))
  }

  /** Has every room drop its part. */
  async #drop(id: string, halfDone?: () => void): Promise<void> {
    const { participants } = this.#options
    for (const [index, participant] of participants.toReversed().entries()) {
      await participant.removed?.(id)
      if (index === participants.length >> 1) halfDone?.()
    }
  }

  /** Takes a creation back. What cannot be undone now is at the next start. */
  async #undo(id: string): Promise<void> {
    try {
      await this.#drop(id)
      await this.#delete(id)
    } catch (error) {
      this.#options.onError(error, id, 'a project that could not be made is still to be removed')
    }
  }

  async #write(id: string, document: ProjectDocument): Promise<void> {
    await this.#options.store.mutate(projectDocument(id), () => ({ document, result: undefined }))
  }

  async #delete(id: string): Promise<void> {
    await this.#options.store.mutate(projectDocument(id), () => ({ document: undefined, result: undefined }))
    this.#options.slugs.delete(id)
  }

  /** The slug itself; with a random ending where a project that had the slug before holds it as its id. */
  async #newId(slug: string): Promise<string> {
    const { store } = this.#options
    // Its former owner is faster than a removal that failed.
    await this.#finishRemoval(slug)
    for (let id = slug; ; id = `${slug.slice(0, idStem)}-${randomBytes(5).toString('hex')}`)
      if ((await store.read(projectDocument(id))) === undefined) return id
  }

  /** The slug belongs to a project again: it does not redirect any more, and is not kept for its former owner. */
  async #forgetFormer(slug: string, taker?: string): Promise<void> {
    const { projects, slugs } = this.#options
    if (slugs.reservedFor(slug) !== undefined) await slugs.release(slug)
    const before = slugs.formerProjectOf(slug)
    if (before === undefined || before === taker) return
    const changed = await projects.change(before, (document) => {
      document.formerSlugs = (document.formerSlugs ?? []).filter((one) => one.slug !== slug)
      return keptInMemory(document)
    })
    slugs.put(before, changed)
  }

  /** Throws Failure `project_exists` for a slug that the account may not have. */
  async #assertFree(slug: string, account: string): Promise<void> {
    const { projects, slugs } = this.#options
    const hint = 'Choose another one.'
    const taken = (says: string): Failure =>
      new Failure('project_exists', `The slug ${slug} is taken.`, {
        hint: says,
        errors: [{ pointer: '/slug', message: 'is taken' }],
      })
    if (slugs.projectOf(slug) !== undefined) throw taken(hint)
    const successor = slugs.successorOf(slug)
    const owner = successor === undefined ? slugs.reservedFor(slug) : (await projects.find(successor))?.owner
    if (owner === undefined || owner === account) return
    const since = slugs.leftAt(slug) ?? ''
    const until = slugs.endOf(since).toISOString().slice(0, 10)
    throw taken(`It was left by its project, and is kept for who had it until ${until}. ${hint}`)
  }
}

function tooManySlugs(count: number): Failure {
  return new Failure('invalid_request', `The project was renamed ${count} times within a short time.`, {
    hint: 'Its former slugs lead to it, and nobody else can have them. Wait until the oldest one is free again.',
  })
}
