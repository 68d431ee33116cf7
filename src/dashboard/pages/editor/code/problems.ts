import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { ErrorDetail } from '#contract/common.ts'

export interface Problem extends ErrorDetail {
  readonly severity: 'error' | 'warning'
}

/** Shows what the service said of a text at its places. */
export function showProblems(state: EditorState, problems: readonly Problem[]): TransactionSpec {
  return setDiagnostics(
    state,
    problems.map((problem) => diagnosticOf(state, problem)),
  )
}

/** From the place to the end of the word there, or of the line. */
function diagnosticOf({ doc }: EditorState, { line = 1, column, message, severity }: Problem): Diagnostic {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines))
  const from = Math.min(at.from + (column ?? 1) - 1, at.to)
  const word =
    column === undefined ? undefined : /^[^\s<>{}()[\]]+/.exec(doc.sliceString(from + 1, Math.min(at.to, from + 81)))
  const to = column === undefined ? at.to : Math.min(at.to, from + 1 + (word?.[0].length ?? 0))
  return { from, to, severity, message }
}
