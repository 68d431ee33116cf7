import type { Span } from '@opentelemetry/api'
import { mainRef } from '../content/refs/ref-names.ts'
import { RefsHalfMoved } from '../content/repository.ts'
import type { Deploy } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import { diskRefusal } from '../lib/disk.ts'
import { endFailed, spanBetween, tracer, withSpan } from '../lib/measured.ts'
import { unlessAborted } from '../lib/unless-aborted.ts'
import type { Lease } from '../storage/store.ts'
import { Candidates } from './candidates.ts'
import { Charge } from './charge.ts'
import type { ContentSource, DeployTrigger } from './content-source.ts'
import type { AcceptedDeploy, DeployFinished, DeployingPorts } from './ports.ts'
import type { Recovery } from './recovery.ts'
import type { DeployRecords } from './records.ts'
import type { DeployReports } from './reports.ts'
import { type StoredDeploy, newDeployId } from './state.ts'
import {
  candidateFields,
  movesOf,
  newRecord,
  Progress,
  Stopwatch,
  withOutcome,
  type BuildOutcome,
  endOf,
  type DeployRun,
  type DeployTarget,
  type RecordedRun,
} from './run.ts'

const leaseName = 'deploy'

/** Commits and builds of one deploy, when its branch moves again and again. */
const maxAttempts = 5

/** Seconds after which a deploy that found too many waiting is worth another try. */
const fullSeconds = 30

/** How a run ended. */
interface RunResult {
  /** Null when the refs have moved and the record has not followed: recovery ends it. */
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
  readonly #candidates: Candidates
  /** By project. */
  readonly #runs = new Map<string, DeployRun>()
  readonly #ends = new Set<Promise<unknown>>()

  constructor(parts: PipelineParts) {
    this.#parts = parts
    this.#candidates = new Candidates(parts)
  }

  /** What watches a running deploy; undefined when it does not run. */
  progressOf(projectId: string, id: string): Progress | undefined {
    const run = this.#runs.get(projectId)
    return run?.id === id ? run.progress : undefined
  }

  get busy(): number {
    return this.#runs.size
  }

  /** Ends what builds or waits for its turn, with a word to whoever waits for it. What has moved its refs goes live. */
  cutOff(): void {
    const reason = new Failure('unavailable', 'The deploy was interrupted by a restart; nothing changed.', {
      hint: 'Send it again in a moment.',
      retryAfter: 5,
    })
    for (const run of this.#runs.values()) run.cutOff.abort(reason)
  }

  /** `idle` waits for it. */
  #untilEnd<T>(work: Promise<T>): Promise<T> {
    this.#ends.add(work)
    const forget = (): void => {
      this.#ends.delete(work)
    }
    work.then(forget, forget)
    return work
  }

  /** Settles when no deploy runs any more, nor is about to. */
  async idle(): Promise<void> {
    while (this.#ends.size > 0) await Promise.allSettled(this.#ends)
  }

  /**
   * Resolves when the deploy is on record and its commit is stored; the rest goes on. Before that it waits for its
   * owner’s turn to build, while its project is locked. Rejects with the reason of the trigger’s signal, or a Failure
   * (`deploy_in_progress`, `rate_limited`, `quota_exceeded`, `invalid_path`, `missing_objects`, `release_gone`, `unavailable`, and those
   * of the source) when there is none.
   */
  accept(trigger: DeployTrigger, source: ContentSource): Promise<AcceptedDeploy> {
    const span = tracer.startSpan('deploy', { attributes: { 'quire.deploy.kind': source.kind } })
    const accepted = withSpan(span, () => this.#untilEnd(this.#accept(trigger, source)))
    void endWith(span, accepted, trigger.projectId)
    return accepted
  }

  async #accept(trigger: DeployTrigger, source: ContentSource): Promise<AcceptedDeploy> {
    const { ports } = this.#parts
    const { projectId } = trigger
    const run = this.#start(trigger, source, await this.lock(projectId))
    try {
      ports.failpoint('after-lease')
      await this.#takeTurn(run)
      await ports.outbox.requireRoom(projectId)
      const recorded = await this.#record(run)
      const finished = this.#untilEnd(this.#conclude(recorded))
      return { deploy: await this.#present(recorded.stored, projectId), finished }
    } catch (error) {
      source.aborted?.()
      await run.charge.giveBack()
      await this.#end(run)
      throw error
    }
  }

  /** The project's lock. Throws `deploy_in_progress` when it is held. */
  async lock(projectId: string): Promise<Lease> {
    const { store, documentOf } = this.#parts.ports
    const lease = await store.acquire(documentOf(projectId), leaseName)
    if (lease !== null) return lease
    const since = this.#runs.get(projectId)?.since ?? performance.now()
    const elapsed = (performance.now() - since) / 1000
    throw new Failure('deploy_in_progress', `A deploy of ${this.#parts.ports.slugOf(projectId)} is in progress.`, {
      hint: 'Wait until it has ended and try again.',
      // A deploy that has been running for long will probably run for as long again.
      retryAfter: Math.min(30, Math.max(1, Math.ceil(elapsed))),
    })
  }

  #start(trigger: DeployTrigger, source: ContentSource, lease: Lease): DeployRun {
    const { ports } = this.#parts
    const now = ports.now()
    const id = newDeployId(now)
    const run: DeployRun = {
      trigger,
      source,
      lease,
      since: performance.now(),
      id,
      createdAt: now.toISOString(),
      progress: new Progress(),
      stopwatch: new Stopwatch(trigger.receivedAt),
      charge: new Charge(id, () => ports.reserveDeploy(trigger.projectId)),
      endTurn: () => undefined,
      cutOff: new AbortController(),
    }
    this.#runs.set(trigger.projectId, run)
    return run
  }

  async #takeTurn(run: DeployRun): Promise<void> {
    // Nothing is built then, and who goes back is in a hurry.
    if (run.source.kind === 'rollback') return
    const { builds, ownerOf } = this.#parts.ports
    const { projectId, signal } = run.trigger
    const owner = ownerOf(projectId)
    if (builds.isFull(owner)) {
      throw new Failure('rate_limited', 'Too many builds of the project’s owner wait for their turn.', {
        hint: 'Deploy fewer projects at a time, and again when builds have ended.',
        retryAfter: fullSeconds,
      })
    }
    run.endTurn = await builds.acquire(owner, endOf(run, signal))
  }

