/**
 * Which children end for others: idle ones, so that a fresh one stands ready when another project comes, and those at
 * work, so that a project without a child gets one.
 */
import type { Usage } from './process.ts'

/** A child that serves a project waits this long for its next deploy; surplus ones less. */
const idleMs = 60_000
const surplusIdleMs = 1500
/** What a child may have used before a fresh one replaces it. */
const recycleCpuMs = 30_000
const recycleBytes = 220 * 1024 * 1024

/** What of a child the choice depends on. */
export interface Idler {
  readonly retiring: boolean
  readonly project: string | undefined
  readonly idleSince: number
  readonly usage: Usage | undefined
  readonly tasks: readonly unknown[]
}

/** The child that makes room for one of `project`: the one of another project that has been idle longest. */
export function roomFor<I extends Idler>(workers: readonly I[], project: string): I | undefined {
  return idleLongest(workers.filter((worker) => worker.project !== project && !worker.retiring))
}

/**
 * The child that makes room for a fresh one, where none is fresh or about to be.
 * @param open Projects with an open build: they keep their children.
 */
export function spare<I extends Idler>(workers: readonly I[], open: ReadonlySet<string>): I | undefined {
  if (workers.some((worker) => worker.project === undefined || worker.retiring)) return undefined
  return idleLongest(workers.filter((worker) => worker.project !== undefined && !open.has(worker.project)))
}

/** The children that have waited long enough for another page of their project, or have done enough. */
export function finished<I extends Idler>(workers: readonly I[], open: ReadonlySet<string>, now: number): readonly I[] {
  const seen = new Set<string>()
  return workers.filter((worker) => {
    const { project } = worker
    if (worker.tasks.length > 0 || project === undefined || worker.retiring) return false
    const isSurplus = seen.has(project)
    seen.add(project)
    if (open.has(project)) return false
    return isWorn(worker) || now - worker.idleSince > (isSurplus ? surplusIdleMs : idleMs)
  })
}

/** A child at work takes no further pages after this much processor time. */
export function hasWorkedEnough(worker: Idler): boolean {
  return (worker.usage?.cpuMs ?? 0) > recycleCpuMs
}

function isWorn(worker: Idler): boolean {
  const { usage } = worker
  return (usage?.cpuMs ?? 0) > recycleCpuMs || (usage?.rssBytes ?? 0) > recycleBytes
}

function idleLongest<I extends Idler>(workers: readonly I[]): I | undefined {
  const [oldest] = workers
    .filter((worker) => worker.tasks.length === 0 && worker.project !== undefined)
    .sort((a, b) => a.idleSince - b.idleSince)
  return oldest
}

/**
 * A page that took less processor time is let end; one that took more is begun anew later. By the clock, all pages would
 * be long on a busy machine, and what is begun anew would make it busier.
 */
export const patienceMs = 250
/** A page under way for so long by the clock is begun anew, whatever it has used. */
export const longestMs = 2500
/** A project keeps its only child at least this long, so that starting children does not become all the work. */
export const sliceMs = 1000
/** A page is begun anew this often, then it is let end: every build comes to its end. */
export const mostYields = 2

/** What of a child the choice depends on. */
export interface Holder {
  readonly isReady: boolean
  readonly isEnding: boolean
  readonly retiring: boolean
  readonly project: string | undefined
  /** Since when it serves its project, and works on its page or does nothing: milliseconds of the clock. */
  readonly servesSince: number
  readonly pageSince: number
  /** Processor time of its page so far. */
  readonly pageCpuMs: number
  readonly idleSince: number
  readonly tasks: readonly { readonly yields: number }[]
}

/** The page of a child may be taken from it. */
export function mayInterrupt(holder: Holder, now: number): boolean {
  const [page] = holder.tasks
  return (
    page !== undefined &&
    page.yields < mostYields &&
    (holder.pageCpuMs >= patienceMs || now - holder.pageSince >= longestMs)
  )
}

/**
 * The children that should give way now, besides those that are already on their way out or in.
 * @param starved Projects with pages and without a child.
 * @returns Idle ones first, then those of projects with several; the least work is lost.
 */
export function yielding<H extends Holder>(holders: readonly H[], starved: number, now: number): readonly H[] {
  const isComing = (holder: H) => !holder.isReady || holder.isEnding || (holder.retiring && !mayInterrupt(holder, now))
  let missing = starved - holders.filter(isComing).length
  const staying = new Set(holders.filter((holder) => !isComing(holder) && holder.project !== undefined))
  const chosen: H[] = []
  for (; missing > 0; missing--) {
    const projects = [...staying].map((holder) => holder.project)
    const isOnly = (holder: H) => projects.filter((project) => project === holder.project).length === 1
    const [victim] = [...staying]
      .filter((holder) => holder.tasks.length === 0 || !isOnly(holder) || now - holder.servesSince >= sliceMs)
      .map((holder) => ({ holder, order: orderOf(holder, isOnly(holder), now) }))
      .sort((a, b) => compare(a.order, b.order))
    if (victim === undefined) break
    staying.delete(victim.holder)
    chosen.push(victim.holder)
  }
  return chosen
}

/** What comes first gives way first. */
function orderOf(holder: Holder, isOnly: boolean, now: number): readonly number[] {
  const [page] = holder.tasks
  if (page === undefined) return [0, holder.idleSince]
  return [1, holder.retiring ? 0 : 1, isOnly ? 1 : 0, page.yields, now - holder.pageSince]
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) if (value !== b[index]) return value - (b[index] ?? 0)
  return 0
}
