import { LRUCache } from 'lru-cache'
import type { Blobs } from '../storage/blobs.ts'
import { Project, type ProjectOptions } from './project.ts'

/**
 * Opens projects and keeps the recently used ones in memory, up to a number of bytes. While anybody holds a project,
 * everybody gets the same object: two would not know of each other's work.
 */
export class Projects {
  readonly #blobs: Blobs
  readonly #options: ProjectOptions
  readonly #maxBytes: number
  readonly #kept: LRUCache<string, Project>
  readonly #alive = new Map<string, WeakRef<Project>>()
  readonly #opening = new Map<string, Promise<Project>>()
  readonly #finalized = new FinalizationRegistry<string>((slug) => {
    if (this.#alive.get(slug)?.deref() === undefined) this.#alive.delete(slug)
  })

  constructor(blobs: Blobs, options: ProjectOptions, maxBytes: number) {
    this.#blobs = blobs
    this.#options = options
    this.#maxBytes = maxBytes
    this.#kept = new LRUCache({ maxSize: maxBytes })
  }

  /** The project when it is in memory. */
  peek(slug: string): Project | undefined {
    return this.#kept.get(slug) ?? this.#alive.get(slug)?.deref()
  }

  async open(slug: string): Promise<Project> {
    const known = this.peek(slug)
    if (known !== undefined) {
      this.weigh(slug, known)
      return known
    }
    let opening = this.#opening.get(slug)
    if (opening === undefined) {
      opening = this.#load(slug).finally(() => this.#opening.delete(slug))
      this.#opening.set(slug, opening)
    }
    return await opening
  }

  async #load(slug: string): Promise<Project> {
    const project = await Project.open(await this.#blobs.open(slug), this.#options)
    this.#alive.set(slug, new WeakRef(project))
    this.#finalized.register(project, slug)
    this.weigh(slug, project)
    return project
  }

  /** Counts a project's memory anew; others may be let go. */
  weigh(slug: string, project: Project): void {
    // Heavier than the bound would mean never kept, which is worse than over the bound.
    this.#kept.set(slug, project, { size: Math.min(Math.max(1, project.weight), Math.ceil(this.#maxBytes / 2)) })
  }

  /** Removes all of a project. */
  async remove(slug: string): Promise<void> {
    this.#kept.delete(slug)
    this.#alive.delete(slug)
    await this.#blobs.remove(slug)
  }
}
