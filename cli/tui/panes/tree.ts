import type { FileStatus, ProjectFile } from '#contract/files.ts'
import { chordOf, typedBy, type Input, type Key, type Mouse } from '../canvas/input.ts'
import { fit, span } from '../canvas/lines.ts'
import type { Hint, Pane, Size } from '../canvas/pane.ts'
import type { Line, Span, Style } from '../canvas/style.ts'
import { shown } from '../canvas/width.ts'
import { foldersOf, TreeRows, type TreeRow } from './tree-rows.ts'

interface TreePaneOptions {
  /** Enter, or a second click. */
  readonly onOpen: (file: ProjectFile) => void
  /** Another row is selected. */
  readonly onSelect?: () => void
  /** A text was pasted, such as the path of a file that was dropped on the window. */
  readonly onPaste?: (text: string) => void
  /** Shown where there are no files. */
  readonly empty: string
}

const marks: Readonly<Record<FileStatus, { readonly mark: string; readonly style?: Style }>> = {
  unchanged: { mark: ' ' },
  added: { mark: '+', style: { color: 'success' } },
  modified: { mark: '~', style: { color: 'warning' } },
  deleted: { mark: '-', style: { color: 'danger', strikethrough: true } },
}

const wheelRows = 3

/** Files in their folders, which fold. */
export class TreePane implements Pane {
  /** Shown where there are no files. */
  empty: string
  readonly #options: TreePaneOptions
  readonly #tree = new TreeRows()
  #drafts: ReadonlySet<string> = new Set()
  #draftFolders: ReadonlySet<string> = new Set()
  /** What a name is to begin with; undefined: keys are commands. */
  #typed: string | undefined
  #at = 0
  #top = 0
  #height = 1

  constructor(options: TreePaneOptions) {
    this.#options = options
    this.empty = options.empty
  }

  get files(): readonly ProjectFile[] {
    return this.#tree.files
  }

  /** What is selected stays so, or its neighbour is. */
  set files(files: readonly ProjectFile[]) {
    const before = this.selected?.path
    this.#tree.files = files
    const at = before === undefined ? -1 : this.#tree.indexOf(before)
    this.#at = at < 0 ? Math.max(0, Math.min(this.#at, this.#tree.rows.length - 1)) : at
  }

  /** Paths of files with a text here that is not saved on the branch. */
  set drafts(drafts: ReadonlySet<string>) {
    this.#drafts = drafts
    this.#draftFolders = new Set([...drafts].flatMap(foldersOf))
  }

  get selected(): TreeRow | undefined {
    return this.#tree.rows[this.#at]
  }

  get typing(): boolean {
    return this.#typed !== undefined
  }

