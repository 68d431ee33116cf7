import { fileSize } from '#cli/output.ts'
import type { App } from '../../app/app.ts'
import { LinesPane } from '../../app/dialogs/reader.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Pane } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles, OpenedFile } from '../../data/branch-files.ts'
import { ProsePane } from '../../panes/prose.ts'
import { detached } from '#authoring/fragment.ts'
import { isImage, isPage, markdownFor } from '#authoring/page-paths.ts'

/** Milliseconds on one file before it is read: who runs through the list wants none of those between. */
const restMs = 120
/** Bytes of a file that is not fetched only to be looked at. */
const mostRead = 1024 * 1024
/** Characters that are shown: nobody reads on here. */
const mostShown = 100_000

/** What the selected file looks like, beside the list of files: a page as readers see it. */
export class FilePreview {
  readonly #app: App
  readonly #files: BranchFiles
  readonly #sizeOf: (path: string) => number
  #pane: Pane = new LinesPane(() => [])
  #path: string | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param sizeOf bytes of a file, as far as that is known */
  constructor(app: App, files: BranchFiles, sizeOf: (path: string) => number) {
    this.#app = app
    this.#files = files
    this.#sizeOf = sizeOf
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
    const size = this.#sizeOf(path)
    try {
      pane = size > mostRead ? largePane(path, size) : this.#paneOf((await this.#files.read(path)).value)
    } catch (error) {
      // Whoever opens it is told; here it is only looked at.
      pane = textPane(error instanceof Error ? error.message : String(error))
    }
    if (path !== this.#path) return
    this.#pane = pane
    this.#app.refresh()
  }

  #paneOf({ path, text, size }: OpenedFile): Pane {
    if (text === undefined) return textPane(aboutText(path, size, isImage(path) ? 'An image' : 'No text'))
    const beginning = text.length > mostShown ? detached(text.slice(0, mostShown)) : text
    if (!isPage(path)) return textPane(beginning)
    const pane = new ProsePane({ onChange: () => this.#app.refresh(), format: path.endsWith('.md') ? 'md' : 'mdx' })
    pane.show(beginning)
    return pane
  }
}

function aboutText(path: string, size: number, what: string): string {
  return `${what}, ${fileSize(size)}.\n\n${markdownFor(path)}`
}

function largePane(path: string, size: number): Pane {
  if (isImage(path)) return textPane(aboutText(path, size, 'An image'))
  return textPane(`${fileSize(size)}: too much to be shown beside the list. Enter opens it.`)
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
