import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { rendererVersion } from '../mdx/version.ts'
import type { LoadFile, RenderJob, RenderOutcome, RenderPool, RenderSession } from '../page.ts'
import { assignTasks, languagesOf } from './assignment.ts'
import { Forker, reasonOf } from './forker.ts'
import { isolationOf, type Isolation } from './isolation.ts'
import { isPreemptable, workersToPreempt } from './preemption.ts'
import { candidates, protectionsOf, startForkServer, type Surroundings } from './process.ts'
import {
  abandon,
  Budget,
  failed,
  maxKills,
  maxRetries,
  newBuild,
  refuse,
  requeue,
  type Build,
  type BudgetOptions,
  type Task,
} from './task.ts'
import { explain, Worker, type Ending, type WorkerEvents } from './worker.ts'

export interface RenderPoolOptions extends BudgetOptions {
  /** Children at most. Default: one a core, at most four. */
  readonly children?: number
  /** Told what happens to children, for the service’s log. */
  readonly log?: (event: { readonly message: string; readonly [key: string]: unknown }) => void
}

const tickMs = 200
/** A child stays this long for the next build of its project: a writer who saves again waits less. */
const idleMs = 30_000
/** A child takes no further pages after this much processor time; in the kernel it has 60 s. */
const retireCpuMs = 30_000
const maxStartFailures = 3
const closeMs = 5000
const startMs = 30_000

/**
 * Starts what forks children. Resolves when it is ready, with the strongest protections that work on this machine.
 * @throws Error when it does not start even without protections.
 */
