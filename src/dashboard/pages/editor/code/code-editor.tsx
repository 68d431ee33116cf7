import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from '@codemirror/commands'
import { indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap, nextDiagnostic } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, Transaction, type Extension, type Text } from '@codemirror/state'
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
import type { Completer } from '#authoring/language.ts'
import { lineChanges } from '#authoring/merge.ts'
import type { OpenFile } from '../open-file.ts'
import type { TextPort } from '../open-file-state.ts'
import { completion } from './completion.ts'
import { highlighting } from './highlighting.ts'
import { type Problem, showProblems } from './problems.ts'
import { scrolling, type TextSpot } from './scrolling.ts'
import { theme } from './theme.ts'
import { addImages, uploads } from './uploads.ts'
import { typeOverLines, writingKeys } from './writing-keys.ts'

export interface CodeEditorHandle {
  readonly focus: () => void
  readonly goTo: (line: number, column: number) => void
  /** At the cursor, each when it is on the branch. */
  readonly addImages: (images: readonly File[]) => void
  readonly openSearch: () => void
}

interface CodeEditorProps {
  readonly file: OpenFile
  readonly path: string
  readonly readOnly: boolean
  readonly completer: Completer | undefined
  readonly problems: readonly Problem[]
  /** Where it is opened, counted from 1; another one goes there. */
  readonly spot: { readonly line: number; readonly column?: number } | undefined
  readonly onText: () => void
  readonly onScroll: (spot: TextSpot) => void
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

  const { line, column = 1 } = props.spot ?? {}
  useEffect(() => {
    if (line !== undefined) goTo(view.current, line, column)
  }, [line, column, file])

  useImperativeHandle(ref, () => ({
    focus: () => view.current?.focus(),
    goTo: (toLine, toColumn) => goTo(view.current, toLine, toColumn),
    addImages: (images) => {
      if (view.current !== null)
        addImages(view.current, images, {
          upload: (image) => latest.current.upload(image),
          whenClosed: (text) => file.write(text),
        })
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

function goTo(editor: EditorView | null, line: number, column: number): void {
  if (editor === null) return
  const at = editor.state.doc.line(Math.min(Math.max(line, 1), editor.state.doc.lines))
  const anchor = Math.min(at.from + column - 1, at.to)
  editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) })
  editor.focus()
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
    uploads((image) => latest().isImage(image), {
      upload: (image) => latest().upload(image),
      whenClosed: (text) => file.write(text),
    }),
    scrolling((spot) => latest().onScroll(spot)),
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
  const changesTo = (text: string): TextChange[] => {
    const { doc } = editor.state
    const lineStart = (line: number): number => (line < doc.lines ? doc.line(line + 1).from : doc.length)
    return lineChanges(doc.toString(), text).map(({ from, to, lines }) =>
      withoutSame(doc, { from: lineStart(from), to: lineStart(to), insert: lines.join('') }),
    )
  }
  return {
    text: () => editor.state.doc.toString(),
    replace: (text) => {
      const annotations = [Transaction.remote.of(true), Transaction.addToHistory.of(false)]
      editor.dispatch({ changes: changesTo(text), annotations })
    },
    write: (text) => editor.dispatch({ changes: changesTo(text), annotations: isolateHistory.of('full') }),
  }
}

interface TextChange {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Without what is the same at both its ends: whoever writes in that line stays at the same words. */
function withoutSame(doc: Text, { from, to, insert }: TextChange): TextChange {
  const before = doc.sliceString(from, to)
  const most = Math.min(before.length, insert.length)
  let head = 0
  while (head < most && before[head] === insert[head]) head++
  let tail = 0
  while (tail < most - head && before.at(-1 - tail) === insert.at(-1 - tail)) tail++
  return { from: from + head, to: to - tail, insert: insert.slice(head, insert.length - tail) }
}
