import { EventEmitter } from 'node:events'
import pLimit from 'p-limit'
import { projectPrefix } from '../projects/document.ts'
import type { Oid } from '../content/repository.ts'
import type { List } from '../contract/common.ts'
import type { Deploy, DeployQuery, DeployRequest, ObjectsRequest } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import type { SiteBuilder } from '../site/builder.ts'
import { comparedCommits, type ComparedDeploys, type DeployRange } from './compared.ts'
import { EarlierDeploy, UploadedFiles, type ContentSource, type DeployTrigger } from './content-source.ts'
import { IdempotentDeploys } from './idempotency.ts'
import { Pipeline } from './pipeline.ts'
import type { AcceptedDeploy, DeployFinished, DeployingPorts } from './ports.ts'
import { Rebuilds } from './rebuilds.ts'
import { Recovery } from './recovery.ts'
import { DeployRecords } from './records.ts'
import { Repair, type RepairedReleases } from './repair.ts'
import type { DeployReports } from './reports.ts'
import { Retention } from './retention.ts'
import type { DeployListener } from './run.ts'
import type { DeployDocument } from './state.ts'
import { receiveObjects, SentAhead } from './uploads.ts'

/** Milliseconds in which a deploy that is cut off, or moves its refs at that moment, comes to its end. */
const longestEnd = 5_000

/** Everything about deploys: starts them, reads what is on record, follows them, and has cleaned up behind them. */
export class Deploys {
  readonly #ports: DeployingPorts
  readonly #reports: DeployReports
  readonly #records: DeployRecords
  readonly #recovery: Recovery
  readonly #pipeline: Pipeline
  readonly #retention: Retention
  readonly #rebuilds: Rebuilds
  readonly #idempotent: IdempotentDeploys
  readonly #sentAhead = new SentAhead()
  readonly #finished = new EventEmitter<{ finished: [DeployFinished] }>()

  constructor(ports: DeployingPorts) {
    const { store, documentOf, slugOf, siteUrl, outbox } = ports
    this.#ports = ports
    this.#reports = ports.reports
    this.#records = new DeployRecords({ store, documentOf, slugOf, siteUrl, outbox, reports: this.#reports })
    const parts = { ports, records: this.#records, reports: this.#reports }
    this.#recovery = new Recovery(parts)
    this.#retention = new Retention(parts)
    this.#idempotent = new IdempotentDeploys(this.#records)
    this.#pipeline = new Pipeline({ ...parts, recovery: this.#recovery, announce: (event) => this.#announce(event) })
    this.#rebuilds = new Rebuilds({
      accept: (trigger, source) => this.#pipeline.accept(trigger, source),
      isLive: async (projectId) => (await this.#records.state(projectId)).live !== null,
      canonicalUrl: ports.canonicalUrl,
      log: ports.log,
    })
  }

  /** Told of every deploy that ended. An error of a listener is logged and goes no further. */
  onFinished(listener: (event: DeployFinished) => void): void {
    this.#finished.on('finished', listener)
  }

  /**
   * Deploys what a source gives: a publish, a push. Refusals as `Pipeline.accept`, and those of the source, which is
   * asked only when no earlier deploy with the same idempotency key is the answer.
   */
  run(trigger: DeployTrigger, source: ContentSource): Promise<AcceptedDeploy> {
    const rebuild = this.#rebuilds.underWay(trigger.projectId)
    return rebuild === undefined ? this.#run(trigger, source) : rebuild.then(() => this.#run(trigger, source))
  }

