import { Line, type Pending } from './line.ts'
import { longestDelayOf, longestRetryAfter } from './schedule.ts'

/** What follows an attempt: nothing; another one at its time; none until somebody says so, for nothing is taken now. */
export type AfterAttempt = 'done' | 'again' | 'pause'

export interface RunnerOptions {
  /** Tries an event once, and notes what came of it: `attempts` and `dueAt` are up to date when it settles. */
  readonly deliver: (pending: Pending) => Promise<AfterAttempt>
  /** What should never have been thrown. */
  readonly onError: (error: unknown) => void
  readonly schedule: readonly number[]
  readonly now: () => Date
}

/** A timer sleeps with the machine, and the clock may be set: nobody relies on either for longer. */
const longestSleep = 30_000
/** After a mistake of the service itself. */
const mistakePause = 5000

/** Sends the events of one webhook, one at a time and in order. Its timer keeps no process alive. */
export class Runner {
  readonly line = new Line()
  readonly #options: RunnerOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #notBefore = 0
  #paused = false
  /** Times that it was told to go on. */
  #resumes = 0
  #stopped = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  add(pending: Pending): void {
    this.line.add(pending)
    this.#look()
  }

  /** Nothing more is tried before this time (milliseconds since the epoch). */
  hold(until: number): void {
    this.#notBefore = Math.max(this.#notBefore, until)
  }

  /** Goes on after a pause. */
  resume(): void {
    this.#paused = false
    this.#resumes += 1
    this.#look()
  }

  /** Tries nothing any more. Settles when what is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  get busy(): boolean {
    return this.#running !== undefined
  }

  #look(): void {
    if (this.#stopped || this.#paused || this.#running !== undefined) return
    clearTimeout(this.#timer)
    const next = this.line.next()
    if (next === undefined) return
    const now = this.#options.now().getTime()
    next.dueAt = Math.min(next.dueAt, now + longestDelayOf(this.#options.schedule, next.attempts))
    this.#notBefore = Math.min(this.#notBefore, now + longestRetryAfter)
    const wait = Math.max(next.dueAt, this.#notBefore) - now
    if (wait > 0) this.#sleep(wait)
    else this.#running = this.#try(next)
  }

  #sleep(milliseconds: number): void {
    this.#timer = setTimeout(() => this.#look(), Math.min(milliseconds, longestSleep))
    this.#timer.unref()
  }

  async #try(pending: Pending): Promise<void> {
    // Whoever adds many events at once is not held up by the first.
    await Promise.resolve()
    const resumes = this.#resumes
    try {
      const after = await this.#options.deliver(pending)
      if (after === 'done') this.line.remove(pending)
      else this.line.settleDown(pending)
      // Told to go on meanwhile, it looks again.
      if (after === 'pause') this.#paused = resumes === this.#resumes
    } catch (error) {
      this.#options.onError(error)
      this.hold(this.#options.now().getTime() + mistakePause)
    }
    this.#running = undefined
    this.#look()
  }
}
