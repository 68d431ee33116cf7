import type { PageIndex } from './link-completion.ts'
import { fragmentOf } from './fragment.ts'
import { outlineOf } from './outline.ts'
import { isImage, isPage } from './page-paths.ts'

/** A longer page is not read for its headings. */
const longestRead = 500_000

/** What the pages of a branch can link to: the list of its files, and the headings of those that were asked about. */
export class BranchIndex implements PageIndex {
  readonly #readText: (path: string) => Promise<string>
  readonly #anchors = new Map<string, readonly string[] | undefined>()
  #pages: readonly { readonly path: string }[] = []
  #images: readonly string[] = []

  /** @param readText of a page; where it cannot be read, the page has no headings to link to */
  constructor(readText: (path: string) => Promise<string>) {
    this.#readText = readText
  }

  /** @param files of the branch as they are now */
  show(files: readonly { readonly path: string; readonly status?: string }[]): void {
    const paths = files.filter(({ status }) => status !== 'deleted').map(({ path }) => path)
    this.#pages = paths.filter(isPage).map((path) => ({ path }))
    this.#images = paths.filter(isImage)
    this.#anchors.clear()
  }

  pages(): readonly { readonly path: string }[] {
    return this.#pages
  }

  images(): readonly string[] {
    return this.#images
  }

  /** Undefined at first: they are there for one of the next keys. */
  anchors(path: string): readonly string[] | undefined {
    if (!this.#anchors.has(path)) {
      this.#anchors.set(path, undefined)
      void this.#read(path)
    }
    return this.#anchors.get(path)
  }

  async #read(path: string): Promise<void> {
    const text = await this.#readText(path).catch(() => '')
    const { lines } = fragmentOf(text.length > longestRead ? '' : text)
    const headings = outlineOf({ count: lines.length, at: (line) => lines[line] ?? '' })
    this.#anchors.set(
      path,
      headings.map(({ anchor }) => anchor),
    )
  }
}
