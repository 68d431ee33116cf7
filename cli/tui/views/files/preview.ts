import { fileSize } from '../../../output.ts'
import type { App } from '../../app/app.ts'
import { LinesPane } from '../../app/dialogs/reader.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Pane } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles, OpenedFile } from '../../data/branch-files.ts'
import { ProsePane } from '../../panes/prose.ts'
import { isImage, isPage, markdownFor } from './page-paths.ts'

/** Milliseconds on one file before it is read: who runs through the list wants none of those between. */
const restMs = 120
/** Characters that are shown: nobody reads on here. */
const mostShown = 100_000

/** What the selected file looks like, beside the list of files: a page as readers see it. */
export class FilePreview {
  readonly #app: App
  readonly #files: BranchFiles
  #pane: Pane = new LinesPane(() => [])
  #path: string | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(app: App, files: BranchFiles) {
    this.#app = app
    this.#files = files
  }

  get pane(): Pane {
    return this.#pane
  }

  get path(): string | undefined {
    return this.#path
  }

  /** Shows a file soon; undefined: nothing. */
  show(path: string | undefined): void {
    if (path === this.#path) return
    this.#path = path
    clearTimeout(this.#timer)
    if (path === undefined) this.#pane = new LinesPane(() => [])
    else this.#timer = setTimeout(() => void this.#load(path), restMs)
  }

  /** The file may be another one than it was. */
  reload(): void {
    const path = this.#path
    this.#path = undefined
    this.show(path)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  async #load(path: string): Promise<void> {
    let pane: Pane
    try {
      pane = this.#paneOf((await this.#files.read(path)).value)
    } catch (error) {
      // Whoever opens it is told; here it is only looked at.
      pane = textPane(error instanceof Error ? error.message : String(error))
    }
    if (path !== this.#path) return
    this.#pane = pane
    this.#app.refresh()
  }

  #paneOf({ path, text, size }: OpenedFile): Pane {
    if (text === undefined)
      return textPane(`${isImage(path) ? 'An image' : 'No text'}, ${fileSize(size)}.\n\n${markdownFor(path)}`)
    if (!isPage(path)) return textPane(text.slice(0, mostShown))
    const pane = new ProsePane({ onChange: () => this.#app.refresh(), format: path.endsWith('.md') ? 'md' : 'mdx' })
    pane.show(text.slice(0, mostShown))
    return pane
  }
}

function textPane(text: string): Pane {
  let ready: { readonly width: number; readonly lines: readonly Line[] } | undefined
  return new LinesPane((width) => {
    if (ready?.width !== width) ready = { width, lines: linesOf(text, width) }
    return ready.lines
  })
}

function linesOf(text: string, width: number): Line[] {
  return text.split('\n').flatMap((line) => wrapText(shown(line), width).map((piece) => [span(piece)]))
}
