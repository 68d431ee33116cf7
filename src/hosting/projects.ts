import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { isSlug } from '../contract/patterns.ts'
import { isMissing, syncDirectory } from '../lib/disk.ts'
import { Project, type ProjectOptions } from './project.ts'

const removedPrefix = '.removed-'

/**
 * Opens projects and keeps the recently used ones in memory, up to a number of bytes. While anybody holds a project,
 * everybody gets the same object: two on one directory would not know of each other's work.
 */
export class Projects {
  readonly #directory: string
  readonly #options: ProjectOptions
  readonly #maxBytes: number
  readonly #kept: LRUCache<string, Project>
  readonly #alive = new Map<string, WeakRef<Project>>()
  readonly #opening = new Map<string, Promise<Project>>()
  readonly #finalized = new FinalizationRegistry<string>((slug) => {
    if (this.#alive.get(slug)?.deref() === undefined) this.#alive.delete(slug)
  })

  constructor(directory: string, options: ProjectOptions, maxBytes: number) {
    this.#directory = directory
    this.#options = options
    this.#maxBytes = maxBytes
    this.#kept = new LRUCache({ maxSize: maxBytes })
    mkdirSync(directory, { recursive: true })
  }

  /** Ends removals that a crash interrupted. */
  async sweep(): Promise<void> {
    for (const name of readdirSync(this.#directory)) {
      if (name.startsWith(removedPrefix)) await rm(join(this.#directory, name), { recursive: true, force: true })
    }
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
    if (!isSlug(slug)) throw new Error(`${JSON.stringify(slug)} is not a slug`)
    const project = await Project.open(join(this.#directory, slug), this.#options)
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

  /** Removes all of a project. Out of sight at once and durably; the bytes go after. */
  async remove(slug: string): Promise<void> {
    this.#kept.delete(slug)
    this.#alive.delete(slug)
    const doomed = join(this.#directory, `${removedPrefix}${slug}-${randomUUID()}`)
    try {
      await rename(join(this.#directory, slug), doomed)
    } catch (error) {
      if (isMissing(error)) return
      throw error
    }
    await syncDirectory(this.#directory)
    await rm(doomed, { recursive: true, force: true })
  }
}
