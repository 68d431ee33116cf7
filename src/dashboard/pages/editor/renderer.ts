import type { BranchRender } from '#contract/branches.ts'
import { isFailure } from '../../client.ts'
import { renderPage, type BranchRef } from '../../queries/files.ts'

/** Without a key before the text is sent, and the longest that keys put it off. */
const debounceMs = 60
const maxDebounceMs = 180
/** What takes longer than this makes way for a newer text. */
const maxRenderMs = 1_500
/** Before it is tried again when too many asked, or nobody answers. */
const retryDelayMs = 5_000

interface RendererOptions {
  readonly branchRef: BranchRef
  readonly path: string
  readonly text: () => string
  /** What is shown at first where the text has a mistake. */
  readonly saved: () => string
  readonly onRender: (render: BranchRender) => void
  /** The service cannot say what the text looks like now. */
  readonly onFailure: (error: unknown) => void
}

/** Asks for the page as it would look, at the writer’s pauses: one request at a time, then the newest text. */
export class Renderer {
  readonly #options: RendererOptions
  #timer: ReturnType<typeof setTimeout> | undefined
  #waitsSince = 0
  #request: { readonly controller: AbortController; readonly since: number } | undefined
  #isWanted = false
  #hasPage = false
  #isStopped = false
  /** Until then the service asked for rest, or did not answer: keys do not cut it short. */
  #restsUntil = 0

  constructor(options: RendererOptions) {
    this.#options = options
    this.#isWanted = true
    void this.#ask()
  }

  /** The text is another one. */
  changed(): void {
    if (!this.#isWanted) this.#waitsSince = performance.now()
    this.#isWanted = true
    const waited = performance.now() - this.#waitsSince
    this.#later(Math.max(0, Math.min(debounceMs, maxDebounceMs - waited)))
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#request?.controller.abort()
  }

  #later(delay: number): void {
    clearTimeout(this.#timer)
    const left = this.#restsUntil - performance.now()
    this.#timer = setTimeout(() => void this.#ask(), Math.max(delay, left))
  }

  async #ask(): Promise<void> {
    if (this.#isStopped || !this.#isWanted) return
    if (this.#request !== undefined) {
      if (performance.now() - this.#request.since < maxRenderMs) return
      this.#request.controller.abort()
    }
    const { branchRef, path, text, saved, onRender, onFailure } = this.#options
    const request = { controller: new AbortController(), since: performance.now() }
    this.#request = request
    this.#isWanted = false
    try {
      const { signal } = request.controller
      const render = await renderPage(branchRef, path, text(), signal)
      const isFirst = !this.#hasPage
      this.#hasPage = true
      const before =
        isFirst && render.html === undefined ? await renderPage(branchRef, path, saved(), signal) : undefined
      if (!signal.aborted) onRender(before === undefined ? render : { ...before, ...render })
    } catch (error) {
      if (request.controller.signal.aborted) return
      onFailure(error)
      if (isFailure(error, 'rate_limited', 'unavailable')) {
        this.#isWanted = true
        this.#restsUntil = performance.now() + retryDelayMs
      }
    } finally {
      if (this.#request === request) this.#request = undefined
    }
    if (this.#isWanted) this.#later(0)
  }
}
