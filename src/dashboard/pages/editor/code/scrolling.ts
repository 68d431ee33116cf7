import type { Text } from '@codemirror/state'
import { type EditorView, ViewPlugin } from '@codemirror/view'
import { outlineOf, type Heading } from '#authoring/outline.ts'
import { linesOf } from './doc-lines.ts'

/** What stands at the top of the window of the text. */
export interface TextSpot {
  /** From 0; with the part of the line that is above the window. */
  readonly line: number
  /** The last one that is ever at the top. */
  readonly lastLine: number
  readonly headings: readonly Heading[]
  /** Somebody writes its end, and sees it. */
  readonly isAtEnd: boolean
}

/** As much as may follow the last words of a text: empty lines. */
const maxBlankEnd = 100

/** @param onScroll somebody looks at another part of the text; at most once a frame */
export function scrolling(onScroll: (spot: TextSpot) => void) {
  return ViewPlugin.fromClass(
    class {
      readonly #view: EditorView
      #frame: number | undefined
      #outline: { readonly doc: Text; readonly headings: readonly Heading[] } | undefined

      constructor(view: EditorView) {
        this.#view = view
        view.scrollDOM.addEventListener('scroll', this.#scrolled, { passive: true })
      }

      destroy(): void {
        this.#view.scrollDOM.removeEventListener('scroll', this.#scrolled)
        if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
      }

      readonly #scrolled = (): void => {
        this.#frame ??= requestAnimationFrame(() => {
          this.#frame = undefined
          // On a phone it is hidden while the page is seen, and has no place then.
          if (this.#view.scrollDOM.clientHeight > 0) onScroll(this.#spot())
        })
      }

      #spot(): TextSpot {
        const { doc } = this.#view.state
        if (this.#outline?.doc !== doc) this.#outline = { doc, headings: outlineOf(linesOf(doc)) }
        const { scrollTop, scrollHeight, clientHeight } = this.#view.scrollDOM
        return {
          line: this.#lineAt(scrollTop),
          lastLine: this.#lineAt(scrollHeight - clientHeight),
          headings: this.#outline.headings,
          isAtEnd: this.#isAtEnd(),
        }
      }

      #isAtEnd(): boolean {
        const { doc, selection } = this.#view.state
        const { scrollTop, clientHeight } = this.#view.scrollDOM
        const { to, bottom } = this.#view.lineBlockAt(selection.main.head)
        // There is room below the last line, so that whoever writes it has not scrolled to the end.
        const isSeen = scrollTop > 0 && bottom + this.#view.documentPadding.top <= scrollTop + clientHeight + 1
        return isSeen && doc.length - to <= maxBlankEnd && doc.sliceString(to).trim() === ''
      }

      /** @param top pixels from the beginning of the text */
      #lineAt(top: number): number {
        const block = this.#view.lineBlockAtHeight(top)
        const line = this.#view.state.doc.lineAt(block.from).number - 1
        return line + Math.min(1, Math.max(0, (top - block.top) / block.height))
      }
    },
  )
}
