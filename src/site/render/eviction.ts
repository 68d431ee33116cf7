/**
 * Which children are evicted. Idle ones are retired, so that a fresh one stands ready when another project comes; those
 * at work are preempted, so that a project without a child gets one.
 */
import type { Usage } from './process.ts'

/** A child that serves a project waits this long for its next deploy; surplus ones less. */
const idleMs = 60_000
const surplusIdleMs = 1500
/** What a child may have used before a fresh one replaces it. */
const recycleCpuMs = 30_000
const recycleBytes = 220 * 1024 * 1024

/**
 * A page that has taken less processor time is left to end; one that has taken more may be preempted and is begun anew
 * later. By the clock, all pages would be long on a busy machine, and what is begun anew would make it busier.
 */
const minPreemptCpuMs = 250
/** A page under way for so long by the clock may be preempted, whatever it has used. */
const maxPageMs = 2500
/** A project keeps its only child at least this long, so that starting children does not become all the work. */
const minServeMs = 1000
/** A page is begun anew this often, then it is left to end: every build comes to its end. */
const maxPreemptions = 2

/** A child as retiring sees it: how long it has been idle, and what it has used. */
export interface RetirableWorker {
  readonly retiring: boolean
  readonly project: string | undefined
  readonly idleSince: number
  readonly usage: Usage | undefined
  readonly tasks: readonly unknown[]
}

/** The child to retire for one of `project`: the one of another project that has been idle longest. */
export function workerToReplace<W extends RetirableWorker>(workers: readonly W[], project: string): W | undefined {
  return idleLongest(workers.filter((worker) => worker.project !== project && !worker.retiring))
}

/**
 * The child to retire for a fresh one, where none is fresh or about to be.
 * @param open Projects with an open build: they keep their children.
 */
export function workerToRefresh<W extends RetirableWorker>(
  workers: readonly W[],
  open: ReadonlySet<string>,
): W | undefined {
  if (workers.some((worker) => worker.project === undefined || worker.retiring)) return undefined
  return idleLongest(workers.filter((worker) => worker.project !== undefined && !open.has(worker.project)))
}

/** The children that have waited long enough for another page of their project, or have done enough. */
export function workersToRetire<W extends RetirableWorker>(
  workers: readonly W[],
  open: ReadonlySet<string>,
  now: number,
): readonly W[] {
  const seen = new Set<string>()
  return workers.filter((worker) => {
    const { project } = worker
    if (worker.tasks.length > 0 || project === undefined || worker.retiring) return false
    const isSurplus = seen.has(project)
    seen.add(project)
    if (open.has(project)) return false
    return isOverQuota(worker) || now - worker.idleSince > (isSurplus ? surplusIdleMs : idleMs)
  })
}

/** A child at work takes no further pages after this much processor time. */
export function isOverCpuQuota(worker: RetirableWorker): boolean {
  return (worker.usage?.cpuMs ?? 0) > recycleCpuMs
}

function isOverQuota(worker: RetirableWorker): boolean {
  const { usage } = worker
  return (usage?.cpuMs ?? 0) > recycleCpuMs || (usage?.rssBytes ?? 0) > recycleBytes
}

function idleLongest<W extends RetirableWorker>(workers: readonly W[]): W | undefined {
  const [oldest] = workers
    .filter((worker) => worker.tasks.length === 0 && worker.project !== undefined)
    .sort((a, b) => a.idleSince - b.idleSince)
  return oldest
}

/** A child as preempting sees it: whom it serves since when, and how far its page is. */
export interface PreemptableWorker {
  readonly isReady: boolean
  readonly isEnding: boolean
  readonly retiring: boolean
  readonly project: string | undefined
  /** Milliseconds of the clock, as those below. */
  readonly servesSince: number
  readonly pageSince: number
  /** Processor time of its page so far. */
  readonly pageCpuMs: number
  readonly idleSince: number
  readonly tasks: readonly { readonly preemptions: number }[]
}

/** The page of a child may be taken from it. */
export function isPreemptable(worker: PreemptableWorker, now: number): boolean {
  const [page] = worker.tasks
  return (
    page !== undefined &&
    page.preemptions < maxPreemptions &&
    (worker.pageCpuMs >= minPreemptCpuMs || now - worker.pageSince >= maxPageMs)
  )
}

/**
 * The children to preempt now, besides those that are already ending or starting.
 * @param starved Projects with pages and without a child.
 * @returns Idle ones first, then those of projects with several; the least work is lost.
 */
export function workersToPreempt<W extends PreemptableWorker>(
  workers: readonly W[],
  starved: number,
  now: number,
): readonly W[] {
  const isChanging = (worker: W) =>
    !worker.isReady || worker.isEnding || (worker.retiring && !isPreemptable(worker, now))
  let missing = starved - workers.filter(isChanging).length
  const staying = new Set(workers.filter((worker) => !isChanging(worker) && worker.project !== undefined))
  const chosen: W[] = []
  for (; missing > 0; missing--) {
    const projects = [...staying].map((worker) => worker.project)
    const isOnly = (worker: W) => projects.filter((project) => project === worker.project).length === 1
    const [victim] = [...staying]
      .filter((worker) => worker.tasks.length === 0 || !isOnly(worker) || now - worker.servesSince >= minServeMs)
      .map((worker) => ({ worker, order: orderOf(worker, isOnly(worker), now) }))
      .sort((a, b) => compare(a.order, b.order))
    if (victim === undefined) break
    staying.delete(victim.worker)
    chosen.push(victim.worker)
  }
  return chosen
}

/** What comes first is preempted first. */
function orderOf(worker: PreemptableWorker, isOnly: boolean, now: number): readonly number[] {
  const [page] = worker.tasks
  if (page === undefined) return [0, worker.idleSince]
  return [1, worker.retiring ? 0 : 1, isOnly ? 1 : 0, page.preemptions, now - worker.pageSince]
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0)
  return 0
}
