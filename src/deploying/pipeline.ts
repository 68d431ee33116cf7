import { mainRef } from '../content/refs/ref-names.ts'
import type { Deploy } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import type { Lease } from '../storage/store.ts'
import type { Reserved } from '../usage/reserved.ts'
import {
  beginning,
  emptyOutcome,
  ending,
  isStale,
  moveRefs,
  prepare,
  prepareAgain,
  withOutcome,
  type Job,
} from './job.ts'
import { Progress } from './progress.ts'
import type { AcceptedDeploy, DeployFinished, DeployOrder, DeployingPorts } from './ports.ts'
import type { Recovery } from './recovery.ts'
import type { DeployRecords } from './records.ts'
import type { DeployReports } from './reports.ts'
import { newDeployId, type StoredDeploy } from './state.ts'
import { Stopwatch } from './stopwatch.ts'
import type { Outcome, Site, Work } from './work.ts'

export const leaseName = 'deploy'

/** Merges and builds of one publish, when its branch moves again and again. */
const maxAttempts = 5

interface Running {
  readonly since: number
  /** Set once the deploy is on record. */
  id?: string
  readonly progress: Progress
}

/** A job on its way: it may be prepared anew. */
interface Flight {
  job: Job
  /** The refs have moved. */
  moved: boolean
}

interface End {
  /** Null when the deploy is in between: recovery ends it. */
  readonly type: DeployFinished['type'] | null
  readonly stored: StoredDeploy
  /** What broke it off, where that was no mistake in the files. */
  readonly error?: unknown
}

interface PipelineParts {
  readonly ports: DeployingPorts
  readonly records: DeployRecords
  readonly reports: DeployReports
  readonly recovery: Recovery
  readonly announce: (event: DeployFinished) => void
}

/** The one way to a live site: lock, commit, record, build, release, refs, pointer. One deploy a project at a time. */
export class Pipeline {
  readonly #parts: PipelineParts
  readonly #running = new Map<string, Running>()
  readonly #ends = new Set<Promise<unknown>>()

  constructor(parts: PipelineParts) {
    this.#parts = parts
  }

  /** What watches a running deploy; undefined when it does not run. */
  progressOf(slug: string, id: string): Progress | undefined {
    const running = this.#running.get(slug)
    return running?.id === id ? running.progress : undefined
  }

  get busy(): number {
    return this.#running.size
  }

  /** Settles when no deploy runs any more. */
  async idle(): Promise<void> {
    while (this.#ends.size > 0) await Promise.allSettled(this.#ends)
  }

  /**
   * Resolves when the deploy is on record and its commit is stored; the rest goes on. Rejects with a Failure
   * (`deploy_in_progress`, `quota_exceeded`, `invalid_path`, `missing_objects`, `release_gone`, `unavailable`) when there is
   * none.
   */
  async accept(order: DeployOrder, work: Work): Promise<AcceptedDeploy> {
    const { ports } = this.#parts
    const lease = await this.lock(order.slug)
    const running: Running = { since: performance.now(), progress: new Progress() }
    this.#running.set(order.slug, running)
    let reservation: Reserved | undefined
    try {
      ports.failpoint('after-lease')
      await ports.outbox.requireRoom(order.slug)
      reservation = await ports.reserveDeploy(order.slug)
      const job = await this.#begin(order, work, { lease, reservation, running })
      running.id = job.stored.id
      const finished = this.#conclude(job)
      this.#ends.add(finished)
      const forget = (): void => {
        this.#ends.delete(finished)
      }
      finished.then(forget, forget)
      return { deploy: await this.#present(job.stored, order.slug), finished }
    } catch (error) {
      await reservation?.settle(0)
      await this.#end(order.slug, lease)
      throw error
    }
  }

  /** The project's lock. Throws `deploy_in_progress` when it is held. */
  async lock(slug: string): Promise<Lease> {
    const { store, documentOf } = this.#parts.ports
    const lease = await store.acquire(documentOf(slug), leaseName)
    if (lease !== null) return lease
    const since = this.#running.get(slug)?.since ?? performance.now()
    const elapsed = (performance.now() - since) / 1000
    throw new Failure('deploy_in_progress', `A deploy of ${this.#parts.ports.slugOf(slug)} is in progress.`, {
      hint: 'Wait until it has ended and try again.',
      // What has taken long already most likely takes long still.
      retryAfter: Math.min(30, Math.max(1, Math.ceil(elapsed))),
    })
  }

  async #end(slug: string, lease: Lease): Promise<void> {
    this.#running.delete(slug)
    await this.#parts.ports.store.release(lease)
  }

  async #begin(
    order: DeployOrder,
    work: Work,
    held: { readonly lease: Lease; readonly reservation: Reserved; readonly running: Running },
  ): Promise<Job> {
    const { ports, records, recovery } = this.#parts
    const { progress } = held.running
    const [repository, releases] = await Promise.all([
      ports.repositories.open(order.slug),
      ports.hosting.open(order.slug),
    ])
    await recovery.verify(order.slug, repository, held.lease)
    const watch = new Stopwatch(order.receivedAt)
    watch.lap('receive', order.receivedAt)
    progress.stage('receive')
    const now = ports.now()
    const site: Site = {
      order,
      id: newDeployId(now),
      createdAt: now.toISOString(),
      repository,
      releases,
      state: await records.state(order.slug),
      main: await repository.resolveRef(mainRef),
      progress,
      watch,
    }
    progress.stage('commit')
    const holding = held.reservation.hold(site.id)
    holding.catch(() => undefined)
    const prepared = await prepare(work, site, 1)
    try {
      await holding
      ports.failpoint('after-commit')
      progress.stage('build')
      const stored = await records.begin(order.slug, beginning(site, work, prepared), held.lease, order.idempotency)
      ports.failpoint('after-record')
      return { site, lease: held.lease, reservation: held.reservation, work, prepared, stored }
    } catch (error) {
      prepared.settle?.(false)
      throw error
    }
  }

