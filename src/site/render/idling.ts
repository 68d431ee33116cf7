/** Which children without a page end, so that others are fresh and warm when another project comes. */
import type { Usage } from './usage.ts'

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
