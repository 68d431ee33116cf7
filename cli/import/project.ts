import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'

/** Folders in which nobody keeps pages, and that may be huge. */
const skipped = new Set(['.git', 'node_modules', '.docusaurus', '.next', '.astro', '.cache', '.venv', '__pycache__'])
const maxFiles = 200_000
/** A settings file or a page that is larger is none. */
const maxText = 4 * 1024 * 1024

/** The folder that is imported. Links are not followed: of a stranger’s repository they may lead anywhere. */
export class Project {
  readonly directory: string
  /** All files, `/`-separated, by name. */
  readonly files: readonly string[]
  readonly #known: ReadonlySet<string>

  constructor(directory: string) {
    this.directory = directory
    this.files = filesIn(directory)
    this.#known = new Set(this.files)
  }

  has(path: string): boolean {
    return this.#known.has(path)
  }

  /** The text of a file; undefined where there is none, or one that is too large. */
  text(path: string): string | undefined {
    if (!this.has(path)) return undefined
    const absolute = this.absolute(path)
    if (statSync(absolute).size > maxText) return undefined
    return readFileSync(absolute, 'utf8')
      .replace(/^\uFEFF/, '')
      .replaceAll('\r\n', '\n')
  }

  absolute(path: string): string {
    return join(this.directory, path)
  }

  /** Files in a folder and below, with their paths in the project. */
  below(folder: string): readonly string[] {
    return folder === '' ? this.files : this.files.filter((path) => path.startsWith(`${folder}/`))
  }

  /** The first of these files that is there. */
  first(...paths: readonly string[]): string | undefined {
    return paths.find((path) => this.has(path))
  }
}

function filesIn(directory: string): string[] {
  const files: string[] = []
  const folders = ['']
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(join(directory, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(path)
      else if (entry.isFile()) files.push(path)
      if (files.length > maxFiles)
        throw new Failure('invalid_request', `${directory} has more than ${maxFiles} files.`, {
          hint: 'Name the folder of the documentation.',
        })
    }
  }
  return files.sort()
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    const why = code === 'ENOENT' ? 'is not there' : code === 'ENOTDIR' ? 'is a file' : `cannot be read (${code})`
    throw new Failure('invalid_request', `${directory} ${why}.`, {
      hint: 'Name a folder, or the address of a Git repository.',
      cause: error,
    })
  }
}

/** A path from a folder of the project; undefined where it leads out of it. */
export function pathFrom(folder: string, relative: string): string | undefined {
  const path = posix.normalize(posix.join(folder, relative)).replace(/^\.\//, '').replace(/\/$/, '')
  return path.startsWith('..') ? undefined : path === '.' ? '' : path
}
