import type { ErrorDetail } from '../../contract/common.ts'

/** CPU time that a build has beside that of its pages. */
export const buildCpuMs = 60_000
/** And for each page. */
const pageCpuMs = 100
const named = 3

/** What the pages of one build cost, all together. */
export class Budget {
  readonly #baseMs: number
  #pages = 0
  #spentMs = 0
  #costliest: readonly { readonly path: string; readonly cpuMs: number }[] = []

  constructor(baseMs = buildCpuMs) {
    this.#baseMs = baseMs
  }

  /** A page more. */
  add(): void {
    this.#pages++
  }

  /** A page has ended. Returns the error of the build when that was too much, at its costliest page. */
  spend(path: string, cpuMs: number): ErrorDetail | undefined {
    this.#spentMs += cpuMs
    this.#costliest = [...this.#costliest, { path, cpuMs }].sort((a, b) => b.cpuMs - a.cpuMs).slice(0, named)
    const allowedMs = this.#baseMs + this.#pages * pageCpuMs
    const [worst] = this.#costliest
    if (this.#spentMs <= allowedMs || worst === undefined) return undefined
    const names = this.#costliest.map((page) => `${page.path} (${seconds(page.cpuMs)})`).join(', ')
    const message =
      `The build is given up: its pages took ${seconds(this.#spentMs)} of processor time together, ` +
      `and ${seconds(allowedMs)} are allowed. The costliest: ${names}. ` +
      'Split them or make them simpler (expressions, long code blocks and tables cost most), and deploy again.'
    return { path: worst.path, message }
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
