import type { Check } from '../contract/checks.ts'
import type { ErrorDetail } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import type { Marker } from './language.ts'

/** So long nobody has typed. */
const restMilliseconds = 600
/** Where the service says for how long it wants to be left alone, that; else this. */
const pauseMilliseconds = 5_000
/** UTF-16 units. What is longer is checked when it is saved. */
const longestChecked = 1_000_000

/** What the compiler says of the page as it is being written. */
export interface CheckState {
  /** `none`: it was not asked yet. */
  readonly kind: 'none' | 'checking' | 'done' | 'offline' | 'failed' | 'tooLong'
  readonly markers: readonly Marker[]
  /** Problems of the page without a line, and those of other files, in sentences. */
  readonly elsewhere: readonly string[]
  /** Of `failed`. */
  readonly reason?: string
}

export interface CheckerOptions {
  readonly path: string
  readonly text: () => string
  /** UTF-16 units of the text: known without joining its lines. */
  readonly length: () => number
  /** Of the text: an answer counts for the one that was asked about. */
  readonly version: () => number
  readonly isOffline: () => boolean
  readonly ask: (text: string, signal: AbortSignal) => Promise<Check>
  readonly onChange: (state: CheckState) => void
}

/** Asks the service about a page when nobody types: one question at a time, and no answer counts for a later text. */
export class PageChecker {
  readonly #options: CheckerOptions
  #state: CheckState = { kind: 'none', markers: [], elsewhere: [] }
  #timer: ReturnType<typeof setTimeout> | undefined
  #abort: AbortController | undefined

  constructor(options: CheckerOptions) {
    this.#options = options
  }

  get state(): CheckState {
    return this.#state
  }

  /** The text is another one. */
  changed(after = restMilliseconds): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#check(), after)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#abort?.abort()
  }

  async #check(): Promise<void> {
    // Whoever waits for an answer asks again behind it.
    if (this.#abort !== undefined) return
    const { text, length, version, isOffline, ask, path } = this.#options
    if (isOffline()) return this.#become({ ...this.#state, kind: 'offline' })
    const asked = version()
    if (length() > longestChecked) return this.#become({ kind: 'tooLong', markers: [], elsewhere: [] })
    this.#abort = new AbortController()
    const { signal } = this.#abort
    this.#become({ ...this.#state, kind: 'checking' })
    try {
      const check = await ask(text(), signal)
      if (!signal.aborted && version() === asked) this.#become({ kind: 'done', ...problemsOf(check, path) })
    } catch (error) {
      if (!signal.aborted) this.#failed(error)
    } finally {
      this.#abort = undefined
    }
    if (!signal.aborted && version() !== asked) this.changed()
  }

  #failed(error: unknown): void {
    if (!(error instanceof Failure)) throw error
    const isOffline = error.code === 'unavailable' || this.#options.isOffline()
    this.#become({ ...this.#state, kind: isOffline ? 'offline' : 'failed', reason: error.message })
    if (error.code === 'rate_limited') this.changed((error.retryAfter ?? 0) * 1_000 || pauseMilliseconds)
  }

  #become(state: CheckState): void {
    this.#state = state
    this.#options.onChange(state)
  }
}

function problemsOf({ errors, warnings }: Check, path: string): Pick<CheckState, 'markers' | 'elsewhere'> {
  const all = [
    ...errors.map((problem) => ({ problem, severity: 'error' as const })),
    ...warnings.map((problem) => ({ problem, severity: 'warning' as const })),
  ]
  const isHere = ({ path: own, line }: ErrorDetail): boolean => own === path && line !== undefined
  const markers = all.flatMap(({ problem, severity }): Marker[] =>
    isHere(problem)
      ? [
          {
            line: (problem.line ?? 1) - 1,
            ...(problem.column === undefined ? {} : { column: problem.column - 1 }),
            severity,
            message: problem.message,
          },
        ]
      : [],
  )
  const elsewhere = all.flatMap(({ problem }) =>
    isHere(problem) ? [] : [`${problem.path === undefined ? '' : `${problem.path}: `}${problem.message}`],
  )
  return { markers, elsewhere }
}
