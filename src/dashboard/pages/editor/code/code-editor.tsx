import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap, nextDiagnostic } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, Transaction, type Extension } from '@codemirror/state'
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import type { Completer } from '../../../../authoring/language.ts'
import { lineChanges } from '../../../../authoring/merge.ts'
import type { OpenFile, TextPort } from '../open-file.ts'
import { completion } from './completion.ts'
import { highlighting } from './highlighting.ts'
import { type Problem, showProblems } from './problems.ts'
import { theme } from './theme.ts'
import { uploads } from './uploads.ts'
import { typeOverLines, writingKeys } from './writing-keys.ts'

export interface CodeEditorHandle {
  readonly goTo: (line: number, column: number) => void
  readonly insert: (text: string) => void
  readonly openSearch: () => void
}

interface CodeEditorProps {
  readonly file: OpenFile
  readonly path: string
  readonly readOnly: boolean
  readonly completer: Completer | undefined
  readonly problems: readonly Problem[]
  readonly onText: () => void
  readonly isImage: (file: File) => boolean
  /** @returns what to write for it */
  readonly upload: (file: File) => Promise<string | undefined>
  readonly ref?: Ref<CodeEditorHandle>
}

/**
 * The text of a file. It lives in a shadow tree: CodeMirror’s styles are style sheets of that tree, and the policy of the
 * page, which allows no style elements, has nothing to say about them.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { file, problems, ref } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  // What the editor asks is what was given last; made anew it would forget cursor and history.
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    if (host.current === null) return undefined
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({ root, parent: root, state: stateOf(latest.current, () => latest.current) })
    view.current = editor
    const detach = file.attach(portOf(editor))
    return () => {
      detach()
      editor.destroy()
      view.current = null
    }
  }, [file])

  useEffect(() => {
    const editor = view.current
    if (editor !== null) editor.dispatch(showProblems(editor.state, problems))
  }, [problems, file])

  useImperativeHandle(ref, () => ({
    goTo: (line, column) => {
      const editor = view.current
      if (editor === null) return
      const at = editor.state.doc.line(Math.min(Math.max(line, 1), editor.state.doc.lines))
      const anchor = Math.min(at.from + column - 1, at.to)
      editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
      editor.focus()
    },
    insert: (text) => {
      const editor = view.current
      editor?.dispatch(editor.state.replaceSelection(text), { userEvent: 'input' })
      editor?.focus()
    },
    openSearch: () => {
      const editor = view.current
      if (editor === null) return
      editor.focus()
      searchKeymap.find(({ key }) => key === 'Mod-f')?.run?.(editor)
    },
  }))

  return <div ref={host} style={{ height: '100%' }} />
}

function stateOf(props: CodeEditorProps, latest: () => CodeEditorProps): EditorState {
  const { file, path, readOnly, completer } = props
  const isProse = /\.mdx?$/i.test(path)
  const extensions: Extension[] = [
    lineNumbers(),
    lintGutter(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    dropCursor(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    indentUnit.of('  '),
    search({ top: true }),
    EditorView.lineWrapping,
    // Room for what is told below the text: it comes when the cursor is at the end.
    EditorView.scrollMargins.of(() => ({ bottom: 96 })),
    EditorState.readOnly.of(readOnly),
    EditorView.editable.of(!readOnly),
    EditorView.contentAttributes.of({
      'aria-label': `Text of ${path}`,
      spellcheck: String(isProse),
      ...(readOnly && { tabindex: '0' }),
    }),
    highlighting(path),
    typeOverLines,
    completer === undefined ? [] : completion(completer),
    keymap.of([
      ...(isProse ? writingKeys : []),
      { key: 'F8', run: nextDiagnostic },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...lintKeymap,
      ...defaultKeymap,
      indentWithTab,
    ]),
    uploads(
      (image) => latest().isImage(image),
      (image) => latest().upload(image),
    ),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return
      if (!update.transactions.every((one) => one.annotation(Transaction.remote) === true)) file.typed()
      latest().onText()
    }),
    theme,
  ]
  return EditorState.create({ doc: file.text, extensions })
}

/** What others changed comes in line by line: the cursor, and what is selected, stay where they are in the text. */
function portOf(editor: EditorView): TextPort {
  return {
    text: () => editor.state.doc.toString(),
    replace: (text) => {
      const { doc } = editor.state
      const lineStart = (line: number): number => (line < doc.lines ? doc.line(line + 1).from : doc.length)
      const changes = lineChanges(doc.toString(), text).map(({ from, to, lines }) => ({
        from: lineStart(from),
        to: lineStart(to),
        insert: lines.join(''),
      }))
      editor.dispatch({ changes, annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)] })
    },
  }
}
