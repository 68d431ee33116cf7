import type { ProjectFile } from '#contract/files.ts'
import { count } from '#cli/output.ts'
import { fit, lineWidth, slice, span } from '../../canvas/lines.ts'
import type { Line, Span } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { FieldList } from '../../panes/field-list.ts'
import { mostResults, PathSearch, type FoundPath } from './path-search.ts'

interface PathFinderOptions {
  readonly files: readonly ProjectFile[]
  /** They come first, while nothing is typed. */
  readonly drafts: ReadonlySet<string>
  readonly onOpen: (path: string) => void
  readonly onSelect: (path: string | undefined) => void
  readonly onClose: () => void
  /** Something was typed: the list should be as the branch is now. */
  readonly onType: () => void
  readonly refresh: () => void
}

/** Finds a file by some letters of its path. */
export class PathFinder {
  readonly pane: FieldList<FoundPath>
  readonly #search: PathSearch
  /** What was typed for what is shown. */
  #shownFor: string | undefined
  #count: number

  constructor({ files, drafts, onOpen, onSelect, onClose, onType, refresh }: PathFinderOptions) {
    this.#count = files.length
    this.pane = new FieldList<FoundPath>({
      label: '/ ',
      placeholder: 'some letters of a path',
      row: ({ path, indexes }, { width }) => foundLine(path, indexes, width),
      text: ({ path }) => shown(path),
      key: ({ path }) => path,
      onChange: (text) => {
        this.#search.search(text)
        onType()
      },
      onOpen: ({ path }) => onOpen(path),
      onSelect: (found) => onSelect(found?.path),
      onClose,
    })
    this.#search = new PathSearch(ordered(files, drafts), (found) => {
      const { value } = this.pane
      if (value === this.#shownFor) this.pane.renew(found)
      else this.pane.items = found
      this.#shownFor = value
      this.pane.remark = [span(this.#remark(value.trim() !== '', found.length), { color: 'muted' })]
      refresh()
    })
    this.#search.search('')
  }

  /** There are other files. */
  renew(files: readonly ProjectFile[], drafts: ReadonlySet<string>): void {
    this.#count = files.length
    this.#search.paths = ordered(files, drafts)
    this.#search.search(this.pane.value)
  }

  #remark(isTyped: boolean, found: number): string {
    if (found === 0) return 'Nothing matches.'
    if (!isTyped) return count(this.#count, 'file')
    // More are not listed, so nobody knows how many there are.
    const matching = found < mostResults ? `${found}` : `The best ${found}`
    return `${matching} of ${count(this.#count, 'file')}`
  }

  /** There is something to be taken, or may be in a moment. */
  get mayHaveFound(): boolean {
    return this.#search.isAtWork || this.pane.selected !== undefined
  }

  /** What is selected, for what is typed now: who types fast takes the best of it, not what was shown before. */
  take(): string | undefined {
    this.#search.finish()
    return this.pane.selected?.path
  }

  close(): void {
    this.#search.stop()
  }
}

/** What somebody is at work on, before all else. */
function ordered(files: readonly ProjectFile[], drafts: ReadonlySet<string>): string[] {
  const own: string[] = []
  const others: string[] = []
  for (const { path, status } of files) (status === 'added' || status === 'modified' ? own : others).push(path)
  return own.sort((a, b) => Number(drafts.has(b)) - Number(drafts.has(a))).concat(others)
}

/** The end of a path tells more than its beginning: that is cut. */
function foundLine(path: string, indexes: readonly number[], width: number): Line {
  const line = marked(path, indexes)
  const own = lineWidth(line)
  return own <= width ? line : fit([span('…'), ...slice(line, own - width + 1, own)], width)
}

/** A text with some of its characters marked as what was looked for. */
function marked(text: string, indexes: readonly number[]): Line {
  const pieces: Span[] = []
  let from = 0
  const put = (end: number, isMatch: boolean): void => {
    if (end > from)
      pieces.push(span(shown(text.slice(from, end)), isMatch ? { color: 'accent', bold: true } : undefined))
    from = end
  }
  for (let at = 0; at < indexes.length;) {
    let last = at
    while (indexes[last + 1] === (indexes[last] ?? 0) + 1) last += 1
    put(indexes[at] ?? 0, false)
    put((indexes[last] ?? 0) + 1, true)
    at = last + 1
  }
  put(text.length, false)
  return pieces
}
