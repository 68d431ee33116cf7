import type { Text } from '@codemirror/state'
import type { Lines } from '#authoring/lines.ts'

/** A text of CodeMirror as the tools for writers read it. */
export function linesOf(doc: Text): Lines {
  return { count: doc.lines, at: (line) => doc.line(line + 1).text }
}
