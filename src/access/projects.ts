import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { Plan } from '../contract/projects.ts'
import type { Store } from '../metadata/store.ts'
import type { StoredKey } from './keys.ts'
import { pageOf } from './pages.ts'
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
  createdAt: string
  /** Newest last. */
  keys: StoredKey[]
}

export interface ProjectsOptions {
  readonly store: Store
  /** Plan of an account. */
  readonly planOf: (account: string) => Promise<Plan>
  readonly now: () => Date
}

const prefix = 'project/'

/** Name of a project's document. */
export function projectDocument(slug: string): string {
  return prefix + slug
}

/** A project as other rooms see it: without its keys. */
export type ProjectInfo = Omit<Readonly<ProjectDocument>, 'keys'>

/** Projects: who owns what. Repositories, sites and deploys belong to other rooms. */
export class Projects {
  readonly #options: ProjectsOptions

  constructor(options: ProjectsOptions) {
    this.#options = options
  }

  /** Throws Failure `invalid_request` for the slug, `project_exists`. */
  async create(request: {
    readonly slug: string
    readonly title?: string
    readonly owner: string
  }): Promise<ProjectInfo> {
    const { slug, owner } = request
    assertSlug(slug)
    const created = { slug, title: request.title ?? slug, owner, createdAt: this.#options.now().toISOString() }
    await this.#options.store.mutate<ProjectDocument, void>(projectDocument(slug), (draft) => {
      if (draft !== undefined) {
        throw new Failure('project_exists', `The slug ${slug} is taken`, { hint: 'Choose another one.' })
      }
      return { document: { ...created, keys: [] }, result: undefined }
    })
    return created
  }

  /** The project, or null: also for a text that cannot be a slug. */
  async find(slug: string): Promise<ProjectInfo | null> {
    const document = await this.#options.store.read<ProjectDocument>(projectDocument(slug))
    return document === undefined ? null : present(document)
  }

  /** Throws Failure `not_found`. */
  async read(slug: string): Promise<ProjectInfo> {
    const project = await this.find(slug)
    if (project === null) throw noProject(slug)
    return project
  }

  /** Projects of an account, newest first. */
  async list(owner: string, query: ListQuery = {}): Promise<List<ProjectInfo>> {
    const own: ProjectInfo[] = []
    for (const slug of await this.slugs()) {
      const project = await this.find(slug)
      if (project?.owner === owner) own.push(project)
    }
    return pageOf(own, query, (project) => `${project.createdAt} ${project.slug}`)
  }

  /** Slugs of all projects, sorted. */
  async slugs(): Promise<readonly string[]> {
    return (await this.#options.store.list(prefix)).map((name) => name.slice(prefix.length))
  }

  /** Throws Failure `not_found`. */
  async update(slug: string, change: { readonly title: string }): Promise<ProjectInfo> {
    return this.#options.store.mutate<ProjectDocument, ProjectInfo>(projectDocument(slug), (draft) => {
      if (draft === undefined) throw noProject(slug)
      draft.title = change.title
      return { document: draft, result: present(draft) }
    })
  }

  /** Removes the project's document, and with it its keys. Throws Failure `not_found`. */
  async remove(slug: string): Promise<void> {
    await this.#options.store.mutate<ProjectDocument, void>(projectDocument(slug), (draft) => {
      if (draft === undefined) throw noProject(slug)
      return { document: undefined, result: undefined }
    })
  }

  /** Plan of a project: its owner's. Throws Failure `not_found`. */
  async planOf(slug: string): Promise<Plan> {
    return this.#options.planOf((await this.read(slug)).owner)
  }
}

/** What to say when a project is not there. */
export function noProject(slug: string): Failure {
  return new Failure('not_found', `There is no project ${slug}`)
}

function present({ slug, title, owner, createdAt }: Readonly<ProjectDocument>): ProjectInfo {
  return { slug, title, owner, createdAt }
}
