import type { ProjectFile } from '#contract/files.ts'

/** A visible row of a tree: a file, or a folder, whose path ends in a slash. */
export interface TreeRow {
  readonly path: string
  readonly name: string
  readonly depth: number
  /** Absent: a folder. */
  readonly file?: ProjectFile
}

/** A folder: its files stand side by side in the sorted list. */
interface Folder {
  readonly path: string
  readonly depth: number
  readonly from: number
  readonly to: number
}

/** A project of so many files is shown with all of its folders open. */
const smallProject = 40

/**
 * The rows of a tree of files. Only what is open is ever looked at: a folder is a stretch of the sorted list of paths,
 * and a closed one is passed over by bisection, so that tens of thousands of files cost no more than those in sight.
 */
export class TreeRows {
  #files: readonly ProjectFile[] = []
  #rows: TreeRow[] = []
  #changed = new Set<string>()
  readonly #open = new Set<string>()

  get rows(): readonly TreeRow[] {
    return this.#rows
  }

  get files(): readonly ProjectFile[] {
    return this.#files
  }

  /** In any order. Folders that were open stay so. */
  set files(files: readonly ProjectFile[]) {
    const isFirst = this.#files.length === 0
    this.#files = isSorted(files) ? files : files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    this.#changed = new Set(files.filter(({ status }) => status !== 'unchanged').flatMap(({ path }) => foldersOf(path)))
    if (isFirst && files.length <= smallProject)
      for (const { path } of files) for (const folder of foldersOf(path)) this.#open.add(folder)
    this.#rows = this.#rowsBelow(this.#root)
  }

  isOpen(folder: string): boolean {
    return this.#open.has(folder)
  }

  /** Something below a folder was changed by the branch. */
  isChanged(folder: string): boolean {
    return this.#changed.has(folder)
  }

  /** Index of the row of a path; -1 where it is not visible. */
  indexOf(path: string): number {
    return this.#rows.findIndex((row) => row.path === path)
  }

  open(folder: string): void {
    if (this.#open.has(folder)) return
    this.#open.add(folder)
    const at = this.indexOf(folder)
    const row = this.#rows[at]
    if (row === undefined) return
    const below = this.#rowsBelow(this.#folderOf(row))
    this.#rows = this.#rows.slice(0, at + 1).concat(below, this.#rows.slice(at + 1))
  }

  close(folder: string): void {
    if (!this.#open.delete(folder)) return
    const at = this.indexOf(folder)
    if (at < 0) return
    let end = at + 1
    while (this.#rows[end]?.path.startsWith(folder) === true) end += 1
    this.#rows = this.#rows.slice(0, at + 1).concat(this.#rows.slice(end))
  }

  /** The file of a path. */
  find(path: string): ProjectFile | undefined {
    const file = this.#files[bisect(0, this.#files.length, (index) => this.#pathAt(index) < path)]
    return file?.path === path ? file : undefined
  }

  /** Opens the folders above a path. */
  reveal(path: string): void {
    for (const folder of foldersOf(path)) this.open(folder)
  }

  get #root(): Folder {
    return { path: '', depth: 0, from: 0, to: this.#files.length }
  }

  #folderOf({ path, depth }: TreeRow): Folder {
    const from = bisect(0, this.#files.length, (index) => this.#pathAt(index) < path)
    return { path, depth: depth + 1, from, to: this.#endOf(path, from, this.#files.length) }
  }

  #rowsBelow(folder: Folder): TreeRow[] {
    const rows: TreeRow[] = []
    const files: TreeRow[] = []
    let at = folder.from
    while (at < folder.to) {
      const file = this.#files[at]
      if (file === undefined) break
      const slash = file.path.indexOf('/', folder.path.length)
      if (slash < 0) {
        files.push({ path: file.path, name: file.path.slice(folder.path.length), depth: folder.depth, file })
        at += 1
        continue
      }
      const path = file.path.slice(0, slash + 1)
      const to = this.#endOf(path, at, folder.to)
      rows.push({ path, name: path.slice(folder.path.length, -1), depth: folder.depth })
      if (this.#open.has(path))
        for (const row of this.#rowsBelow({ path, depth: folder.depth + 1, from: at, to })) rows.push(row)
      at = to
    }
    return rows.concat(files)
  }

  /** Where the files of a folder end that begin at `from`. */
  #endOf(folder: string, from: number, to: number): number {
    return bisect(from, to, (index) => this.#pathAt(index).startsWith(folder))
  }

  #pathAt(index: number): string {
    return this.#files[index]?.path ?? ''
  }
}

/** The folders that a path lies in, the outermost first: `a/`, `a/b/` of `a/b/c.mdx`. */
export function foldersOf(path: string): string[] {
  const folders: string[] = []
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1))
    if (slash + 1 < path.length) folders.push(path.slice(0, slash + 1))
  return folders
}

/** The first index from which on `holds` is false. */
function bisect(from: number, to: number, holds: (index: number) => boolean): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}

function isSorted(files: readonly ProjectFile[]): boolean {
  return files.every(({ path }, index) => index === 0 || (files[index - 1]?.path ?? '') < path)
}
