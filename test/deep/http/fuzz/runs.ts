import type { Stall } from '#test/support/event-loop/stalls.ts'
import { fuzzSeed } from '#test/support/properties.ts'

/**
 * Inputs for each endpoint, half of them such as it takes. More of them, and others each time:
 * `FUZZ_REQUESTS=500 npx vitest run --project deep http/fuzz`; then it says how many there were, and how each kind was
 * answered. A failure names its seed, which finds it again.
 */
export const runs = Number(process.env['FUZZ_REQUESTS'] ?? 8)
/** Milliseconds for as many inputs as are asked for. */
export const patience = Math.max(60_000, runs * 1500)

/** Counts answers by what was asked. */
export class Tally {
  readonly #counts = new Map<string, Map<number, number>>()

  add(what: string, status: number): void {
    const counts = this.#counts.get(what) ?? new Map<number, number>()
    this.#counts.set(what, counts.set(status, (counts.get(status) ?? 0) + 1))
  }

  /** How often it was answered with what is no refusal. */
  accepted(what: string): number {
    return [...(this.#counts.get(what) ?? [])].reduce((sum, [status, count]) => sum + (status < 400 ? count : 0), 0)
  }

  /** @param stalls of the service meanwhile */
  print(stalls: readonly Stall[]): void {
    if (process.env['FUZZ_REQUESTS'] === undefined) return
    const longest = [...stalls].sort((a, b) => b.ms - a.ms).slice(0, 3)
    const held = longest.map(({ ms, requests }) => `${ms} ms: ${requests.join(', ')}`)
    const lines = [...this.#counts].map(([what, counts]) => {
      const all = [...counts].sort(([a], [b]) => a - b)
      return `${what}: ${all.map(([status, count]) => `${status} ×${count}`).join(', ')}`
    })
    const all = [...this.#counts.values()].flatMap((counts) => [...counts])
    const [sum, accepted] = [all, all.filter(([status]) => status < 400)].map((some) =>
      some.reduce((total, [, count]) => total + count, 0),
    )
    console.log([`seed ${fuzzSeed}: ${sum} inputs, ${accepted} accepted`, ...lines, 'held longest', ...held].join('\n'))
  }
}
