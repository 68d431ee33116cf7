import type { BranchFiles } from '../../data/branch-files.ts'
import type { PageIndex } from '../../../../src/authoring/link-completion.ts'
import { outlineOf } from '../../../../src/authoring/outline.ts'
import { fragmentOf } from '../../../../src/authoring/fragment.ts'

/** A longer page is not read for its headings. */
const longestRead = 500_000

/** What the pages of a branch can link to: the list of its files, and the headings of those that were asked about. */
export class BranchIndex implements PageIndex {
  readonly #files: BranchFiles
  #pages: readonly { readonly path: string }[] = []
  #images: readonly string[] = []
  readonly #anchors = new Map<string, readonly string[] | undefined>()

  constructor(files: BranchFiles) {
    this.#files = files
  }

  /** Without the list there is nothing to complete: that is no failure of what the person does. */
  async load(): Promise<void> {
    const paths = await this.#files.list().then(
      ({ value }) => value.filter(({ status }) => status !== 'deleted').map(({ path }) => path),
      () => [],
    )
    this.#pages = paths.filter((path) => /\.mdx?$/i.test(path)).map((path) => ({ path }))
    this.#images = paths.filter((path) => /\.(?:png|jpe?g|gif|svg|webp|avif|ico)$/i.test(path))
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
    const text = await this.#files.read(path).then(
      ({ value }) => value.text ?? '',
      () => '',
    )
    const { lines } = fragmentOf(text.length > longestRead ? '' : text)
    const headings = outlineOf({ count: lines.length, at: (line) => lines[line] ?? '' })
    this.#anchors.set(
      path,
      headings.map(({ anchor }) => anchor),
    )
  }
}
