import type { References } from './inline.ts'
import type { Node } from './node.ts'
import type { Row } from './row.ts'

/** Where blocks are put. */
export interface Container {
  readonly width: number
  readonly references: References
  /** Lists around it. */
  readonly lists: number
  /** Elements, quotes and lists around it. */
  readonly depth: number
  /** Blocks one under the other. */
  readonly blocks: (nodes: readonly Node[], container: Container, isTight?: boolean) => Row[]
}

const narrowest = 8

/** A container in this one, narrower by some columns. */
export function within(container: Container, less: number): Container {
  return { ...container, width: Math.max(narrowest, container.width - less), depth: container.depth + 1 }
}
