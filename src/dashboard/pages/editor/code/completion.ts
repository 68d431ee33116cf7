import {
  autocompletion,
  type Completion as Option,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { Completer, Completion } from '#authoring/language.ts'
import { linesOf } from './doc-lines.ts'

/** Offers what the completer knows at the cursor: as it is typed, and when asked for with Ctrl+Space. */
export function completion(completer: Completer): Extension {
  const source = ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const line = state.doc.lineAt(pos)
    const at = { line: line.number - 1, column: pos - line.from }
    const list = completer.complete(linesOf(state.doc), at, explicit)
    if (list === undefined) return null
    // They are in their order, and asked for again at each key.
    return { from: line.from + list.from, options: list.items.map(optionOf), filter: false }
  }
  return autocompletion({ override: [source], icons: false, maxRenderedOptions: 40 })
}

function optionOf({ label, insert, caret = insert.length, detail }: Completion): Option {
  return {
    label,
    ...(detail !== undefined && { detail }),
    apply: (view: EditorView, _option: Option, from: number, to: number) => {
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: from + caret },
        userEvent: 'input.complete',
        scrollIntoView: true,
      })
      // Between the quotation marks of a property there may be more to choose from.
      if (insert[caret - 1] === '"') startCompletion(view)
    },
  }
}