  /** Frees the project before anybody is told of the end: who then deploys at once is not refused. */
  async #conclude(job: Job): Promise<Deploy> {
    const { slug } = job.site.order
    let end: End
    try {
      end = await this.#finish(job)
    } catch (error) {
      // Not even the failure could be recorded (a full disk, say): whoever comes next mends the record.
      this.#parts.recovery.distrust(slug)
      await job.reservation.settle(0)
      throw error
    } finally {
      await this.#end(slug, job.lease)
    }
    const deploy = await this.#present(end.stored, slug)
    job.site.progress.finish(deploy)
    if (end.type !== null) this.#parts.announce({ type: end.type, slug, deploy })
    if (end.error !== undefined) throw end.error
    return deploy
  }

  /** From the record to the end. Nothing that it does before the ref transaction can be seen. */
  async #finish(begun: Job): Promise<End> {
    const { ports, recovery } = this.#parts
    const { slug } = begun.site.order
    const flight: Flight = { job: begun, moved: false }
    try {
      return await this.#land(flight)
    } catch (error) {
      const { job } = flight
      // What a user caused (a branch that now conflicts, say) is told to that user.
      if (!(error instanceof Failure))
        ports.log.error({ err: error, slug, deploy: job.stored.id }, 'a deploy broke off')
      if (flight.moved) {
        // Main has moved but the pointer has not: whoever comes next, or the next start, moves it.
        recovery.distrust(slug)
        return { type: null, stored: job.stored, error }
      }
      const reason = error instanceof Failure ? error.message : 'The service made a mistake; nothing was changed.'
      const outcome = { ...emptyOutcome, errors: [{ message: reason }] }
      return { ...(await this.#failed(job, outcome, { forgetKey: true })), error }
    } finally {
      flight.job.prepared.settle?.(flight.moved)
    }
  }

  async #land(flight: Flight): Promise<End> {
    const { ports, reports } = this.#parts
    for (let attempt = 1; ; attempt++) {
      const { job } = flight
      const { site, prepared } = job
      const outcome = await prepared.built
      ports.failpoint('after-build')
      if (outcome.errors.length > 0) return this.#failed(job, outcome, { forgetKey: false })
      site.progress.stage('release')
      const ready: StoredDeploy = { ...withOutcome(job.stored, outcome), status: 'live' }
      await Promise.all([prepared.published, reports.write(site.order.slug, ready)])
      ports.failpoint('after-release')
      site.progress.stage('point')
      const since = performance.now()
      try {
        await moveRefs(site, prepared, ready.number)
      } catch (error) {
        if (job.work.again !== true || attempt === maxAttempts || !isStale(error)) throw error
        flight.job = await prepareAgain(job, attempt + 1)
        continue
      }
      flight.moved = true
      ports.failpoint('after-refs')
      return this.#live(job, ready, since)
    }
  }

  async #live(job: Job, ready: StoredDeploy, since: number): Promise<End> {
    const { ports, records } = this.#parts
    const { site } = job
    const live: StoredDeploy = { ...ready, ...ending(site, ports.now()) }
    // When a crash leaves one of them undone, the next start does it: the reservation is held.
    await Promise.all([records.goLive(site.order.slug, live, job.lease), job.reservation.settle(1)])
    ports.failpoint('after-point')
    site.watch.lap('point', since)
    return { type: 'deploy.success', stored: { ...live, ...ending(site, ports.now()) } }
  }

  async #failed(job: Job, outcome: Outcome, options: { readonly forgetKey: boolean }): Promise<End> {
    const { ports, records } = this.#parts
    const { site } = job
    const failed: StoredDeploy = { ...withOutcome(job.stored, outcome), ...ending(site, ports.now()), status: 'failed' }
    await records.fail(site.order.slug, failed, job.lease, options)
    await job.reservation.settle(0)
    return { type: 'deploy.failed', stored: failed }
  }

  async #present(stored: StoredDeploy, slug: string): Promise<Deploy> {
    return this.#parts.records.present(slug, stored, await this.#parts.records.state(slug))
  }
}
