import type { Completion, CompletionList } from './language.ts'
import type { Lines } from './lines.ts'
import { outlineOf } from './outline.ts'
import { addressOf } from './page-paths.ts'
import { ranked } from './ranking.ts'

/** What the branch has to link to. Paths are those of files, such as `guides/start.mdx`. Asked at every key: cheap. */
export interface PageIndex {
  pages(): readonly { readonly path: string; readonly title?: string }[]
  /** Of another page; undefined where they are not known yet. */
  anchors(path: string): readonly string[] | undefined
  images(): readonly string[]
}

/** Pages, and behind `#` their headings, for what was typed of an address. */
export function linkCompletions(index: PageIndex, lines: Lines, typed: string, column: number): CompletionList {
  const hash = typed.indexOf('#')
  if (hash !== -1) return anchorCompletions(index, lines, typed.slice(0, hash), typed.slice(hash + 1), column)
  const pages = index
    .pages()
    .filter(({ path }) => !path.startsWith('snippets/'))
    .map(({ path, title }) => ({ address: addressOf(path), title }))
  const items = found(pages, typed).map(({ address, title }): Completion => ({
    label: address,
    insert: address,
    ...(title === undefined ? {} : { detail: title }),
  }))
  return { from: column - typed.length, items }
}

interface Page {
  readonly address: string
  readonly title: string | undefined
}

/** By address, and where that says nothing by title. */
function found(pages: readonly Page[], typed: string): Page[] {
  const bare = typed.replace(/^\.?\//, '')
  const byAddress = ranked(pages, bare, ({ address }) => address.slice(1))
  if (bare === '' || byAddress.length > 10) return byAddress
  const known = new Set(byAddress)
  const byTitle = ranked(pages, bare, ({ title }) => title ?? '')
  return [...byAddress, ...byTitle.filter((page) => !known.has(page))].slice(0, 40)
}

function anchorCompletions(
  index: PageIndex,
  lines: Lines,
  address: string,
  typed: string,
  column: number,
): CompletionList {
  const from = column - typed.length
  if (address === '') {
    const headings = outlineOf(lines)
    const items = ranked(headings, typed, ({ anchor }) => anchor).map(({ anchor, text }) => ({
      label: `#${anchor}`,
      insert: anchor,
      detail: text,
    }))
    return { from, items }
  }
  const page = index.pages().find(({ path }) => addressOf(path) === address.replace(/\/$/, ''))
  const anchors = page === undefined ? [] : (index.anchors(page.path) ?? [])
  const items = ranked(anchors, typed, (anchor) => anchor).map((anchor) => ({ label: `#${anchor}`, insert: anchor }))
  return { from, items }
}

export function imageCompletions(index: PageIndex, typed: string, column: number): CompletionList {
  const images = index.images().map((path) => `/${path.replace(/^\//, '')}`)
  const items = ranked(images, typed.replace(/^\.?\//, '/'), (path) => path)
  return { from: column - typed.length, items: items.map((path) => ({ label: path, insert: path })) }
}

/** Files that a page can import. */
export function snippetCompletions(index: PageIndex, typed: string, column: number): CompletionList {
  const snippets = index
    .pages()
    .filter(({ path }) => path.startsWith('snippets/'))
    .map(({ path }) => `/${path}`)
  const items = ranked(snippets, typed, (path) => path).map((path) => ({ label: path, insert: path }))
  return { from: column - typed.length, items }
}
