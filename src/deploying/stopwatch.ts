import type { DeployStage } from '../contract/deploys.ts'

const rounded = (ms: number): number => Math.round(ms * 10) / 10

/** Milliseconds of the stages of one deploy. Stages may overlap: their sum can be more than the total. */
export class Stopwatch {
  readonly #start: number
  readonly #stages = new Map<DeployStage, number>()

  /** @param start of the deploy, by `performance.now()`. */
  constructor(start: number) {
    this.#start = start
  }

  /** Notes that a stage took from `since` until now. */
  lap(stage: DeployStage, since: number): void {
    this.#stages.set(stage, rounded(performance.now() - since))
  }

  async time<T>(stage: DeployStage, work: () => Promise<T>): Promise<T> {
    const since = performance.now()
    try {
      return await work()
    } finally {
      this.lap(stage, since)
    }
  }

  stages(): Record<string, number> {
    return Object.fromEntries(this.#stages)
  }

  total(): number {
    return rounded(performance.now() - this.#start)
  }
}
