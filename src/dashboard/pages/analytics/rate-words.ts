import type { Helpful } from '#contract/analytics.ts'

/** “83 %”; “–” where nobody has answered. */
export function rateWords({ yes, no }: Helpful): string {
  return yes + no === 0 ? '–' : `${Math.round((yes / (yes + no)) * 100)} %`
}
