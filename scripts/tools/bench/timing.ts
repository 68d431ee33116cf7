import { median } from './machine.ts'

/** A measured thing: milliseconds of every run. */
export interface Timing {
  readonly name: string
  readonly runs: readonly number[]
  /** What else belongs to the figure. */
  readonly note?: string
}

/** Milliseconds that the work took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** A timing as text: runs, median, 99th percentile, worst. */
export function formatTiming({ name, runs, note = '' }: Timing): string[] {
  const ms = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(1))
  const sorted = runs.toSorted((a, b) => a - b)
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN
  return [name, String(runs.length), ms(median(runs)), ms(p99), ms(sorted.at(-1) ?? NaN), note]
}
