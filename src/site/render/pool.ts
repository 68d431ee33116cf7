import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { rendererVersion } from '../mdx/version.ts'
import type { ErrorDetail } from '../../contract/common.ts'
import type { DescribeOutcome, LoadFile, RenderJob, RenderOutcome, RenderPool, RenderSession } from '../page.ts'
import { tellMeasured, tracer } from '../../lib/measured.ts'
import { assignTasks, languagesOf } from './assignment.ts'
import { Forker, reasonOf } from './forker.ts'
import { isolationOf, type Isolation } from './isolation.ts'
import { preemptions, type Preemption } from './preemption.ts'
import { candidates, ownSurroundings, protectionsOf, startForkServer, type Surroundings } from './process.ts'
import {
  abandon,
  Budget,
  failed,
  maxKills,
  maxRetries,
  newBuild,
  reasonOfSignal,
  refuse,
  requeue,
  type Build,
  type BudgetOptions,
  type Task,
} from './task.ts'
import { idleOf, RecentUse, turnsOf, type OwnerTurn } from './turns.ts'
import { explain, Worker, type Ending, type WorkerEvents } from './worker.ts'

export interface RenderPoolOptions extends BudgetOptions {
  /** Children at work at most, but for the first ones of owners who would have to wait. Default: one a core, at most four. */
  readonly children?: number
  /** Account that owns a project: by whom children and turns are divided. Default: each project is an owner. */
  readonly ownerOf?: (project: string) => string
  /**
   * All pages are those of whoever runs this, such as a preview on a writer’s machine: children stay for the next change,
   * with the machine’s usual priority, and nothing that needs rights is tried.
   */
  readonly isOwn?: boolean
  /** Told what happens to children, for the service’s log. */
  readonly log?: (event: { readonly message: string; readonly [key: string]: unknown }) => void
}

async function measuredPage<Outcome extends RenderOutcome | DescribeOutcome>(
  rendering: Promise<Outcome>,
): Promise<Outcome> {
  const since = performance.now()
  const outcome = await rendering
  tellMeasured('render', outcome.ok ? 'rendered' : 'refused', since)
  return outcome
}

const tickMs = 200
/** A child stays this long for the next build of its project: a writer who saves again waits less. */
const idleMs = 30_000
/**
 * From then on a child has low priority, and each new one of an owner who has used as much lately: the small builds of
 * others, and the service itself, do not share the processor with large ones.
 */
const yieldCpuMs = 250
/**
 * So long more children may be at work than should be, then one is preempted: most builds are small and over by then, and
 * to begin a page anew costs more than to share the processor for a moment.
 */
const crowdedMs = 500
/** What ends a child for no fault of the page in it. */
const outsideSignals: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGXCPU'])
const maxStartFailures = 3
const closeMs = 5000
const startMs = 30_000

/**
 * Starts what forks children. Resolves when it is ready, with the strongest protections that work on this machine.
 * @throws Error when it does not start even without protections.
 */
export async function openRenderPool(options: RenderPoolOptions = {}): Promise<RenderPool> {
  const failures: string[] = []
  for (const surroundings of options.isOwn === true ? [ownSurroundings] : candidates()) {
    const pool = new Pool(surroundings, options)
    const failure = await pool.start()
    if (failure === undefined) return pool
    failures.push(failure)
    await pool.close()
  }
  throw new Error(`The page renderer does not start: ${failures.at(-1) ?? 'there is no way to start it'}`)
}

class Pool implements RenderPool, WorkerEvents {
  readonly fingerprint = rendererVersion
  readonly #surroundings: Surroundings
  readonly #forker: Forker
  readonly #size: number
  readonly #limits: BudgetOptions
  readonly #ownerOf: (project: string) => string
  readonly #isOwn: boolean
  readonly #recent = new RecentUse()
  readonly #log: NonNullable<RenderPoolOptions['log']>
  readonly #workers = new Set<Worker>()
  readonly #builds = new Set<Build>()
  readonly #timer: NodeJS.Timeout
  #counter = 0
  #broken: Error | undefined
  #closing: (() => void) | undefined
  #pumping = false
  /** Since when more children are at work than should be. */
  #crowdedSince: number | undefined

