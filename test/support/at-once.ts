import type { Steps } from '#lib/slices.ts'

/** What work in steps comes to, without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
