import type { Text } from '@codemirror/state'
import { type EditorView, ViewPlugin } from '@codemirror/view'
import { outlineOf, type Heading } from '../../../../authoring/outline.ts'
import { linesOf } from './doc-lines.ts'

/** What stands at the top of the window of the text. */
export interface TextSpot {
  /** From 0; with the part of the line that is above the window. */
  readonly line: number
  /** What stands at the top when the last line comes into sight. */
  readonly lastLine: number
  readonly headings: readonly Heading[]
}

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
        const { scrollTop, clientHeight } = this.#view.scrollDOM
        const top = scrollTop - this.#view.documentPadding.top
        // Whoever writes the last line sees it, and little of what is below it.
        const lastTop = this.#view.lineBlockAt(doc.length).bottom - clientHeight
        return {
          line: this.#lineAt(top),
          lastLine: this.#lineAt(lastTop),
          headings: this.#outline.headings,
        }
      }

      /** @param top pixels from the beginning of the first line */
      #lineAt(top: number): number {
        const block = this.#view.lineBlockAtHeight(top)
        const line = this.#view.state.doc.lineAt(block.from).number - 1
        return line + Math.min(1, Math.max(0, (top - block.top) / block.height))
      }
    },
  )
}
