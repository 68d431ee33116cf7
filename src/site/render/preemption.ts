/**
 * Which children are taken from those who have them, so that an owner without a child gets one; and of one owner’s
 * children, so that a project without a child gets one. Who holds children is called a party here: an owner or a project.
 */

/**
 * A page that has taken less processor time is left to end; one that has taken more may be preempted and is begun anew
 * later. By the clock, all pages would be long on a busy machine, and what is begun anew would make it busier.
 */
const minPreemptCpuMs = 250
/** A page under way for so long by the clock may be preempted, whatever it has used. */
const maxPageMs = 2500
/** A party keeps its only child at least this long, so that starting children does not become all the work. */
const minServeMs = 1000
/**
 * The page in the only child of a party is begun anew this often, then it is left to end: every build comes to its end.
 * In one of several it may always be preempted, since the others go on, and the page that lost least often loses first.
 */
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

/** A child that takes no further pages. */
export interface Preemption<W> {
  readonly worker: W
  /** The page in it is taken from it, too; else that is left to end. */
  readonly takesPage: boolean
}

/** Why children are to be preempted. */
export interface Needs {
  /** Projects with waiting pages. */
  readonly waiting: ReadonlySet<string>
  /** Children that are more than should be at work. */
  readonly surplus: number
  readonly ownerOf: (project: string) => string
}

/**
 * The children to preempt now, besides those that are already ending or starting: for owners without a child those of
 * others, for projects without one those of their owner.
 */
export function preemptions<W extends PreemptableWorker>(
  working: readonly W[],
  { waiting, surplus, ownerOf }: Needs,
  now: number,
): readonly Preemption<W>[] {
  const ownerOfWorker = (worker: W): string => ownerOf(worker.project)
  const owners = new Map<string, W[]>()
  for (const worker of working)
    owners.set(ownerOfWorker(worker), [...(owners.get(ownerOfWorker(worker)) ?? []), worker])
  const starved = new Set([...waiting].map(ownerOf).filter((owner) => !owners.has(owner)))
  const chosen = [...workersToPreempt(working, starved.size + surplus, { now, partyOf: ownerOfWorker })]
  for (const [owner, own] of owners) {
    const served = new Set(own.map(({ project }) => project))
    const left = [...waiting].filter((project) => ownerOf(project) === owner && !served.has(project))
    const among = own.filter((worker) => !chosen.some((one) => one.worker === worker))
    chosen.push(...workersToPreempt(among, left.length, { now, partyOf: ({ project }) => project }))
  }
  return chosen
}

/** As many of the children as parties are starved, less those that are ending or starting anyway. */
function workersToPreempt<W extends PreemptableWorker>(
  workers: readonly W[],
  starved: number,
  { now, partyOf }: { readonly now: number; readonly partyOf: (worker: W) => string },
): readonly Preemption<W>[] {
  const isOnlyNow = isOnlyOf(workers, partyOf)
  const isChanging = (worker: W) =>
    !worker.isReady || worker.isEnding || (worker.retiring && !isPreemptable(worker, isOnlyNow(worker), now))
  let missing = starved - workers.filter(isChanging).length
  const staying = new Set(workers.filter((worker) => !isChanging(worker)))
  const chosen: Preemption<W>[] = []
  for (; missing > 0; missing--) {
    const isOnly = isOnlyOf(staying, partyOf)
    const [victim] = [...staying]
      .filter((worker) => worker.tasks.length === 0 || !isOnly(worker) || now - worker.servesSince >= minServeMs)
      .map((worker) => ({ worker, order: orderOf(worker, isOnly(worker), now) }))
      .sort((a, b) => compare(a.order, b.order))
    if (victim === undefined) break
    const { worker } = victim
    staying.delete(worker)
    chosen.push({ worker, takesPage: isPreemptable(worker, isOnly(worker), now) })
  }
  return chosen
}

/** Whether a child is the only one of its party among them. */
function isOnlyOf<W>(workers: Iterable<W>, partyOf: (worker: W) => string): (worker: W) => boolean {
  const counts = new Map<string, number>()
  for (const worker of workers) counts.set(partyOf(worker), (counts.get(partyOf(worker)) ?? 0) + 1)
  return (worker) => counts.get(partyOf(worker)) === 1
}

/** The page of a child may be taken from it. */
function isPreemptable(worker: PreemptableWorker, isOnly: boolean, now: number): boolean {
  const [page] = worker.tasks
  return (
    page !== undefined &&
    (!isOnly || page.preemptions < maxPreemptions) &&
    (worker.pageCpuMs >= minPreemptCpuMs || now - worker.pageSince >= maxPageMs)
  )
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
