import type { Client } from '../client/client.ts'
import { objectBytes } from '../content/backup.ts'
import type { BareRepository } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import { operator, type CollectedProject, type RepairedProject, type Snapshot } from '../contract/operator.ts'
import { isSlug } from '../contract/patterns.ts'
import type { RepairedReleases } from '../deploying/repair.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { projectDocument, type ProjectDocument } from '../projects/document.ts'
import { decodeDocument } from '../storage/directory/check-root.ts'
import type { DataDirectory } from '../storage/directory/data-directory.ts'
import { fileOf } from '../storage/documents/document-files.ts'
import { periodOf } from '../usage/plans.ts'
import { usageDocument } from '../usage/documents.ts'
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
export async function readSnapshot(
  { directory, repositories }: OperatedDirectory,
  projectId: string,
): Promise<Snapshot> {
  const repository = await openIfThere(repositories, projectId)
  const refs = repository === null ? { refs: null } : await refsOf(repository)
  // Before the document: work that is only held in it is settled at the next start, by what the document says.
  const use = await useOf(directory, projectId)
  const document = await directory.documentText(projectDocument(projectId))
  return { projectId, document, ...refs, use, grown: await directory.streamLengths(projectId) }
}

/** What a project has used in this month and in the one before, where something may still be held. */
async function useOf(directory: DataDirectory, projectId: string): Promise<Record<string, string>> {
  const document = await directory.documentText(projectDocument(projectId))
  const decoded = document === null ? null : decodeDocument(projectDocument(projectId), document)
  const { owner } = (decoded as Partial<ProjectDocument> | null) ?? {}
  const texts: Record<string, string> = {}
  if (owner === undefined) return texts
  const now = new Date()
  for (const month of [0, -1]) {
    const period = periodOf('month', new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + month)))
    const name = usageDocument({ id: projectId, owner }, period.key)
    const text = await directory.documentText(name)
    if (text !== null) texts[fileOf(name)] = text
  }
  return texts
}

/** A damaged repository must not keep a check from the rest. */
async function refsOf(repository: BareRepository): Promise<Pick<Snapshot, 'refs' | 'unreadable'>> {
  try {
    return { refs: [...(await repository.listRefs('refs/'))] }
  } catch (error) {
    return { refs: null, unreadable: error instanceof Error ? error.message : String(error) }
  }
}

/**
 * What people call a project: the slug in its document, and the id where that cannot be read.
 *
 * @param document text of its file.
 */
export function shownName(projectId: string, document: string | null): string {
  const decoded = document === null ? null : decodeDocument(projectDocument(projectId), document)
  const { slug } = (decoded as Partial<ProjectDocument> | null) ?? {}
  // Documents may be damaged, and archives anybody's: a terminal is shown no other characters.
  return typeof slug === 'string' && isSlug(slug) ? slug : projectId
}

/** What people call a project of the directory now. */
export async function readName(directory: DataDirectory, projectId: string): Promise<string> {
  return shownName(projectId, await directory.documentText(projectDocument(projectId)))
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
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
 * Whether a project was not removed since its document was read; another one may have its id by now. The document goes
 * first: while it is there, nothing else of the project was missing.
 *
 * @param before text of the document's file.
 */
export async function isSameProject(directory: DataDirectory, projectId: string, before: string): Promise<boolean> {
  const now = await directory.documentText(projectDocument(projectId))
  return now !== null && createdAt(now, projectId) === createdAt(before, projectId)
}

/** Undefined for a document that is damaged: nobody has removed that one. */
function createdAt(text: string, projectId: string): string | undefined {
  return (decodeDocument(projectDocument(projectId), text) as Partial<ProjectDocument> | null)?.createdAt
}

export interface OperatedProjectsOptions extends OperatedDirectory {
  readonly hosting: Pick<Hosting, 'hold'>
  readonly records: Pick<Records, 'hold'>
  /** Builds releases again that cannot be read. Throws `not_found`, `deploy_in_progress`. */
  readonly repairReleases: (projectId: string) => Promise<RepairedReleases>
  /** Drops releases that nobody needs. Throws `not_found`. */
  readonly collectReleases: (projectId: string) => Promise<{ readonly releases: number; readonly bytes: number }>
}

/** What a repair says of the releases of a project. */
type Repaired = Omit<RepairedProject, 'project'>

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
  async hold(projectId: string): Promise<Hold> {
    const { hosting, records, repositories } = this.#options
    const releases: (() => void)[] = [await hosting.hold(projectId)]
    const release = (): void => {
      for (const end of releases.splice(0)) end()
    }
    try {
      const repository = await openIfThere(repositories, projectId)
      if (repository !== null) releases.push(await repository.holdMaintenance())
      const streams = await records.hold(projectId)
      releases.push(() => streams.release())
      const read = () => streams.whileStill(() => readSnapshot(this.#options, projectId))
      // Refs move all the time: they wait for an entry that is being changed no more than they must.
      const snapshot = await (repository === null ? read() : repository.withRefsLocked(read))
      return { snapshot, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** As `repairReleases`. */
  async repair(projectId: string): Promise<Repaired> {
    const { rebuilt, failed, ...counts } = await this.#options.repairReleases(projectId)
    return { ...counts, rebuilt: [...rebuilt], failed: failed.map((one) => ({ ...one })) }
  }

  /**
   * Collects the garbage of a project. Throws Failure `not_found`, and `internal` with Git's own words when it fails: an
   * operator is told.
   */
  async collect(projectId: string): Promise<Omit<CollectedProject, 'project'>> {
    const { repositories, collectReleases } = this.#options
    const { releases, bytes } = await collectReleases(projectId)
    const repository = await repositories.open(projectId)
    const before = await objectBytes(repository)
    await repository.maintain().catch((cause: unknown) => {
      throw new Failure('internal', `The repository could not be collected: ${messageOf(cause)}`, {
        hint: 'Its objects are as they were. `quire admin check` says whether something of it is lost.',
        cause,
      })
    })
    const repositoryBytes = before - (await objectBytes(repository))
    return { repositoryBytes, releases, releaseBytes: bytes }
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
  projectId: string,
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const released = new AbortController()
  const events = client.events<Snapshot>(operator.projects.hold, { params: { id: projectId }, signal: released.signal })
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
