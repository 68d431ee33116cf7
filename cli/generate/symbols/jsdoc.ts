import type { Node } from 'web-tree-sitter'
import type { Source } from './source.ts'
import { commentText, isComment } from './source.ts'

/** What stands at the top of a module or in a namespace. */
export interface Statement {
  readonly node: Node
  readonly doc: string | undefined
}

/** The comment of JSDoc right above a node. */
export function docOf(source: Source, nodes: readonly Node[], index: number): string | undefined {
  let at = index - 1
  // Decorators of members are siblings of what they decorate.
  while (nodes[at]?.type === 'decorator') at -= 1
  const comment = nodes[at]
  if (comment === undefined || !isComment(comment)) return undefined
  const text = source.textOf(comment)
  return text.startsWith('/**') ? commentText(text) : undefined
}

/** Its author says that it is not for others. */
export const isInternal = (doc: string | undefined): boolean => doc !== undefined && /@(?:internal|private)\b/.test(doc)