  async #end({ trigger: { projectId }, lease, endTurn }: DeployRun): Promise<void> {
    endTurn()
    this.#runs.delete(projectId)
    await this.#parts.ports.store.release(lease)
  }

  /** From the lock to the record. */
  async #record(run: DeployRun): Promise<RecordedRun> {
    const { ports, records } = this.#parts
    const { trigger, progress, stopwatch, lease } = run
    const target = await this.#openTarget(run)
    stopwatch.lap('receive', trigger.receivedAt)
    spanBetween('deploy receive', trigger.receivedAt, performance.now())
    progress.stage('receive')
    progress.stage('commit')
    const candidate = await this.#candidates.prepare(run, target, 1)
    await run.charge.held()
    ports.failpoint('after-commit')
    progress.stage('build')
    const stored = await records.begin(trigger.projectId, newRecord(run, candidate), lease, trigger.idempotency)
    ports.failpoint('after-record')
    return { ...run, target, candidate, stored, committed: false }
  }

  async #openTarget({ trigger: { projectId }, lease }: DeployRun): Promise<DeployTarget> {
    const { ports, records, recovery } = this.#parts
    const [repository, releases] = await Promise.all([
      ports.repositories.open(projectId),
      ports.hosting.open(projectId),
    ])
    await recovery.verify(projectId, repository, lease)
    return { repository, releases, state: await records.state(projectId), main: await repository.resolveRef(mainRef) }
  }

  /** Frees the project before anybody is told of the end: who then deploys at once is not refused. */
  async #conclude(run: RecordedRun): Promise<Deploy> {
    const { projectId } = run.trigger
    let result: RunResult
    try {
      result = await this.#finish(run)
    } catch (error) {
      // Not even the failure could be recorded (a full disk, say): the next deploy of the project mends the record.
      this.#parts.recovery.verifyAgain(projectId)
      await run.charge.giveBack()
      throw error
    } finally {
      await this.#end(run)
    }
    const deploy = await this.#present(result.stored, projectId)
    run.progress.finish(deploy)
    if (result.type !== null) this.#parts.announce({ type: result.type, projectId, deploy })
    if (result.error !== undefined) throw result.error
    return deploy
  }

  /** From the record to the end. Nothing that it does before the ref transaction can be seen. */
  async #finish(run: RecordedRun): Promise<RunResult> {
    const { ports, recovery } = this.#parts
    const { projectId } = run.trigger
    try {
      return await this.#buildAndCommit(run)
    } catch (error) {
      // What a user caused (a branch that now conflicts, say) is told to that user.
      if (!(error instanceof Failure))
        ports.log.error({ err: error, projectId, deploy: run.stored.id }, 'a deploy broke off')
      if (run.committed || error instanceof RefsHalfMoved) {
        // Refs have moved but not all, or not the pointer: the next deploy of the project, or the next start, moves these.
        recovery.verifyAgain(projectId)
        return { type: null, stored: run.stored, error }
      }
      const message = error instanceof Failure ? error.message : wordsOf(error)
      const outcome = { errors: [{ message }], warnings: [], pages: { total: 0, built: 0, reused: 0 } }
      return { ...(await this.#fail(run, outcome, { forgetKey: true })), error }
    } finally {
      if (run.committed) run.source.committed?.()
      else run.source.aborted?.()
    }
  }

  /** Ends when the refs have moved: a source that retries is asked again for as long as they moved during the build. */
  async #buildAndCommit(run: RecordedRun): Promise<RunResult> {
    const { ports } = this.#parts
    for (let attempt = 1; ; attempt++) {
      // A page that hangs in a child is waited for by the build, and not by who cuts it off.
      const outcome = judged(await unlessAborted(run.candidate.built, run.cutOff.signal), run.trigger)
      ports.failpoint('after-build')
      if (outcome.errors.length > 0) return this.#fail(run, outcome, { forgetKey: false })
      const ready = await this.#release(run, outcome)
      run.progress.stage('point')
      const since = performance.now()
      try {
        // In one transaction: from here on the deploy has happened.
        await run.target.repository.updateRefs(movesOf(run))
      } catch (error) {
        if (run.source.retries !== true || attempt === maxAttempts || !isStale(error)) throw error
        await this.#prepareAgain(run, attempt + 1)
        continue
      }
      run.committed = true
      ports.failpoint('after-refs')
      return this.#goLive(run, ready, since)
    }
  }

  /** Everything durable that going live needs, so that after a crash only refs and pointer decide. */
  async #release(run: RecordedRun, outcome: BuildOutcome): Promise<StoredDeploy> {
    const { ports, reports } = this.#parts
    run.progress.stage('release')
    const ready: StoredDeploy = { ...withOutcome(run.stored, outcome), status: 'live' }
    const journal = { ...ready, moves: movesOf(run) }
    await Promise.all([run.candidate.published, reports.write(run.trigger.projectId, journal)])
    ports.failpoint('after-release')
    return ready
  }

  /** The same deploy of what is there now. */
  async #prepareAgain(run: RecordedRun, attempt: number): Promise<void> {
    const { source, progress } = run
    source.aborted?.()
    progress.stage('commit')
    run.target = { ...run.target, main: await run.target.repository.resolveRef(mainRef) }
    run.candidate = await this.#candidates.prepare(run, run.target, attempt)
    await run.charge.held()
    run.stored = { ...run.stored, ...candidateFields(run.candidate) }
    progress.stage('build')
  }

  async #goLive(run: RecordedRun, ready: StoredDeploy, since: number): Promise<RunResult> {
    const { ports, records } = this.#parts
    run.stopwatch.lap('point', since)
    const live: StoredDeploy = { ...ready, ...this.#timesOf(run) }
    // When a crash leaves one of them undone, the next start does it: what was taken of the plan is held.
    await Promise.all([records.goLive(run.trigger.projectId, live, run.lease), run.charge.use()])
    ports.failpoint('after-point')
    run.stopwatch.lap('point', since)
    spanBetween('deploy point', since, performance.now())
    return { type: 'deploy.success', stored: { ...live, ...this.#timesOf(run) } }
  }

  async #fail(run: RecordedRun, outcome: BuildOutcome, options: { readonly forgetKey: boolean }): Promise<RunResult> {
    const failed: StoredDeploy = { ...withOutcome(run.stored, outcome), ...this.#timesOf(run), status: 'failed' }
    await this.#parts.records.fail(run.trigger.projectId, failed, run.lease, options)
    await run.charge.giveBack()
    return { type: 'deploy.failed', stored: failed }
  }

  #timesOf({ stopwatch }: DeployRun): Pick<StoredDeploy, 'stages' | 'durationMs' | 'finishedAt'> {
    const finishedAt = this.#parts.ports.now().toISOString()
    return { stages: stopwatch.stages(), durationMs: stopwatch.total(), finishedAt }
  }

  async #present(stored: StoredDeploy, projectId: string): Promise<Deploy> {
    const { records } = this.#parts
    return records.present(projectId, stored, await records.state(projectId))
  }
}

/** Ends the span of a deploy when that ends. */
async function endWith(span: Span, accepted: Promise<AcceptedDeploy>, projectId: string): Promise<void> {
  try {
    const { deploy, finished } = await accepted
    span.setAttributes({ 'quire.project_id': projectId, 'quire.deploy': deploy.id })
    span.setAttribute('quire.deploy.status', (await finished).status).end()
  } catch (error) {
    endFailed(span, error)
  }
}

/** What a deploy that broke off says of it: bugs are the log's. */
function wordsOf(error: unknown): string {
  const refusal = diskRefusal(error)
  return refusal === null
    ? 'The service made a mistake; nothing was changed.'
    : `The service cannot store anything: ${refusal}. Nothing was changed.`
}

/** What a build says, as whoever wants it takes it. */
function judged(outcome: BuildOutcome, { strict }: DeployTrigger): BuildOutcome {
  if (strict !== true) return outcome
  const { errors, kept = [], warnings } = outcome
  return { ...outcome, errors: [...errors, ...kept, ...warnings], kept: [], warnings: [] }
}

function isStale(error: unknown): boolean {
  return error instanceof Failure && error.code === 'stale_ref'
}
