import type { Client } from '../client/client.ts'
import { objectBytes } from '../content/backup.ts'
import type { BareRepository } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import { operator, type CollectedProject, type Snapshot } from '../contract/operator.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { projectDocument, type ProjectDocument } from '../projects/document.ts'
import { decodeDocument } from '../storage/directory/check-root.ts'
import type { DataDirectory } from '../storage/directory/data-directory.ts'
import type { Records } from '../storage/records.ts'

/** A data directory as the operator reads it. */
export interface OperatedDirectory {
  readonly directory: DataDirectory
  readonly repositories: { open(projectId: string): Promise<BareRepository> }
}

/**
 * Reads the snapshot of a project. Whoever calls sees to it that no ref moves and no record is written
 * meanwhile: the document is then one that was there while all refs had these values, and the records these lengths.
 */
export async function readSnapshot({ directory, repositories }: OperatedDirectory, slug: string): Promise<Snapshot> {
  const repository = await openIfThere(repositories, slug)
  const refs = repository === null ? null : [...(await repository.listRefs('refs/'))]
  const document = await directory.documentText(projectDocument(slug))
  return { slug, document, refs, grown: await directory.streamLengths(slug) }
}

/** The repository of a project; null where there is none. */
async function openIfThere(
  repositories: OperatedDirectory['repositories'],
  projectId: string,
): Promise<BareRepository | null> {
  try {
    return await repositories.open(projectId)
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return null
    throw error
  }
}

/**
 * Whether a project was not removed since its document was read; another one may have its name by now. The document goes
 * first: while it is there, nothing else of the project was missing.
 *
 * @param before text of the document's file.
 */
export async function isSameProject(directory: DataDirectory, slug: string, before: string): Promise<boolean> {
  const now = await directory.documentText(projectDocument(slug))
  return now !== null && createdAt(now, slug) === createdAt(before, slug)
}

/** Undefined for a document that is damaged: nobody has removed that one. */
function createdAt(text: string, slug: string): string | undefined {
  return (decodeDocument(projectDocument(slug), text) as Partial<ProjectDocument> | null)?.createdAt
}

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

/**
 * Runs work on a project of which nothing is removed meanwhile that its snapshot refers to. When the service takes that
 * back, this is what went wrong, whatever the work says.
 *
 * Throws Failure `unavailable` when the service ends.
 */
export async function whileHeld<T>(
  client: Pick<Client, 'events'>,
  slug: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const released = new AbortController()
  const events = client.events<Snapshot>(operator.projects.hold, { params: { slug }, signal: released.signal })
  const first = await nextOf(events)
  let lost = false
  // The stream has one event: it ends with the hold.
  const ended = events.next().then(
    () => (lost = true),
    () => (lost = true),
  )
  try {
    const result = await work(first)
    if (lost) throw serviceEnded()
    return result
  } catch (error) {
    throw lost ? serviceEnded() : error
  } finally {
    released.abort()
    await ended
  }
}

async function nextOf(events: AsyncGenerator<Snapshot, void, undefined>): Promise<Snapshot> {
  try {
    const { value } = await events.next()
    if (value !== undefined) return value
  } catch (error) {
    throw error instanceof Failure ? error : serviceEnded(error)
  }
  throw serviceEnded()
}

function serviceEnded(cause?: unknown): Failure {
  return new Failure('unavailable', 'The service ended, or took too long, while this was under way.', {
    hint: 'Start it again, or leave it stopped; then repeat the command.',
    cause,
  })
}