  #run(trigger: DeployTrigger, source: ContentSource): Promise<AcceptedDeploy> {
    return this.#idempotent.once(trigger, this.#ports.now(), async (keyed) => {
      await source.validate?.()
      return this.#pipeline.accept(keyed, source)
    })
  }

  /** Deploys files: see `UploadedFiles` for refusals about them. */
  deploy(
    trigger: DeployTrigger,
    files: DeployRequest['files'],
    expectedHead?: DeployRequest['expectedHead'],
  ): Promise<AcceptedDeploy> {
    return this.run(trigger, new UploadedFiles(files, expectedHead))
  }

  /** Serves an earlier deploy again. Failures: `not_found`, `release_gone`, `deploy_in_progress`. */
  rollback({ idempotency: _idempotency, ...trigger }: DeployTrigger, deployId: string): Promise<AcceptedDeploy> {
    return this.run(trigger, new EarlierDeploy(this.#records, trigger.projectId, deployId))
  }

  /** The site has another address: it is built anew for that, unless nothing is live. */
  readdress(projectId: string): void {
    this.#rebuilds.begin(projectId)
  }

  /**
   * Stores content ahead of a deploy; the oids come in the order of the objects. Durable. Failures: `invalid_request`,
   * `file_too_large`, `rate_limited` when the project has sent too much within a day.
   */
  async putObjects(projectId: string, objects: ObjectsRequest['objects']): Promise<readonly Oid[]> {
    const contents = await receiveObjects(objects)
    const repository = await this.#ports.repositories.open(projectId)
    const takeBack = this.#sentAhead.count(projectId, contents, this.#ports.now())
    try {
      return await repository.writeBlobs(contents)
    } catch (error) {
      takeBack()
      throw error
    }
  }

  /** How many run. */
  get busy(): number {
    return this.#pipeline.busy
  }

  read(projectId: string, id: string): Promise<Deploy> {
    return this.#records.read(projectId, id)
  }

  /** The commits of two deploys, to be compared. Throws `not_found`, also where a commit is gone. */
  compared(projectId: string, deploys: ComparedDeploys): Promise<DeployRange> {
    return comparedCommits({ ports: this.#ports, records: this.#records }, projectId, deploys)
  }

  list(projectId: string, query: DeployQuery): Promise<List<Deploy>> {
    return this.#records.list(projectId, query)
  }

  /** Whether a deploy has been live. Throws for one that a crash left in between. */
  async wentLive(projectId: string, id: string): Promise<boolean> {
    const deploy = await this.#records.find(projectId, id)
    if (deploy?.status === 'building') throw new Error(`the deploy ${id} of ${projectId} has not ended`)
    return deploy?.status === 'live'
  }

  /** What is live now, in short; null before the first deploy. */
  async live(projectId: string): Promise<Deploy | null> {
    const state = await this.#records.state(projectId)
    return state.live === null ? null : this.#records.present(projectId, state.live, state)
  }

  /** The newest, in short, whatever became of it; null before the first. */
  async latest(projectId: string): Promise<Deploy | null> {
    const state = await this.#records.state(projectId)
    const [newest] = state.deploys
    return newest === undefined ? null : this.#records.present(projectId, newest, state)
  }

  /** What the live site shows, of which commit it was made, and how many pages it has; null before the first deploy. Throws `not_found`. */
  async liveContent(
    projectId: string,
  ): Promise<{ readonly release: string; readonly commit: Oid; readonly pages: number } | null> {
    const { live } = await this.#records.state(projectId)
    return live?.commit === undefined ? null : { release: live.release, commit: live.commit, pages: live.pages.total }
  }

  /** Plans to drop the releases of the project that are neither live nor shown as previews. */
  collectSoon(projectId: string): void {
    this.#retention.scheduleCollection(projectId)
  }

  /** Drops those releases now. Throws `not_found`. */
  collect(projectId: string): Promise<{ readonly releases: number; readonly bytes: number }> {
    return this.#retention.collect(projectId)
  }

  /**
   * Builds releases again that cannot be read. Throws Failure `not_found`, `deploy_in_progress`.
   */
  async repair(projectId: string): Promise<RepairedReleases> {
    const release = await this.claim(projectId)
    try {
      const builder = async (): Promise<SiteBuilder> => this.#ports.builder
      return await new Repair({ ports: this.#ports, builder, records: this.#records }).run(projectId)
    } finally {
      await release()
    }
  }

  /** The release to serve; undefined before the first deploy. Only memory is looked at. */
  liveRelease(projectId: string): string | undefined {
    return this.#records.liveRelease(projectId)
  }

  /**
   * Tells what happened in a deploy and what happens until it ends; the last event is `done`.
   * Returns how to stop. Throws `not_found`.
   */
  async follow(projectId: string, id: string, listener: DeployListener): Promise<() => void> {
    const deploy = await this.#records.read(projectId, id)
    const progress = this.#pipeline.progressOf(projectId, id)
    if (progress !== undefined) return progress.watch(listener)
    // It may have ended between the two lines above.
    listener({ type: 'done', deploy: deploy.status === 'building' ? await this.#records.read(projectId, id) : deploy })
    return () => undefined
  }

  /** Keeps deploys of a project from beginning until the function that it resolves with is called. Throws `deploy_in_progress`. */
  async claim(projectId: string): Promise<() => Promise<void>> {
    await this.#rebuilds.underWay(projectId)
    const lease = await this.#pipeline.lock(projectId)
    return () => this.#ports.store.release(lease)
  }

  /** Forgets a project that was deleted. */
  async removed(projectId: string): Promise<void> {
    this.#records.forget(projectId)
    this.#recovery.verifyAgain(projectId)
  }

  /** At start, after Git’s locks are swept: learns what is live and carries interrupted deploys to their end. */
  async recover(): Promise<void> {
    const limit = pLimit(8)
    const documents = await this.#ports.store.list(projectPrefix)
    // Readers do not miss the document: the release says all that they get.
    for (const { document, previous } of this.#ports.store.setAside(projectPrefix))
      this.#records.serve(document.slice(projectPrefix.length), previous as DeployDocument | undefined)
    await Promise.all(documents.map((name) => limit(() => this.#recover(name.slice(projectPrefix.length)))))
  }

  /**
   * Waits for running deploys, at most so long. Those that still run then are cut off, on record and with a word to whoever
   * waits for them: their builds would go on to an end that nobody may write any more.
   *
   * @returns how many were
   */
  async drain(milliseconds: number): Promise<number> {
    await this.#idle(milliseconds)
    const late = this.#pipeline.busy
    if (late > 0) {
      this.#pipeline.cutOff()
      await this.#idle(longestEnd)
    }
    await this.#retention.close()
    return late
  }

  async #idle(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds)
    })
    await Promise.race([this.#pipeline.idle(), late])
    clearTimeout(timer)
  }

  async #recover(projectId: string): Promise<void> {
    try {
      const state = await this.#records.state(projectId)
      if (this.#ports.store.readOnly !== null || !state.deploys.some(({ status }) => status === 'building')) return
      const repository = await this.#ports.repositories.open(projectId)
      const lease = await this.#pipeline.lock(projectId)
      try {
        await this.#recovery.verify(projectId, repository, lease)
      } finally {
        await this.#ports.store.release(lease)
      }
    } catch (error) {
      // One damaged project must not keep the others from their readers.
      this.#ports.log.error({ err: error, projectId }, 'a project could not be recovered')
    }
  }

  #announce(event: DeployFinished): void {
    this.#retention.schedule(event.projectId)
    this.#rebuilds.finished(event.projectId)
    try {
      this.#finished.emit('finished', event)
    } catch (error) {
      this.#ports.log.error({ err: error, projectId: event.projectId }, 'announcing a deploy failed')
    }
  }
}

/** The Failure of a deploy that did not go live, for those who waited for it; null when it did. */
export function failureOfDeploy(deploy: Deploy): Failure | null {
  if (deploy.status !== 'failed') return null
  const total = deploy.counts.errors
  const where = deploy.errors[0]
  const details =
    where?.path === undefined
      ? ''
      : ` First: ${where.path}${where.line === undefined ? '' : `:${where.line}`}: ${where.message}`
  return new Failure(
    'build_failed',
    `The site has ${total === 1 ? 'an error' : `${total} errors`}; what was live still is.${details}`,
    {
      errors: deploy.errors,
      extra: { deploy: deploy.id, counts: deploy.counts },
    },
  )
}
