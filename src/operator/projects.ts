import { objectBytes } from '../content/backup.ts'
import type { CollectedProject, Snapshot } from '../contract/operator.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { Records } from '../storage/records.ts'
import { openIfThere, readSnapshot, type OperatedDirectory } from './hold.ts'

export interface OperatedProjectsOptions extends OperatedDirectory {
  readonly hosting: Pick<Hosting, 'hold'>
  readonly records: Pick<Records, 'hold'>
  /** Drops releases that nobody needs. Throws `not_found`. */
  readonly collectReleases: (slug: string) => Promise<{ readonly releases: number; readonly bytes: number }>
}

/** A project of which nothing is removed that its snapshot refers to, until it is released. */
export interface Hold {
  readonly snapshot: Snapshot
  readonly release: () => void
}

/** What an operator has done to projects by the process that owns them, beside all else that this does. */
export class OperatedProjects {
  readonly #options: OperatedProjectsOptions

  constructor(options: OperatedProjectsOptions) {
    this.#options = options
  }

  /** The holds come first and the look after: nothing that it sees can be collected. */
  async hold(slug: string): Promise<Hold> {
    const { hosting, records, repositories } = this.#options
    const releases: (() => void)[] = [await hosting.hold(slug)]
    const release = (): void => {
      for (const end of releases.splice(0)) end()
    }
    try {
      const repository = await openIfThere(repositories, slug)
      if (repository !== null) releases.push(await repository.holdMaintenance())
      const streams = await records.hold(slug)
      releases.push(() => streams.release())
      const read = () => streams.whileStill(() => readSnapshot(this.#options, slug))
      // Refs move all the time: they wait for an entry that is being changed no more than they must.
      const snapshot = await (repository === null ? read() : repository.withRefsLocked(read))
      return { snapshot, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Collects the garbage of a project. Throws Failure `not_found`. */
  async collect(slug: string): Promise<CollectedProject> {
    const { repositories, collectReleases } = this.#options
    const { releases, bytes } = await collectReleases(slug)
    const repository = await repositories.open(slug)
    const before = await objectBytes(repository)
    await repository.maintain()
    const repositoryBytes = before - (await objectBytes(repository))
    return { project: slug, repositoryBytes, releases, releaseBytes: bytes }
  }
}
