import { isUtf8 } from 'node:buffer'
import type { ErrorDetail } from '../../contract/common.ts'
import { limits } from '../../contract/limits.ts'
import { PageProblem } from '../mdx/problem.ts'
import { readSource } from '../mdx/source.ts'
import type { DescribeOutcome, LoadFile, RenderJob, RenderOutcome } from '../page.ts'

/** Children that one build may cost before it is given up. */
export const maxKills = 5
/** A page whose child is ended from outside is begun anew so often, then it is to blame. */
export const maxRetries = 3
export const memoryBytes = 768 * 1024 * 1024
/** However long a page waits for processor time, its child is not waited for longer. */
export const wallMs = 60_000
/** CPU time that a build has beside that of its pages. */
const defaultBuildCpuMs = 60_000
/** CPU time that a build has for each of its pages. */
const shareCpuMs = 100
/** CPU time that a page may take beside that of its text: the first page with rare languages compiles them. */
const defaultPageCpuMs = 6_000
const kilobyteCpuMs = 10
const maxPageCpuMs = 15_000
/** Milliseconds by the clock that a build may render. */
const defaultBuildMs = 15 * 60_000
/** Pages that the error of a build over its budget names. */
const maxNamed = 3

/** A page on its way through the pool. */
export interface Task {
  readonly id: number
  readonly build: Build
  readonly job: RenderJob
  /** Languages of its code blocks: see `assignment.ts`. */
  readonly languages: readonly string[]
  readonly resolve: (outcome: RenderOutcome | DescribeOutcome) => void
  readonly reject: (error: Error) => void
  /** How often its child was ended from outside. */
  retries: number
  /** How often it lost its child to another owner or project: see `preemption.ts`. */
  preemptions: number
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
  /** Number of its last assignment of pages, of a counter that all builds share: the build that has waited longest is served first. */
  turn: number
  /** It cost too much: the pages that are left fail, the first of them with these errors, the others without any. */
  givenUp: ErrorDetail[] | undefined
  closed: boolean
}

export function newBuild(id: number, project: string, load: LoadFile, budget: Budget): Build {
  return { id, project, load, budget, waiting: [], kills: 0, turn: 0, givenUp: undefined, closed: false }
}

export function failed(task: Task, errors: readonly ErrorDetail[]): void {
  task.resolve({ ok: false, errors })
}

/** Pages that have lost their child come first again. */
export function requeue(tasks: readonly Task[]): void {
  for (const task of tasks.toReversed()) {
    if (task.build.closed) task.reject(new Error('The build is over.'))
    else if (task.build.givenUp !== undefined) failed(task, task.build.givenUp.splice(0))
    else task.build.waiting.unshift(task)
  }
}

/** Nobody renders the pages of the build that still wait. */
export function abandon(build: Build, error: Error): void {
  for (const task of build.waiting.splice(0)) task.reject(error)
}

/** Why nobody waits for a build any more. */
export function reasonOfSignal(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason
  return reason instanceof Error ? reason : new Error('Nobody waits for the build any more.', { cause: reason })
}

/** What needs no child to be refused: sent on, it could not even be written as text. */
export function refuse(job: RenderJob): (RenderOutcome & { readonly ok: false }) | undefined {
  if (job.kind === 'description') return refuseDescription(job)
  if (mayFit(job.source) && isUtf8(job.source)) return undefined
  try {
    readSource(job.path, job.source)
    return undefined
  } catch (error) {
    if (error instanceof PageProblem) return { ok: false, errors: error.details }
    throw error
  }
}

/** Without looking for long at a page with pictures in its text: its child measures that. */
export function mayFit(source: Uint8Array): boolean {
  if (source.length <= limits.pageBytes) return true
  return (
    source.length <= limits.fileBytes &&
    Buffer.from(source.buffer, source.byteOffset, source.length).includes(';base64,')
  )
}

function refuseDescription({ path, source }: RenderJob): (RenderOutcome & { readonly ok: false }) | undefined {
  const most = limits.descriptionBytes
  const why =
    source.length > most
      ? `has ${source.length} bytes; at most ${most} are allowed`
      : isUtf8(source)
        ? undefined
        : 'is not UTF-8'
  return why === undefined
    ? undefined
    : { ok: false, errors: [{ path, rule: 'api-description', message: `${path} ${why}.` }] }
}

/** CPU time that a build may take in whole; without an option, what the service allows. */
export interface BudgetOptions {
  /** Milliseconds beside those of its pages. Default: 60 s. */
  readonly buildCpuMs?: number | undefined
  /** Milliseconds of one page beside 10 ms a KB. Default: 6 s. Never more than 15 s in all. */
  readonly pageCpuMs?: number | undefined
  /** Milliseconds by the clock from its beginning to the end of its last page. Default: 15 minutes. */
  readonly buildMs?: number | undefined
}

/** What the pages of one build may cost, each and all together. */
export class Budget {
  readonly #buildMs: number
  readonly #pageMs: number
  readonly #clockMs: number
  readonly #since = Date.now()
  #pages = 0
  #ended = 0
  #spentMs = 0
  #costliest: readonly { readonly path: string; readonly cpuMs: number }[] = []

  constructor(options: BudgetOptions = {}) {
    const { buildCpuMs = defaultBuildCpuMs, pageCpuMs = defaultPageCpuMs, buildMs = defaultBuildMs } = options
    this.#buildMs = buildCpuMs
    this.#pageMs = pageCpuMs
    this.#clockMs = buildMs
  }

  /** CPU time that a page may take, in milliseconds. */
  allowedFor({ kind, source }: RenderJob): number {
    // It may be in thousands of files, of which this is the first.
    if (kind === 'description') return maxPageCpuMs
    return Math.min(maxPageCpuMs, this.#pageMs + kilobyteCpuMs * Math.ceil(source.length / 1024))
  }

  /** A page more. */
  add(): void {
    this.#pages++
  }

  /** The error of a build that takes too long by the clock. */
  late(now: number): ErrorDetail | undefined {
    if (now - this.#since <= this.#clockMs) return undefined
    const message =
      `The build is given up: it took longer than ${this.#clockMs / 1000} s, and ${this.#ended} of its pages were ` +
      'rendered by then. Deploy again when the service and your other builds are less busy, make the costliest pages ' +
      'simpler, or split the site.'
    return { rule: 'page-limit', message }
  }

  /** A page has ended. Returns the error of the build when that was too much, at its costliest page. */
  spend(path: string, cpuMs: number): ErrorDetail | undefined {
    this.#ended++
    this.#spentMs += cpuMs
    this.#costliest = [...this.#costliest, { path, cpuMs }].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, maxNamed)
    const allowedMs = this.#buildMs + this.#pages * shareCpuMs
    const [worst] = this.#costliest
    if (this.#spentMs <= allowedMs || worst === undefined) return undefined
    const names = this.#costliest.map((page) => `${page.path} (${seconds(page.cpuMs)})`).join(', ')
    const message =
      `The build is given up: its pages took ${seconds(this.#spentMs)} of processor time together, ` +
      `and ${seconds(allowedMs)} are allowed. The costliest: ${names}. ` +
      'Split them or make them simpler (expressions, long code blocks and tables cost most), and deploy again.'
    return { path: worst.path, rule: 'page-limit', message }
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
