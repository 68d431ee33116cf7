import type { WebhookEvent } from './events.ts'
import { attemptsInOrder, longestDelayOf, longestRetryAfter } from './retry-schedule.ts'

/** Timers stop while the machine sleeps, and the clock may be set: the time is looked at again at least this often. */
const longestSleep = 30_000
/** Milliseconds until the next try after a mistake of the service itself. */
const mistakePause = 5000

/** An event on its way to a webhook. */
export interface PendingDelivery {
  readonly event: WebhookEvent
  /** Id. */
  readonly webhook: string
  /** Milliseconds since the epoch. */
  readonly since: number
  /** Attempts that were made. */
  attempts: number
  /** Milliseconds since the epoch before which it is not tried. */
  dueAt: number
}

/**
 * The order in which events go to one webhook: oldest first, and only the first is tried. One that goes on failing is
 * deferred: it gives up its place and is tried by its own schedule, so that it does not block those behind it.
 */
export class WebhookQueue {
  #ordered: PendingDelivery[] = []
  readonly #deferred = new Set<PendingDelivery>()

  get size(): number {
    return this.#ordered.length + this.#deferred.size
  }

  /** Puts an event at the end, or among the deferred ones when it was there before. */
  add(pending: PendingDelivery): void {
    if (pending.attempts >= attemptsInOrder) this.#deferred.add(pending)
    else this.#ordered.push(pending)
  }

  /** What is to be tried next, which may not be due yet. Stays in its place until it is moved or removed. */
  next(): PendingDelivery | undefined {
    let [first] = this.#ordered
    for (const pending of this.#deferred) if (first === undefined || pending.dueAt < first.dueAt) first = pending
    return first
  }

  /** After an attempt that failed: the event keeps its place, or is deferred. */
  afterFailure(pending: PendingDelivery): void {
    if (pending.attempts >= attemptsInOrder && this.#drop(pending)) this.#deferred.add(pending)
  }

  /** Whether it was there. */
  remove(pending: PendingDelivery): boolean {
    return this.#deferred.delete(pending) || this.#drop(pending)
  }

  #drop(pending: PendingDelivery): boolean {
    // It is the first but when a person had it delivered by hand.
    const index = this.#ordered[0] === pending ? 0 : this.#ordered.indexOf(pending)
    if (index === -1) return false
    this.#ordered.splice(index, 1)
    return true
  }
}

/** What follows an attempt: nothing, another one when it is due, or none until `resume` is called. */
export type NextStep = 'done' | 'again' | 'pause'

export interface WorkerOptions {
  /** Tries an event once and records the outcome: `attempts` and `dueAt` are up to date when it settles. */
  readonly deliver: (pending: PendingDelivery) => Promise<NextStep>
  /** Told of a mistake of the service itself. */
  readonly onError: (error: unknown) => void
  readonly schedule: readonly number[]
  readonly now: () => Date
}

/** Sends the events of one webhook, one at a time and in order. Its timer keeps no process alive. */
export class WebhookWorker {
  readonly queue = new WebhookQueue()
  readonly #options: WorkerOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #notBefore = 0
  #paused = false
  /** How often `resume` was called. */
  #resumes = 0
  #stopped = false

  constructor(options: WorkerOptions) {
    this.#options = options
  }

  add(pending: PendingDelivery): void {
    this.queue.add(pending)
    this.#schedule()
  }

  /** Nothing more is tried before this time (milliseconds since the epoch). */
  pauseUntil(until: number): void {
    this.#notBefore = Math.max(this.#notBefore, until)
  }

  /** Goes on after `pause`. */
  resume(): void {
    this.#paused = false
    this.#resumes += 1
    this.#schedule()
  }

  /** Tries nothing any more. Settles when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #schedule(): void {
    if (this.#stopped || this.#paused || this.#running !== undefined) return
    clearTimeout(this.#timer)
    const next = this.queue.next()
    if (next === undefined) return
    const now = this.#options.now().getTime()
    next.dueAt = Math.min(next.dueAt, now + longestDelayOf(this.#options.schedule, next.attempts))
    this.#notBefore = Math.min(this.#notBefore, now + longestRetryAfter)
    const wait = Math.max(next.dueAt, this.#notBefore) - now
    if (wait > 0) this.#sleep(wait)
    else this.#running = this.#try(next)
  }

  #sleep(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#schedule(), Math.min(milliseconds, longestSleep))
    this.#timer.unref()
  }

  async #try(pending: PendingDelivery): Promise<void> {
    // Not at once: `add` may be called for many events in a row, and returns before the first is tried.
    await Promise.resolve()
    const resumes = this.#resumes
    try {
      const after = await this.#options.deliver(pending)
      if (after === 'done') this.queue.remove(pending)
      else this.queue.afterFailure(pending)
      // `resume` may have been called meanwhile.
      if (after === 'pause') this.#paused = resumes === this.#resumes
    } catch (error) {
      this.#options.onError(error)
      this.pauseUntil(this.#options.now().getTime() + mistakePause)
    }
    this.#running = undefined
    this.#schedule()
  }
}
