import type { ErrorDetail } from '../../contract/common.ts'
import type { LoadFile, RenderJob, RenderOutcome } from '../page.ts'
import type { Budget } from './budget.ts'

/** A page on its way through the pool. */
export interface Task {
  readonly id: number
  readonly build: Build
  readonly job: RenderJob
  /** Languages of its code blocks: see `affinity.ts`. */
  readonly languages: readonly string[]
  readonly resolve: (outcome: RenderOutcome) => void
  readonly reject: (error: Error) => void
  /** Set when its child was ended from outside: that happens to a page once. */
  retried: boolean
  /** How often it lost its child to another project: see `yielding.ts`. */
  yields: number
}

/** One build: its pages that wait, and what its children may read. */
export interface Build {
  readonly id: number
  readonly project: string
  readonly load: LoadFile
  readonly waiting: Task[]
  /** Children that pages of this build cost. */
  kills: number
  readonly budget: Budget
  /** When it was last dealt a page, counted in deals: who waits longest comes first. */
  turn: number
  /** Its pages cost too much; the ones that are left end without a word. */
  givenUp: boolean
  closed: boolean
}

export function newBuild(id: number, project: string, load: LoadFile, budget: Budget): Build {
  return { id, project, load, budget, waiting: [], kills: 0, turn: 0, givenUp: false, closed: false }
}

/** Children that one build may cost before it is given up. */
export const mostKills = 5
export const memoryBytes = 768 * 1024 * 1024
/** However long a page waits for processor time, its child is not waited for longer. */
export const wallMs = 60_000

/** CPU time that a page may take: 6 s and 10 ms a KB, at most 15 s. The first page with rare languages compiles them. */
export function cpuBudgetMs(job: RenderJob): number {
  return Math.min(15_000, 6_000 + 10 * Math.ceil(job.source.length / 1024))
}

export function failed(task: Task, errors: readonly ErrorDetail[]): void {
  task.resolve({ ok: false, errors })
}

/** Pages that have lost their child come first again. */
export function requeue(tasks: readonly Task[]): void {
  for (const task of tasks.toReversed()) {
    if (task.build.closed) task.reject(new Error('The build is over.'))
    else if (task.build.givenUp) task.resolve({ ok: false, errors: [] })
    else task.build.waiting.unshift(task)
  }
}

/** Nobody renders the pages of the build that still wait. */
export function abandon(build: Build, error: Error): void {
  for (const task of build.waiting.splice(0)) task.reject(error)
}