export async function openRenderPool(options: RenderPoolOptions = {}): Promise<RenderPool> {
  const failures: string[] = []
  for (const surroundings of candidates()) {
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
  readonly #log: NonNullable<RenderPoolOptions['log']>
  readonly #workers = new Set<Worker>()
  readonly #builds = new Set<Build>()
  readonly #timer: NodeJS.Timeout
  #counter = 0
  #broken: Error | undefined
  #closing: (() => void) | undefined
  #pumping = false

  constructor(surroundings: Surroundings, options: RenderPoolOptions) {
    this.#surroundings = surroundings
    this.#forker = new Forker((canFork) => startForkServer(surroundings, canFork))
    this.#size = Math.max(1, options.children ?? Math.min(availableParallelism(), 4))
    this.#limits = options
    this.#log = options.log ?? (() => undefined)
    this.#timer = setInterval(() => this.#tick(), tickMs)
    this.#timer.unref()
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

  open(project: string, load: LoadFile): RenderSession {
    const build = newBuild(++this.#counter, project, load, new Budget(this.#limits))
    this.#builds.add(build)
    this.#keepSize(project)
    if (this.#broken !== undefined) {
      // Another try: what kept children from starting may be over.
      this.#broken = undefined
      this.#forker.failures = 0
    }
    return { render: (job) => this.#render(build, job), close: () => this.#closeBuild(build) }
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

  #render(build: Build, job: RenderJob): Promise<RenderOutcome> {
    if (build.closed || this.#closing !== undefined) return Promise.reject(new Error('The build is over.'))
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    const refusal = refuse(job)
    if (refusal !== undefined) return Promise.resolve(refusal)
    if (build.givenUp) return Promise.resolve({ ok: false, errors: [] })
    build.budget.add()
    return new Promise((resolve, reject) => {
      build.waiting.push({
        id: ++this.#counter,
        build,
        job,
        languages: languagesOf(job.source),
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
      const busy = [...this.#builds].filter((build) => build.waiting.length > 0).sort((a, b) => a.turn - b.turn)
      const share = Math.max(1, Math.floor(this.#size / Math.max(1, busy.length)))
      for (const build of busy) {
        const { hasAssigned, missing } = assignTasks(build, [...this.#workers], share)
        if (hasAssigned) build.turn = ++this.#counter
        this.#add(build.project, missing)
      }
      this.#preemptForStarved(busy)
    })
  }

  #add(project: string, missing: number): void {
    const idle = this.#idle()
    for (let free = this.#size + idle.length - this.#workers.size; missing > 0 && free > 0; missing--, free--)
      this.#workers.add(new Worker(project, (events) => this.#forker.fork(events), this))
  }

  /** An idle child is not woken where as many as may work do: its project waits for a turn as others do. */
  #keepSize(project: string): void {
    const atWork = this.#workers.size - this.#idle().length
    if (atWork <= this.#size) return
    for (const worker of this.#workers)
      if (worker.project === project && worker.tasks.length === 0) this.#retire(worker)
  }

  /** Children without an open build, the one that has been idle longest first. They take no place of those at work. */
  #idle(): readonly Worker[] {
    const open = new Set([...this.#builds].map((build) => build.project))
    return [...this.#workers]
      .filter((worker) => worker.tasks.length === 0 && !open.has(worker.project))
      .sort((a, b) => a.idleSince - b.idleSince)
  }

  /** Of the idle ones, one stays for each project, for a while, and no more in all than may work. */
  #endIdle(): void {
    const idle = this.#idle()
    const latest = new Map(idle.map((worker) => [worker.project, worker]))
    for (const [index, worker] of idle.entries()) {
      const isLatest = latest.get(worker.project) === worker
      const isNew = Date.now() - worker.idleSince < idleMs
      if (!isLatest || !isNew || idle.length - index > this.#size) this.#retire(worker)
    }
  }

  /** For each project with pages and without a child, a child of another project is preempted. */
  #preemptForStarved(busy: readonly Build[]): void {
    const served = new Set([...this.#workers].map((worker) => worker.project))
    const starved = new Set(
      busy.filter((build) => build.waiting.length > 0 && !served.has(build.project)).map((build) => build.project),
    )
    const idle = new Set(this.#idle())
    const working = [...this.#workers].filter((worker) => !idle.has(worker))
    for (const worker of workersToPreempt(working, starved.size, Date.now())) this.#preempt(worker)
  }

  /** Its next pages go back to their build; the one in it may end, or is taken from it, too. */
  #preempt(worker: Worker): void {
    worker.retiring = true
    requeue(worker.tasks.splice(1))
    const [page] = worker.tasks
    if (page === undefined) worker.end()
    else if (isPreemptable(worker, Date.now())) {
      page.preemptions++
      worker.end()
    }
  }

  #retire(worker: Worker): void {
    worker.retiring = true
    if (worker.tasks.length === 0) worker.end()
  }

  #closeBuild(build: Build): void {
    build.closed = true
    this.#builds.delete(build)
    abandon(build, new Error('The build is over.'))
    this.#endIdle()
  }

  ready(): void {
    this.#pump()
  }

  outcome(worker: Worker, task: Task, outcome: RenderOutcome, cpuMs: number): void {
    const excess = task.build.budget.spend(task.job.path, cpuMs)
    if (excess === undefined || task.build.givenUp) task.resolve(outcome)
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
    const outside =
      ending.broke === undefined && (ending.isOrphan || ending.signal === 'SIGKILL' || ending.signal === 'SIGTERM')
    const again = first.build.givenUp || ending.wanted || (outside && first.retries < maxRetries)
    if (!again) this.#blame(first, ending, worker.pageCpuMs)
    else if (!ending.wanted) first.retries++
    requeue(again ? [first, ...rest] : rest)
  }

  #blame(task: Task, ending: Ending, cpuMs: number): void {
    const { build } = task
    const { path } = task.job
    build.kills++
    const message = explain(path, ending)
    const { stderr } = ending
    this.#log({ message: 'a page cost its render child', project: build.project, page: path, reason: message, stderr })
    const excess = build.budget.spend(path, cpuMs)
    const isLast = build.kills >= maxKills
    const whole = isLast ? `${message} The build is given up: ${build.kills} of its pages broke their limits.` : message
    failed(task, [{ path, message: whole }, ...(excess === undefined || isLast ? [] : [excess])])
    if (isLast || excess !== undefined) this.#giveUp(build, excess?.message ?? whole)
  }

  #giveUp(build: Build, reason: string): void {
    build.givenUp = true
    this.#log({ message: 'a build cost too much and was given up', project: build.project, reason })
    for (const other of build.waiting.splice(0)) other.resolve({ ok: false, errors: [] })
    for (const worker of this.#workers) if (worker.tasks.some((other) => other.build === build)) worker.end()
  }

  #tick(): void {
    // Who waits for a child of others may have waited long enough by now.
    if ([...this.#builds].some((build) => build.waiting.length > 0)) this.#pump()
    for (const worker of this.#workers) {
      if (worker.tasks.length === 0) continue
      worker.check()
      if ((worker.usage?.cpuMs ?? 0) > retireCpuMs) worker.retiring = true
    }
    this.#endIdle()
  }
}
