import { RangeSetBuilder, type Text } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { highlighterOf } from '#authoring/highlighter.ts'
import type { Highlighter } from '#authoring/language.ts'
import type { Lines } from '#authoring/lines.ts'
import type { TextStyle } from '#authoring/text-style.ts'

const marks = new Map<TextStyle, Decoration>()

/** Styles are each made once: alike is the same. */
function markOf(style: TextStyle): Decoration {
  const known = marks.get(style)
  if (known !== undefined) return known
  const names = [
    style.color !== undefined && `q-${style.color}`,
    style.bold === true && 'q-bold',
    style.italic === true && 'q-italic',
    style.strikethrough === true && 'q-struck',
  ]
  const mark = Decoration.mark({ class: names.filter(Boolean).join(' ') })
  marks.set(style, mark)
  return mark
}

/** Colours of the lines that are seen, by the same tokenizers as in the terminal. */
export function highlighting(path: string) {
  return ViewPlugin.define((view) => new Colors(view, path), { decorations: (colors) => colors.decorations })
}

class Colors {
  decorations: DecorationSet = Decoration.none
  readonly #highlighter: Highlighter | undefined
  #doc: Text
  #isRefined = false

  constructor(view: EditorView, path: string) {
    this.#doc = view.state.doc
    const doc = (): Text => this.#doc
    const lines: Lines = {
      get count() {
        return doc().lines
      },
      at: (line) => doc().line(line + 1).text,
    }
    this.#highlighter = highlighterOf(path, lines, () => {
      this.#isRefined = true
      view.dispatch()
    })
    this.decorations = this.#paint(view)
  }

  update(update: ViewUpdate): void {
    this.#doc = update.state.doc
    if (update.docChanged) this.#follow(update)
    if (!update.docChanged && !update.viewportChanged && !this.#isRefined) return
    this.#isRefined = false
    this.decorations = this.#paint(update.view)
  }

  /** From the last change to the first, so that the lines of those before keep their numbers. */
  #follow({ startState, changes }: ViewUpdate): void {
    const before = startState.doc
    const found: { readonly line: number; readonly removed: number; readonly added: number }[] = []
    changes.iterChangedRanges((fromA, toA, fromB, toB) => {
      const line = before.lineAt(fromA).number
      const removed = before.lineAt(toA).number - line + 1
      const added = this.#doc.lineAt(toB).number - this.#doc.lineAt(fromB).number + 1
      found.push({ line: line - 1, removed, added })
    })
    for (const change of found.toReversed()) this.#highlighter?.changed(change)
  }

  #paint(view: EditorView): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>()
    if (this.#highlighter === undefined) return builder.finish()
    for (const { from, to } of view.visibleRanges) {
      const last = this.#doc.lineAt(to).number
      for (let number = this.#doc.lineAt(from).number; number <= last; number++) {
        const start = this.#doc.line(number).from
        for (const range of this.#highlighter.ranges(number - 1))
          builder.add(start + range.from, start + range.to, markOf(range.style))
      }
    }
    return builder.finish()
  }
}
