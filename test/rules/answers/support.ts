import type { Steps } from '#lib/slices.ts'
import type { PageArtifact } from '#site/page.ts'

/** The result of work in steps, done at once. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

export function artifact(html: string, more: Partial<PageArtifact> = {}): Buffer {
  return Buffer.from(JSON.stringify({ title: 'Page', html, headings: [], features: [], ...more }))
}
