import type { ProjectFile } from '../../../../src/contract/files.ts'
import { count } from '../../../output.ts'
import { fit, lineWidth, slice, span } from '../../canvas/lines.ts'
import type { Line, Span } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { FieldList } from '../../panes/field-list.ts'
import { PathSearch, type FoundPath } from '../../panes/path-search.ts'

interface PathFinderOptions {
  readonly files: readonly ProjectFile[]
  /** They come first, while nothing is typed. */
  readonly drafts: ReadonlySet<string>
  readonly onOpen: (path: string) => void
  readonly onSelect: (path: string | undefined) => void
  readonly onClose: () => void
  readonly refresh: () => void
}

/** Finds a file by some letters of its path. */
export class PathFinder {
  readonly pane: FieldList<FoundPath>
  readonly #search: PathSearch

  constructor({ files, drafts, onOpen, onSelect, onClose, refresh }: PathFinderOptions) {
    this.pane = new FieldList<FoundPath>({
      label: '/ ',
      placeholder: 'some letters of a path',
      row: ({ path, indexes }, { width }) => foundLine(path, indexes, width),
      text: ({ path }) => shown(path),
      onChange: (text) => this.#search.search(text),
      onOpen: ({ path }) => onOpen(path),
      onSelect: (found) => onSelect(found?.path),
      onClose,
    })
    this.#search = new PathSearch(ordered(files, drafts), (found, isDone) => {
      this.pane.items = found
      const total = count(files.length, 'file')
      this.pane.remark = [span(isDone && found.length === 0 ? 'Nothing matches.' : total, { color: 'muted' })]
      refresh()
    })
    this.#search.search('')
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