  constructor(surroundings: Surroundings, options: RenderPoolOptions) {
    this.#surroundings = surroundings
    this.#forker = new Forker((canFork) => startForkServer(surroundings, canFork))
    this.#size = Math.max(1, options.children ?? Math.min(availableParallelism(), 4))
    this.#limits = options
    this.#isOwn = options.isOwn === true
    this.#ownerOf = options.ownerOf ?? ((project) => project)
    this.#log = options.log ?? (() => undefined)
    this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer.unref()
  }

  get children(): number {
    return this.#workers.size
  }

  get isolation(): Isolation {
    return isolationOf(new Set([...protectionsOf(this.#surroundings), ...this.#forker.holds]))
  }

  /** Tries the protections. Resolves with what keeps children from starting with them. */
  async start(): Promise<string | undefined> {
    const deadline = new AbortController()
    try {
      const late = sleep(startMs, 'it was not ready in time', { signal: deadline.signal })
      return await Promise.race([this.#forker.start(), late])
    } finally {
      deadline.abort()
    }
  }

  open(project: string, load: LoadFile, signal?: AbortSignal): RenderSession {
    const build = newBuild(++this.#counter, project, load, new Budget(this.#limits))
    this.#builds.add(build)
    this.#keepSize(project)
    if (this.#broken !== undefined) {
      // Another try: what kept children from starting may be over.
      this.#broken = undefined
      this.#forker.failures = 0
    }
    const abort = (): void => this.#closeBuild(build, reasonOfSignal(signal))
    signal?.addEventListener('abort', abort)
    const span = tracer.startSpan('render')
    let pages = 0
    return {
      render: (job) => {
        if (signal?.aborted === true) return Promise.reject(reasonOfSignal(signal))
        pages += 1
        return measuredPage(this.#render(build, job) as Promise<RenderOutcome>)
      },
      describe: (job) => {
        if (signal?.aborted === true) return Promise.reject(reasonOfSignal(signal))
        return measuredPage(this.#render(build, { ...job, kind: 'description' }) as Promise<DescribeOutcome>)
      },
      close: () => {
        signal?.removeEventListener('abort', abort)
        this.#closeBuild(build)
        span.setAttribute('quire.pages', pages).end()
      },
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    const gone = new Promise<void>((resolve) => {
      this.#closing = resolve
    })
    for (const build of this.#builds) abandon(build, new Error('The page renderer was closed.'))
    for (const worker of this.#workers) worker.end()
    if (this.#workers.size > 0) await Promise.race([gone, sleep(closeMs, undefined, { ref: false })])
    // With it ends what has not ended.
    this.#forker.close()
    if (this.#workers.size > 0) await gone
  }

  #render(build: Build, job: RenderJob): Promise<RenderOutcome | DescribeOutcome> {
    if (build.closed || this.#closing !== undefined) return Promise.reject(new Error('The build is over.'))
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    const refusal = refuse(job)
    if (refusal !== undefined) return Promise.resolve(refusal)
    if (build.givenUp !== undefined) return Promise.resolve({ ok: false, errors: build.givenUp.splice(0) })
    build.budget.add()
    return new Promise((resolve, reject) => {
      build.waiting.push({
        id: ++this.#counter,
        build,
        job,
        languages: job.kind === 'description' ? [] : languagesOf(job.source),
        resolve,
        reject,
        retries: 0,
        preemptions: 0,
      })
      this.#pump()
    })
  }

  /** Assigns pages to children, once for all that were asked for in the same moment. */
  #pump(): void {
    if (this.#pumping) return
    this.#pumping = true
    queueMicrotask(() => {
      this.#pumping = false
      if (this.#closing !== undefined) return
      if (this.#broken !== undefined) for (const build of this.#builds) abandon(build, this.#broken)
      const now = Date.now()
      const waiting = [...this.#builds].filter((build) => build.waiting.length > 0)
      const useOf = (owner: string): number => this.#recent.of(owner, now)
      for (const turn of turnsOf(waiting, this.#size, { ownerOf: this.#ownerOf, useOf })) this.#serve(turn)
      this.#preemptForStarved(now)
    })
  }

  #serve({ owner, share, builds }: OwnerTurn<Build>): void {
    for (const { build, share: part } of builds) {
      const { hasAssigned, missing } = assignTasks(build, [...this.#workers], part)
      if (hasAssigned) build.turn = ++this.#counter
      const held = this.#heldBy(owner)
      const atWork = this.#atWork().length
      // Nobody waits for the page of somebody else: an owner’s first child comes whether there is a place or not.
      const isFirst = held === 0 && atWork < this.#size * 2
      const places = Math.max(this.#size - atWork, isFirst ? 1 : 0)
      for (let left = Math.min(missing, share - held, places); left > 0; left--)
        this.#workers.add(new Worker(build.project, (events) => this.#forker.fork(events), this))
    }
  }

  /** Children of an owner that take pages. */
  #heldBy(owner: string): number {
    return this.#atWork().filter(
      (worker) => !worker.retiring && !worker.isEnding && this.#ownerOf(worker.project) === owner,
    ).length
  }

  #atWork(): readonly Worker[] {
    const idle = new Set(this.#idle())
    return [...this.#workers].filter((worker) => !idle.has(worker))
  }

  /**
   * An idle child is not woken where as many as may work do: its project waits for a turn as others do, unless its owner
   * has no other child.
   */
  #keepSize(project: string): void {
    const atWork = this.#atWork()
    const owner = this.#ownerOf(project)
    const isOnly = atWork.every((worker) => worker.project === project || this.#ownerOf(worker.project) !== owner)
    if (atWork.length <= this.#size * (isOnly ? 2 : 1)) return
    for (const worker of this.#workers)
      if (worker.project === project && worker.tasks.length === 0) this.#retire(worker)
  }

  #idle(): readonly Worker[] {
    return idleOf(this.#workers, this.#builds)
  }

  /** Of the idle ones, one stays for each project, for a while, and no more in all than may work. */
  #endIdle(): void {
    const idle = this.#idle()
    const latest = new Map(idle.map((worker) => [worker.project, worker]))
    for (const [index, worker] of idle.entries()) {
      const isLatest = latest.get(worker.project) === worker
      const isNew = this.#isOwn || Date.now() - worker.idleSince < idleMs
      if (!isLatest || !isNew || idle.length - index > this.#size) this.#retire(worker)
    }
  }

  #preemptForStarved(now: number): void {
    const working = this.#atWork()
    const crowd = working.filter((worker) => worker.isReady).length - this.#size
    this.#crowdedSince = crowd > 0 ? (this.#crowdedSince ?? now) : undefined
    const isCrowded = this.#crowdedSince !== undefined && now - this.#crowdedSince >= crowdedMs
    const waiting = new Set([...this.#builds].flatMap((build) => (build.waiting.length > 0 ? [build.project] : [])))
    const needs = { waiting, surplus: isCrowded ? crowd : 0, ownerOf: this.#ownerOf }
    for (const preemption of preemptions(working, needs, now)) this.#preempt(preemption, now)
  }

  /** Its next pages go back to their build; the one in it may end, or is taken from it, too. */
  #preempt({ worker, takesPage }: Preemption<Worker>, now: number): void {
    worker.retiring = true
    requeue(worker.tasks.splice(1))
    const [page] = worker.tasks
    if (page !== undefined && !takesPage) return
    if (page !== undefined) {
      page.preemptions++
      this.#recent.add(this.#ownerOf(worker.project), worker.pageCpuMs, now)
    }
    worker.end()
  }

  #retire(worker: Worker): void {
    worker.retiring = true
    if (worker.tasks.length === 0) worker.end()
  }

  /** Pages that nobody waits for any more take no child’s time. */
  #closeBuild(build: Build, reason = new Error('The build is over.')): void {
    build.closed = true
    this.#builds.delete(build)
    abandon(build, reason)
    for (const worker of this.#workers) if (worker.tasks[0]?.build === build) worker.end()
    this.#endIdle()
  }

  ready(worker: Worker): void {
    const used = this.#recent.of(this.#ownerOf(worker.project), Date.now())
    if (used > yieldCpuMs && !this.#isOwn) worker.yieldProcessor()
    this.#pump()
  }

  outcome(worker: Worker, task: Task, outcome: RenderOutcome | DescribeOutcome, cpuMs: number): void {
    this.#recent.add(this.#ownerOf(worker.project), cpuMs, Date.now())
    const excess = task.build.budget.spend(task.job.path, cpuMs)
    if (excess === undefined || task.build.givenUp !== undefined) task.resolve(outcome)
    else {
      failed(task, [...(outcome.ok ? [] : outcome.errors), excess])
      this.#giveUp(task.build, excess.message)
    }
    if (worker.retiring && worker.tasks.length === 0) worker.end()
    this.#pump()
  }

  ended(worker: Worker, ending: Ending): void {
    if (!this.#workers.delete(worker)) return
    if (this.#closing !== undefined) {
      for (const task of worker.tasks.splice(0)) task.reject(new Error('The page renderer was closed.'))
      if (this.#workers.size === 0) this.#closing()
      return
    }
    if (!worker.isReady && !ending.wanted) this.#notStarted(ending)
    else this.#settle(worker, ending)
    this.#pump()
  }

  #notStarted(ending: Ending): void {
    const reason = reasonOf(ending)
    this.#log({ message: 'a render child did not start', reason })
    if (this.#forker.failures < maxStartFailures) return
    this.#broken = new Error(`The page renderer does not start: ${reason}`)
  }

  /** Blames the page that was in the child; the ones behind it go to another. */
  #settle(worker: Worker, ending: Ending): void {
    const [first, ...rest] = worker.tasks.splice(0)
    if (first === undefined) return
    // The processor time of a whole life may be over in any page; one that takes too much itself breaks its own limit.
    const outside = ending.broke === undefined && (ending.isOrphan || outsideSignals.has(ending.signal ?? ''))
    const again = first.build.givenUp !== undefined || ending.wanted || (outside && first.retries < maxRetries)
    if (!again) this.#blame(first, ending, worker.pageCpuMs)
    else if (!ending.wanted) first.retries++
    requeue(again ? [first, ...rest] : rest)
  }

  #blame(task: Task, ending: Ending, cpuMs: number): void {
    const { build } = task
    const { path } = task.job
    build.kills++
    this.#recent.add(this.#ownerOf(build.project), cpuMs, Date.now())
    const message = explain(path, ending)
    const { stderr } = ending
    this.#log({ message: 'a page cost its render child', project: build.project, page: path, reason: message, stderr })
    const excess = build.budget.spend(path, cpuMs)
    const isLast = build.kills >= maxKills
    const whole = isLast ? `${message} The build is given up: ${build.kills} of its pages broke their limits.` : message
    failed(task, [{ path, rule: 'page-limit', message: whole }, ...(excess === undefined || isLast ? [] : [excess])])
    if (isLast || excess !== undefined) this.#giveUp(build, excess?.message ?? whole)
  }

  /** @param owed Errors that no page has been told yet. */
  #giveUp(build: Build, reason: string, owed: ErrorDetail[] = []): void {
    build.givenUp = owed
    this.#log({ message: 'a build cost too much and was given up', project: build.project, reason })
    for (const other of build.waiting.splice(0)) failed(other, owed.splice(0))
    for (const worker of this.#workers) if (worker.tasks.some((other) => other.build === build)) worker.end()
  }

  #tick(): void {
    const now = Date.now()
    this.#recent.prune(now)
    for (const build of this.#builds) {
      const late = build.givenUp === undefined ? build.budget.late(now) : undefined
      if (late !== undefined) this.#giveUp(build, late.message, [late])
    }
    // Who waits for a child of others may have waited long enough by now.
    if (this.#crowdedSince !== undefined || [...this.#builds].some((build) => build.waiting.length > 0)) this.#pump()
    for (const worker of this.#workers) {
      if (worker.tasks.length === 0) continue
      worker.check()
      if (!this.#isOwn && (worker.usage?.cpuMs ?? 0) > yieldCpuMs) worker.yieldProcessor()
    }
    this.#endIdle()
  }
}
