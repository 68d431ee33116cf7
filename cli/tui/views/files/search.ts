import { contract } from '#contract/index.ts'
import { searchLimits, type SearchMatch, type SearchResult } from '#contract/searches.ts'
import { Failure } from '#contract/failure.ts'
import { count } from '#cli/output.ts'
import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import { fit, span } from '../../canvas/lines.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { Workspace } from '../../data/workspace.ts'
import { FieldList } from '../../panes/field-list.ts'
import { searchOffline } from './offline-search.ts'
import type { FileLocation } from '../shared/problems.ts'

interface SearchOptions {
  readonly app: App
  readonly workspace: Workspace
  readonly files: BranchFiles
  /** Where to look while the service cannot be reached. */
  readonly paths: () => readonly string[]
  readonly onOpen: (place: FileLocation) => void
}

/** Milliseconds without a key before the service is asked. */
const pauseMs = 250

/** Looks for a text in all files of a branch. */
export class SearchView implements View {
  readonly title = 'Search'
  readonly about =
    'Looks for a text in all files, within one line each. Capitals count when you type some. Enter opens the page there.'
  readonly typing = true
  readonly #options: SearchOptions
  readonly #pane: FieldList<SearchMatch>
  #timer: NodeJS.Timeout | undefined
  #asked = new AbortController()

  constructor(options: SearchOptions) {
    this.#options = options
    this.#pane = new FieldList<SearchMatch>({
      label: 'Search: ',
      placeholder: `in the files of ${options.files.branch}`,
      row: (match, { width }) => matchLine(match, width),
      text: ({ path, line, text }) => `${shown(path)}, line ${line}: ${shown(text)}`,
      onChange: (text) => this.#changed(text),
      onOpen: ({ path, line, column }) => options.onOpen({ path, line, column }),
    })
  }

  layout({ width, height }: Size): readonly Region[] {
    return [{ pane: this.#pane, row: 0, column: 0, width, height }]
  }

  commands(): readonly Command[] {
    return []
  }

  closed(): void {
    clearTimeout(this.#timer)
    this.#asked.abort()
  }

  #changed(text: string): void {
    clearTimeout(this.#timer)
    this.#asked.abort()
    const query = text.trim()
    if (query === '') {
      this.#pane.items = []
      this.#pane.remark = []
      return
    }
    this.#remark('Searching …')
    this.#timer = setTimeout(() => void this.#search(query.slice(0, searchLimits.text)), pauseMs)
  }

  async #search(query: string): Promise<void> {
    const { app } = this.#options
    const asked = new AbortController()
    this.#asked = asked
    try {
      const { result, isKept } = await this.#ask(query, asked.signal)
      if (asked.signal.aborted) return
      this.#pane.items = result.items
      this.#remark(remarkOf(result, isKept))
    } catch (error) {
      if (asked.signal.aborted) return
      this.#remark('')
      app.fail(error)
    }
    app.refresh()
  }

  /** What is kept here, where the service cannot be asked. */
  async #ask(query: string, signal: AbortSignal): Promise<{ result: SearchResult; isKept: boolean }> {
    const { files, paths, workspace } = this.#options
    const kept = async () => ({ result: await searchOffline(files, { paths: paths(), query, signal }), isKept: true })
    // The sample has all of its files here, and no service.
    if (workspace.readOnly) return kept()
    try {
      return { result: await this.#askService(query, signal), isKept: false }
    } catch (error) {
      const isAway = error instanceof Failure && error.code === 'unavailable'
      if (!isAway && workspace.connection === 'online') throw error
      return kept()
    }
  }

  #askService(q: string, signal: AbortSignal): Promise<SearchResult> {
    const { client } = this.#options.workspace
    const { slug, branchId } = this.#options.files
    const options = { query: { q }, signal }
    return branchId === undefined
      ? client.call(contract.files.search, { params: { slug }, ...options })
      : client.call(contract.branches.search, { params: { slug, id: branchId }, ...options })
  }

  #remark(text: string): void {
    this.#pane.remark = [span(text, { color: 'muted' })]
  }
}

function remarkOf({ items, truncated, searched }: SearchResult, isKept: boolean): string {
  const where = isKept ? `in ${count(searched, 'page')} that this machine keeps` : `in ${count(searched, 'file')}`
  if (items.length === 0) return `Nothing found ${where}.`
  return `${count(items.length, 'line')} ${where}${truncated ? '; there may be more' : ''}`
}

function matchLine({ path, line, text, start, end }: SearchMatch, width: number): Line {
  const place = `${shown(path)}:${line}`
  const cells = Math.min(40, Math.floor(width * 0.4))
  // What is found is to be seen: of a long line, what stands before it is cut.
  const from = Math.max(0, start - Math.floor((width - cells) / 2))
  const before = (from === 0 ? '' : '…') + shown(text.slice(from, start)).trimStart()
  return [
    ...fit([span(place, { color: 'muted' })], cells),
    span('  '),
    span(before),
    span(shown(text.slice(start, end)), { background: 'match' }),
    span(shown(text.slice(end))),
  ]
}
