import { noProject } from '../projects/document.ts'
import type { List } from '../contract/common.ts'
import type { Deploy, DeployQuery } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import { pageOf } from '../lib/pages.ts'
import type { Lease, Store } from '../storage/store.ts'
import type { DeployFinished, DeployOutbox } from './ports.ts'
import type { DeployReports } from './reports.ts'
import {
  emptyState,
  present,
  pruneKeys,
  putLive,
  putSummary,
  summarise,
  type DeployDocument,
  type DeployState,
  type IdempotencyEntry,
  type StoredDeploy,
} from './state.ts'

export interface RecordsOptions {
  readonly store: Pick<Store, 'read' | 'mutate'>
  readonly reports: DeployReports
  /** Name of a project's document in the store. */
  readonly documentOf: (projectId: string) => string
  readonly slugOf: (project: string) => string
  readonly siteUrl: (projectId: string) => string
  readonly outbox: DeployOutbox
}

/** Deploys on record: the newest and the live pointer in the project's document, everything in a file a deploy. */
export class DeployRecords {
  readonly #options: RecordsOptions
  /** Release that each project serves. In memory, because every page request asks. */
  readonly #live = new Map<string, string>()

  constructor(options: RecordsOptions) {
    this.#options = options
  }

  /** The release that a project's site serves now; undefined when nothing was deployed yet (or no such project). */
  liveRelease(projectId: string): string | undefined {
    return this.#live.get(projectId)
  }

  /** Serves what was live by a document that nobody can work with. */
  serve(projectId: string, document: Readonly<DeployDocument> | undefined): void {
    const release = document?.deploying?.live?.release
    if (release !== undefined) this.#live.set(projectId, release)
  }

  /** Throws `not_found`. */
  async state(projectId: string): Promise<Readonly<DeployState>> {
    const document = await this.#options.store.read<DeployDocument>(this.#options.documentOf(projectId))
    if (document === undefined) throw noProject(projectId)
    const state = document.deploying ?? emptyState()
    if (state.live !== null) this.#live.set(projectId, state.live.release)
    return state
  }

