import { basename } from 'node:path'
import { readText } from './source/scan.ts'
import type { SkippedFile, SourceFile } from './source/source-file.ts'
import type { FileSymbols } from './symbols/symbol.ts'

/** What is to be documented: the files of a folder, and what they offer. */
export interface Project {
  /** Absolute path of the source folder. */
  readonly root: string
  readonly name: string
  /** Sorted by path. */
  readonly files: ReadonlyMap<string, SourceFile>
  readonly skipped: readonly SkippedFile[]
  /** Of files in a language that is read. */
  readonly symbols: ReadonlyMap<string, FileSymbols>
}

/** The text of a file of the project. */
export async function textOf(project: Project, path: string): Promise<string> {
  const file = project.files.get(path)
  return file === undefined ? '' : readText(file)
}

/** Files that others can use something of: each belongs on a page, or is left out by name. */
export function exportingFiles({ files, symbols }: Project): string[] {
  return [...files.values()]
    .filter(({ path, kind }) => kind === 'source' && (symbols.get(path)?.symbols.length ?? 0) > 0)
    .map(({ path }) => path)
}

/** The name of the package as its manifest has it, else of the folder. */
export async function projectName(project: Omit<Project, 'name'>): Promise<string> {
  const manifest = project.files.get('package.json')
  if (manifest !== undefined) {
    try {
      const value: unknown = JSON.parse(await readText(manifest))
      if (typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string')
        return value.name.slice(0, 100)
    } catch {
      // A manifest that is no JSON has no name to tell.
    }
  }
  for (const [path, pattern] of manifests) {
    const file = project.files.get(path)
    const found = file === undefined ? null : pattern.exec(await readText(file))
    if (found?.[1] !== undefined) return found[1].slice(0, 100)
  }
  return basename(project.root)
}

const manifests: readonly (readonly [path: string, name: RegExp])[] = [
  ['pyproject.toml', /^name\s*=\s*"([^"\n]+)"/m],
  ['Cargo.toml', /^name\s*=\s*"([^"\n]+)"/m],
  ['go.mod', /^module\s+(\S+)/m],
  ['pom.xml', /<artifactId>([^<\n]+)<\/artifactId>/],
]
