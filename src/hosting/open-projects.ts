import { LRUCache } from 'lru-cache'
import type { Blobs } from '../storage/blobs.ts'
import { Project, type ProjectOptions } from './project.ts'

/**
 * Opens projects and keeps the recently used ones in memory, up to a number of bytes. While anybody holds a project,
 * everybody gets the same object: two would not know of each other's work.
 */
export class OpenProjects {
  readonly #blobs: Blobs
  readonly #options: ProjectOptions
  readonly #maxBytes: number
  readonly #kept: LRUCache<string, Project>
  readonly #alive = new Map<string, WeakRef<Project>>()
  readonly #opening = new Map<string, Promise<Project>>()
  readonly #finalized = new FinalizationRegistry<string>((projectId) => {
    if (this.#alive.get(projectId)?.deref() === undefined) this.#alive.delete(projectId)
  })

  constructor(blobs: Blobs, options: ProjectOptions, maxBytes: number) {
    this.#blobs = blobs
    this.#options = options
    this.#maxBytes = maxBytes
    this.#kept = new LRUCache({ maxSize: maxBytes })
  }

  /** The project when it is in memory. */
  peek(projectId: string): Project | undefined {
    return this.#kept.get(projectId) ?? this.#alive.get(projectId)?.deref()
  }

  async open(projectId: string): Promise<Project> {
    const known = this.peek(projectId)
    if (known !== undefined) {
      this.weigh(projectId, known)
      return known
    }
    let opening = this.#opening.get(projectId)
    if (opening === undefined) {
      opening = this.#load(projectId).finally(() => this.#opening.delete(projectId))
      this.#opening.set(projectId, opening)
    }
    return await opening
  }

  async #load(projectId: string): Promise<Project> {
    const project = await Project.open(await this.#blobs.open(projectId), this.#options)
    this.#alive.set(projectId, new WeakRef(project))
    this.#finalized.register(project, projectId)
    this.weigh(projectId, project)
    return project
  }

  /** Counts a project's memory anew; others may be let go. */
  weigh(projectId: string, project: Project): void {
    // The cache does not count what it has anew.
    this.#kept.delete(projectId)
    // Heavier than the bound would mean never kept, which is worse than over the bound.
    this.#kept.set(projectId, project, { size: Math.min(Math.max(1, project.weight), Math.ceil(this.#maxBytes / 2)) })
  }

  /** Removes all of a project. */
  async remove(projectId: string): Promise<void> {
    this.#kept.delete(projectId)
    this.#alive.delete(projectId)
    await this.#blobs.remove(projectId)
  }
}
