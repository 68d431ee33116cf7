import type { ProjectFile } from '#contract/files.ts'

export interface Folder {
  readonly name: string
  /** With a slash at its end; that of all files is empty. */
  readonly path: string
  readonly folders: readonly Folder[]
  readonly files: readonly ProjectFile[]
}

interface Growing extends Folder {
  readonly folders: Growing[]
  readonly files: ProjectFile[]
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
const byName = (one: { readonly path: string }, other: { readonly path: string }): number =>
  collator.compare(one.path, other.path)

/** Files by folders, each in the order of their names. */
export function treeOf(files: readonly ProjectFile[]): Folder {
  const root: Growing = { name: '', path: '', folders: [], files: [] }
  const known = new Map<string, Growing>([['', root]])
  const folderAt = (path: string): Growing => {
    const found = known.get(path)
    if (found !== undefined) return found
    const cut = path.lastIndexOf('/', path.length - 2) + 1
    const folder: Growing = { name: path.slice(cut, -1), path, folders: [], files: [] }
    known.set(path, folder)
    folderAt(path.slice(0, cut)).folders.push(folder)
    return folder
  }
  for (const file of files) folderAt(file.path.slice(0, file.path.lastIndexOf('/') + 1)).files.push(file)
  for (const folder of known.values()) {
    folder.folders.sort(byName)
    folder.files.sort(byName)
  }
  return root
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
