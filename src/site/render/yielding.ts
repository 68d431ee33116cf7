/** Which children give way to a project that has none. */

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
