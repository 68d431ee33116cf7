/** Which children are taken from their projects, so that a project without a child gets one. */

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

/** A child as preempting sees it: whom it serves since when, and how far its page is. */
export interface PreemptableWorker {
  readonly isReady: boolean
  readonly isEnding: boolean
  readonly retiring: boolean
  readonly project: string
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
  const staying = new Set(workers.filter((worker) => !isChanging(worker)))
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
