import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Changelog } from '../changelog/changelog.ts'
import type { Repository } from '../content/repository.ts'
import type { CollectedProject } from '../contract/operator.ts'
import { Failure } from '../contract/failure.ts'
import { nullIfMissing } from '../lib/disk.ts'
import type { Hosting } from '../hosting/hosting.ts'
import type { Records } from '../storage/records.ts'
import type { AccountsPort, Hold, Operator } from './operator.ts'
import { filesBelow, readSnapshot, type DataDirectory } from './snapshot.ts'

export interface LocalOperatorOptions extends DataDirectory {
  readonly accounts: AccountsPort
  readonly repositories: { open(slug: string): Promise<Repository> }
  readonly hosting: Pick<Hosting, 'hold'>
  readonly changelog: Pick<Changelog, 'hold'>
  readonly records: Pick<Records, 'hold'>
  /** Drops releases that nobody needs. Throws `not_found`. */
  readonly collectReleases: (slug: string) => Promise<{ readonly releases: number; readonly bytes: number }>
  /** Ends what was opened for the operator. */
  readonly close: () => Promise<void>
}

/** The operator's work inside the process that has the data directory for itself, beside all else that it does. */
export class LocalOperator implements Operator {
  readonly shared = true
  readonly accounts: AccountsPort
  readonly #options: LocalOperatorOptions

  constructor(options: LocalOperatorOptions) {
    this.#options = options
    this.accounts = options.accounts
  }

  /** The holds come first and the look after: nothing that it sees can be collected. */
  async hold(slug: string): Promise<Hold> {
    const { hosting, changelog, records } = this.#options
    const releases: (() => void)[] = [await hosting.hold(slug)]
    const release = async (): Promise<void> => {
      for (const end of releases.splice(0)) end()
    }
    try {
      const repository = await this.#repository(slug)
      if (repository !== null) releases.push(await repository.holdMaintenance())
      const entries = await changelog.hold(slug)
      releases.push(entries.release)
      const streams = await records.hold(slug)
      releases.push(streams.release)
      const read = () => streams.whileStill(() => readSnapshot(this.#options, slug))
      // Refs move all the time: they wait for an entry that is being changed no more than they must.
      const snapshot = await entries.whileStill(() => (repository === null ? read() : repository.whileStill(read)))
      return { snapshot, release, lost: new AbortController().signal }
    } catch (error) {
      await release()
      throw error
    }
  }

  async collect(slug: string): Promise<CollectedProject> {
    const { repositories, collectReleases } = this.#options
    const { releases, bytes } = await collectReleases(slug)
    const repository = await repositories.open(slug)
    const before = await bytesOf(repository.directory)
    await repository.maintain()
    const repositoryBytes = before - (await bytesOf(repository.directory))
    return { project: slug, repositoryBytes, releases, releaseBytes: bytes }
  }

  close(): Promise<void> {
    return this.#options.close()
  }

  async #repository(slug: string): Promise<Repository | null> {
    try {
      return await this.#options.repositories.open(slug)
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') return null
      throw error
    }
  }
}

/** Bytes of a repository's objects. What goes while this looks counts as nothing. */
async function bytesOf(directory: string): Promise<number> {
  let bytes = 0
  for (const path of await filesBelow(directory, 'objects')) {
    const found = await stat(join(directory, path)).catch(nullIfMissing)
    bytes += found?.size ?? 0
  }
  return bytes
}
