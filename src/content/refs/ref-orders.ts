import type { RefUpdate } from '../repository.ts'

/** Updates that go together, all or none, and who waits for them. */
export interface RefOrder {
  readonly updates: readonly RefUpdate[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Git writes and flushes the refs of a transaction one after another: more would keep the first waiting. */
const mostTogether = 32

/**
 * Takes from the front of a queue what can share a transaction: orders about different refs, none of which is a folder
 * of another. Nobody overtakes anybody.
 */
export function takeTogether(waiting: RefOrder[]): RefOrder[] {
  const taken: RefOrder[] = []
  const names = new Set<string>()
  for (const order of waiting) {
    if (taken.length === mostTogether) break
    if (order.updates.some(({ ref }) => clashes(ref, names))) break
    taken.push(order)
    for (const { ref } of order.updates) names.add(ref)
  }
  waiting.splice(0, taken.length)
  return taken
}

function clashes(ref: string, names: ReadonlySet<string>): boolean {
  if (names.has(ref)) return true
  for (const name of names) if (name.startsWith(`${ref}/`) || ref.startsWith(`${name}/`)) return true
  return false
}