  /** Records a deploy that begins, and gives it its number. Durable. */
  begin(
    projectId: string,
    deploy: Omit<StoredDeploy, 'number'>,
    lease: Lease,
    idempotency?: Pick<IdempotencyEntry, 'key' | 'body'>,
  ): Promise<StoredDeploy> {
    return this.#change(projectId, lease, (state) => {
      const numbered: StoredDeploy = { ...deploy, number: state.next }
      state.next += 1
      putSummary(state, numbered)
      if (idempotency !== undefined) {
        pruneKeys(state, new Date(deploy.createdAt))
        state.idempotency = state.idempotency.filter((entry) => entry.key !== idempotency.key)
        state.idempotency.push({ ...idempotency, deploy: deploy.id, at: deploy.createdAt })
      }
      return numbered
    })
  }

  /** Moves the live pointer to the deploy and records it, with its event. Durable. */
  async goLive(projectId: string, deploy: StoredDeploy, lease: Lease): Promise<void> {
    // The summary leaves the document when it is old. Without this the report has all but the times.
    const reported = this.#options.reports.write(projectId, deploy).catch(() => undefined)
    await this.#change(projectId, lease, (state, document) => {
      const before = state.deploys.find(({ id }) => id === deploy.id)
      putSummary(state, deploy)
      state.live = summarise(deploy)
      putLive(state, deploy)
      state.next = Math.max(state.next, deploy.number + 1)
      // An older backup of the records may be brought up to a deploy whose end it knows.
      if (before?.status !== 'live') this.#tell(projectId, 'deploy.success', deploy, document)
    })
    this.#live.set(projectId, deploy.release)
    await reported
    this.#options.outbox.wake(projectId)
  }

  /**
   * Records that a deploy failed, with its event.
   * @param options.forgetKey The request was not at fault: the same idempotency key may try again.
   */
  async fail(
    projectId: string,
    deploy: StoredDeploy,
    lease: Lease,
    options: { readonly forgetKey: boolean },
  ): Promise<void> {
    await this.#options.reports.write(projectId, deploy)
    await this.#change(projectId, lease, (state, document) => {
      putSummary(state, deploy)
      if (options.forgetKey) state.idempotency = state.idempotency.filter((entry) => entry.deploy !== deploy.id)
      this.#tell(projectId, 'deploy.failed', deploy, document)
    })
    this.#options.outbox.wake(projectId)
  }

  /** Numbers that Git knows are taken, also when the document came from an older backup. */
  async skipNumbers(projectId: string, next: number, lease: Lease): Promise<void> {
    await this.#change(projectId, lease, (state) => {
      state.next = Math.max(state.next, next)
    })
  }

  /** A deploy with all its errors and warnings, as stored. Null when there is none. */
  async find(projectId: string, id: string): Promise<StoredDeploy | null> {
    const state = await this.state(projectId)
    const summary = state.live?.id === id ? state.live : state.deploys.find((deploy) => deploy.id === id)
    const report = summary?.status === 'building' ? null : await this.#options.reports.read(projectId, id)
    if (summary === undefined) return report
    if (report === null) return summary
    const { errors, warnings } = report
    return {
      ...report,
      ...summary,
      ...(report.message === undefined ? {} : { message: report.message }),
      errors,
      warnings,
    }
  }

  /** Throws `not_found`. */
  async read(projectId: string, id: string): Promise<Deploy> {
    const deploy = await this.find(projectId, id)
    if (deploy === null) throw new Failure('not_found', `The project has no deploy ${id}.`)
    return this.present(projectId, deploy, await this.state(projectId))
  }

  /**
   * Newest first, in short. Of a page only those with the status are shown. Throws `invalid_request` for a cursor that
   * no page gave.
   */
  async list(projectId: string, { status, ...query }: DeployQuery): Promise<List<Deploy>> {
    const state = await this.state(projectId)
    const known = new Map(state.deploys.map((deploy) => [deploy.id, deploy]))
    let page = pageOf([...known.keys()], query, byTime)
    if (page.nextCursor === undefined) {
      // Past the document's end: the names of the files go on.
      const all = new Set([...known.keys(), ...(await this.#options.reports.ids(projectId))])
      page = pageOf([...all], query, byTime)
    }
    const items: Deploy[] = []
    for (const id of page.items) {
      const deploy = known.get(id) ?? (await this.#options.reports.read(projectId, id))
      if (deploy === null) continue
      const shown = this.present(projectId, summarise(deploy), state)
      if (status === undefined || shown.status === status) items.push(shown)
    }
    return { ...page, items }
  }

  present(projectId: string, deploy: StoredDeploy, state: Readonly<DeployState>): Deploy {
    const { slugOf, siteUrl } = this.#options
    return present(deploy, { project: slugOf(projectId), url: siteUrl(projectId), live: state.live?.id ?? null })
  }

  forget(projectId: string): void {
    this.#live.delete(projectId)
  }

  #tell(projectId: string, type: DeployFinished['type'], deploy: StoredDeploy, document: DeployDocument): void {
    const shown = this.present(projectId, deploy, document.deploying ?? emptyState())
    this.#options.outbox.record(document, { type, projectId, deploy: shown })
  }

  #change<R>(projectId: string, lease: Lease, change: (state: DeployState, document: DeployDocument) => R): Promise<R> {
    return this.#options.store.mutate<DeployDocument, R>(
      this.#options.documentOf(projectId),
      (draft) => {
        if (draft === undefined) throw noProject(projectId)
        draft.deploying ??= emptyState()
        return { result: change(draft.deploying, draft), document: draft }
      },
      { lease },
    )
  }
}

/** Ids sort by the time at which the deploys began. */
const byTime = (id: string): string => id
