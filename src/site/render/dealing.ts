import { choose } from './affinity.ts'
import type { Build } from './task.ts'
import type { Worker } from './worker.ts'

/** Pages that are worth another child. */
const pagesPerChild = 4

/** What became of the waiting pages of a build. */
export interface Deal {
  /** At least one went to a child. */
  readonly dealt: boolean
  /** They are worth more children than the build has. */
  readonly isShort: boolean
}

/**
 * Gives waiting pages of a build to the children of its project, and takes fresh ones for it where there is enough to do.
 * @param share Children that the build may have at most.
 */
export function deal(build: Build, workers: readonly Worker[], share: number): Deal {
  const own = workers.filter((worker) => worker.project === build.project && !worker.retiring)
  const open = build.waiting.length + own.reduce((sum, worker) => sum + worker.tasks.length, 0)
  const wanted = Math.min(share, Math.ceil(open / pagesPerChild))
  const fresh = workers.filter((worker) => worker.isReady && worker.project === undefined && !worker.retiring)
  // The oldest are the warmest: a build of few pages leaves them to one of many.
  if (wanted === 1) fresh.reverse()
  own.push(...fresh.slice(0, Math.max(0, wanted - own.length)))
  const before = build.waiting.length
  while (build.waiting.length > 0) {
    const [worker] = own.filter((candidate) => candidate.hasRoom).sort((a, b) => a.tasks.length - b.tasks.length)
    if (worker === undefined) break
    const others = own.filter((other) => other !== worker).map((other) => other.languages)
    const [task] = build.waiting.splice(choose(build.waiting, worker.languages, others), 1)
    if (task === undefined) break
    worker.give(task)
  }
  return { dealt: build.waiting.length < before, isShort: own.length < wanted }
}