  get hints(): readonly Hint[] {
    const row = this.selected
    if (row === undefined) return []
    const open = { chord: 'enter', word: row.file === undefined && this.#tree.isOpen(row.path) ? 'fold' : 'open' }
    return this.#typed === undefined ? [open] : [open, { chord: 'escape', word: 'end' }]
  }

  /** What was typed of a name that is gone to. */
  get typed(): string | undefined {
    return this.#typed
  }

  /** Letters go to the next row whose name begins so, until another key. */
  goTo(): void {
    this.#typed = ''
  }

  /** The file of a path. */
  find(path: string): ProjectFile | undefined {
    return this.#tree.find(path)
  }

  /** The folder that the selection is, or lies in; empty for the root. */
  get folder(): string {
    const path = this.selected?.path ?? ''
    return path.slice(0, path.lastIndexOf('/') + 1)
  }

  /** Selects a file or folder, and opens the folders that it lies in. */
  reveal(path: string): void {
    this.#tree.reveal(path)
    const at = this.#tree.indexOf(path)
    if (at >= 0) this.#select(at)
  }

  draw(size: Size): readonly Line[] {
    const { rows } = this.#tree
    if (rows.length === 0) return [[span(this.empty, { color: 'muted' })]]
    const wasSeen = this.#at >= this.#top && this.#at < this.#top + this.#height
    this.#height = Math.max(1, size.height)
    this.#top = Math.max(0, Math.min(this.#top, rows.length - this.#height))
    // What is selected stays in sight where a long message, or a smaller window, takes rows.
    if (wasSeen) this.#top = Math.max(this.#top, this.#at - this.#height + 1)
    const visible = rows.slice(this.#top, this.#top + size.height)
    return visible.map((row, index) => this.#line(row, this.#top + index === this.#at, size.width))
  }

  input(input: Input): boolean {
    if (input.type === 'mouse') return this.#mouse(input.mouse)
    if (input.type === 'paste') {
      this.#options.onPaste?.(input.text)
      return this.#options.onPaste !== undefined
    }
    if (this.#type(input.key)) return true
    const act = this.#keys[chordOf(input.key)]
    if (act === undefined || this.#tree.rows.length === 0) return false
    act()
    return true
  }

  spoken(): string {
    const row = this.selected
    if (row === undefined) return this.empty
    const place = `${this.#at + 1} of ${this.#tree.rows.length}`
    if (row.file === undefined)
      return [`${shown(row.path)} folder`, this.#tree.isOpen(row.path) ? 'open' : 'closed', place].join(', ')
    const { status } = row.file
    const state = status === 'unchanged' ? [] : [status]
    const draft = this.#drafts.has(row.path) ? ['not saved'] : []
    return [shown(row.path), ...state, ...draft, place].join(', ')
  }

  /** @returns whether the key was of a name that is typed; any other one ends that */
  #type(key: Key): boolean {
    if (this.#typed === undefined) return false
    const typed = typedBy(key)
    if (typed !== undefined) return this.#jump(this.#typed + typed)
    const chord = chordOf(key)
    this.#typed = chord === 'backspace' ? this.#typed.slice(0, -1) : undefined
    return chord === 'backspace' || chord === 'escape'
  }

  /** A letter that no name goes on with is not taken; the same one again goes to the next. */
  #jump(typed: string): boolean {
    const { rows } = this.#tree
    const [first = ''] = typed
    const isAgain = typed === first.repeat(typed.length)
    for (const [name, from] of [[typed, this.#at], ...(isAgain ? [[first, this.#at + 1] as const] : [])] as const) {
      for (let step = 0; step < rows.length; step++) {
        const at = (from + step) % rows.length
        if (rows[at]?.name.toLowerCase().startsWith(name.toLowerCase()) !== true) continue
        this.#typed = name
        this.#select(at)
        return true
      }
    }
    return true
  }

  readonly #keys: Readonly<Record<string, () => void>> = {
    up: () => this.#select(this.#at - 1),
    down: () => this.#select(this.#at + 1),
    pageup: () => this.#select(this.#at - this.#height + 1),
    pagedown: () => this.#select(this.#at + this.#height - 1),
    home: () => this.#select(0),
    end: () => this.#select(this.#tree.rows.length - 1),
    left: () => this.#fold(),
    right: () => this.#unfold(),
    enter: () => this.#open(),
  }

  #select(at: number): void {
    const before = this.#at
    this.#at = Math.max(0, Math.min(at, this.#tree.rows.length - 1))
    if (this.#at < this.#top) this.#top = this.#at
    if (this.#at >= this.#top + this.#height) this.#top = this.#at - this.#height + 1
    if (this.#at !== before) this.#options.onSelect?.()
  }

  /** Closes the folder; of what is closed or a file, goes to the folder that it lies in. */
  #fold(): void {
    const row = this.selected
    if (row === undefined) return
    if (row.file === undefined && this.#tree.isOpen(row.path)) return this.#tree.close(row.path)
    const parent = foldersOf(row.path).at(-1)
    if (parent !== undefined) this.#select(this.#tree.indexOf(parent))
  }

  #unfold(): void {
    const row = this.selected
    if (row === undefined || row.file !== undefined) return
    if (this.#tree.isOpen(row.path)) this.#select(this.#at + 1)
    else this.#tree.open(row.path)
  }

  #open(): void {
    const row = this.selected
    if (row === undefined) return
    if (row.file !== undefined) this.#options.onOpen(row.file)
    else if (this.#tree.isOpen(row.path)) this.#tree.close(row.path)
    else this.#tree.open(row.path)
  }

  #mouse({ action, button, row }: Mouse): boolean {
    if (action === 'wheelUp' || action === 'wheelDown') {
      this.#top = Math.max(0, this.#top + (action === 'wheelUp' ? -wheelRows : wheelRows))
      return true
    }
    const at = this.#top + row
    if (action !== 'press' || button !== 'left' || at >= this.#tree.rows.length) return false
    const again = at === this.#at
    this.#select(at)
    // Folders open at once: a click has no other meaning there.
    if (again || this.selected?.file === undefined) this.#open()
    return true
  }

  #line(row: TreeRow, isSelected: boolean, width: number): Line {
    const line = [span('  '.repeat(row.depth)), ...this.#pieces(row)]
    if (!isSelected) return line
    const background = 'selected'
    return fit(
      line.map((piece) => ({ ...piece, style: { ...piece.style, background } })),
      width,
      { background },
    )
  }

  #pieces(row: TreeRow): Span[] {
    const name = shown(row.name)
    if (row.file !== undefined) {
      const { mark, style } = marks[row.file.status]
      const isDraft = this.#drafts.has(row.path)
      return [
        isDraft ? span('● ', { color: 'accent' }) : span(`${mark} `, style?.color && { color: style.color }),
        span(name, style),
        ...(isDraft ? [span('  not saved', { color: 'accent', dim: true })] : []),
      ]
    }
    const isOpen = this.#tree.isOpen(row.path)
    const pieces = [span(isOpen ? '▾ ' : '▸ ', { color: 'muted' }), span(`${name}/`, { bold: true })]
    // What is folded away must not hide that there is something to see.
    if (!isOpen && this.#draftFolders.has(row.path)) pieces.push(span(' ●', { color: 'accent' }))
    else if (!isOpen && this.#tree.isChanged(row.path)) pieces.push(span(' ~', { color: 'warning' }))
    return pieces
  }
}
