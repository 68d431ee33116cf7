import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { Store } from '../storage/store.ts'
import type { StoredKey } from '../access/keys.ts'
import { pageOf } from '../lib/pages.ts'
import { roleOf } from '../access/principal.ts'
import { assertSlug } from './slug.ts'

/**
 * The document of a project, as far as this room knows it. Other rooms have members of their own (`deploying`), which
 * nothing here touches.
 */
export interface ProjectDocument {
  slug: string
  title: string
  /** Account id. */
  owner: string
  /** When the owner came to the project; absent where they made it. */
  ownerSince?: string
  /** Writers; absent in documents from before there were any. */
  members?: StoredMember[]
  createdAt: string
  /** Newest last. */
  keys: StoredKey[]
}

export interface StoredMember {
  /** Account id. */
  account: string
  addedAt: string
}

export interface ProjectsOptions {
  readonly store: Store
  /** Plan of an account. */
  readonly planOf: (account: string) => Promise<Plan>
  readonly now: () => Date
}

/** Of the names of projects' documents. */
export const projectPrefix = 'project/'

/** Name of a project's document. */
export function projectDocument(slug: string): string {
  return projectPrefix + slug
}

/** A project as other rooms see it. */
export interface ProjectInfo {
  readonly slug: string
  readonly title: string
  /** Account id. */
  readonly owner: string
  /** Account ids. */
  readonly writers: readonly string[]
  /** Its owner's. */
  readonly plan: Plan
  readonly createdAt: string
}

/** Projects: who owns what. Repositories, sites and deploys belong to other rooms. */
export class Projects {
  readonly #options: ProjectsOptions

  constructor(options: ProjectsOptions) {
    this.#options = options
  }

  /** Throws Failure `invalid_request` for the slug, `project_exists`. */
  async create(owner: string, request: { readonly slug: string; readonly title?: string }): Promise<ProjectInfo> {
    const { slug, title = slug } = request
    assertSlug(slug)
    const created: ProjectDocument = { slug, title, owner, createdAt: this.#options.now().toISOString(), keys: [] }
    await this.#options.store.mutate<ProjectDocument, void>(projectDocument(slug), (draft) => {
      if (draft !== undefined) {
        throw new Failure('project_exists', `The slug ${slug} is taken.`, { hint: 'Choose another one.' })
      }
      return { document: created, result: undefined }
    })
    return this.#present(created)
  }

  /** The project, or null: also for a text that cannot be a slug. */
  async find(slug: string): Promise<ProjectInfo | null> {
    const document = await this.#options.store.read<ProjectDocument>(projectDocument(slug))
    return document === undefined ? null : this.#present(document)
  }

  /** Throws Failure `not_found`. */
  async read(slug: string): Promise<ProjectInfo> {
    const project = await this.find(slug)
    if (project === null) throw noProject(slug)
    return project
  }

  /** Projects that an account owns or writes, newest first. */
  async list(account: string, query: ListQuery = {}): Promise<List<ProjectInfo>> {
    const own: ProjectInfo[] = []
    for (const slug of await this.slugs()) {
      const project = await this.find(slug)
      if (project !== null && roleOf(account, project) !== null) own.push(project)
    }
    return pageOf(own, query, (project) => `${project.createdAt} ${project.slug}`)
  }

  /** Slugs of all projects, sorted. */
  async slugs(): Promise<readonly string[]> {
    return (await this.#options.store.list(projectPrefix)).map((name) => name.slice(projectPrefix.length))
  }

  /** Throws Failure `not_found`. */
  async update(slug: string, change: { readonly title: string }): Promise<ProjectInfo> {
    await this.#options.store.mutate<ProjectDocument, void>(projectDocument(slug), (draft) => {
      if (draft === undefined) throw noProject(slug)
      draft.title = change.title
      return { document: draft, result: undefined }
    })
    return this.read(slug)
  }

  /** Removes the project's document, and with it its keys. Throws Failure `not_found`. */
  async remove(slug: string): Promise<void> {
    await this.#options.store.mutate<ProjectDocument, void>(projectDocument(slug), (draft) => {
      if (draft === undefined) throw noProject(slug)
      return { document: undefined, result: undefined }
    })
  }

  async #present({ slug, title, owner, members = [], createdAt }: Readonly<ProjectDocument>): Promise<ProjectInfo> {
    const writers = members.map(({ account }) => account)
    return { slug, title, owner, writers, plan: await this.#options.planOf(owner), createdAt }
  }
}

/** What to say when a project is not there. */
export function noProject(slug: string): Failure {
  return new Failure('not_found', `There is no project ${slug}.`)
}
