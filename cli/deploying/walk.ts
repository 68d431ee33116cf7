import { type Dirent, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import { type Rules, ignoreFiles, isIgnored, rulesAbove, rulesIn } from './ignore-rules.ts'

/** What a folder holds and no ignore file names. */
export interface WalkEntry {
  readonly name: string
  /** Below the folder that is walked, `/`-separated. */
  readonly path: string
  readonly absolute: string
  readonly type: 'file' | 'directory' | 'symbolic-link' | 'other'
}

/**
 * Everything below a folder that is not a folder itself, by name, without what ignore files name.
 * @param wants Asked of each folder before it is entered, and of each file. Nothing hidden is wanted by anyone: that holds
 * settings and secrets; it is asked for so that it can be told.
 * @param enters Told of each folder, with the names in it, before they are asked for.
 * @throws Failure invalid_request for an ignore file or a folder that cannot be read.
 */
export async function* walk(
  directory: string,
  wants: (entry: WalkEntry) => boolean,
  enters: (directory: string, names: readonly string[]) => void = () => undefined,
): AsyncGenerator<WalkEntry> {
  const root = resolve(directory)
  yield* walkBelow(root, '', await rulesAbove(root), { wants, enters })
}

interface Visitor {
  readonly wants: (entry: WalkEntry) => boolean
  readonly enters: (directory: string, names: readonly string[]) => void
}

async function* walkBelow(
  directory: string,
  base: string,
  above: readonly Rules[],
  visitor: Visitor,
): AsyncGenerator<WalkEntry> {
  const entries = entriesOf(directory)
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  // Most folders have none, and looking for each costs more than the folder.
  const named = ignoreFiles.filter((name) => entries.some((entry) => entry.name === name))
  const rules = named.length === 0 ? above : [...above, ...(await rulesIn(directory, named))]
  visitor.enters(
    directory,
    entries.map(({ name }) => name),
  )
  for (const found of entries) {
    const absolute = join(directory, found.name)
    if (isIgnored(absolute, found.isDirectory(), rules)) continue
    const type = found.isDirectory()
      ? 'directory'
      : found.isFile()
        ? 'file'
        : found.isSymbolicLink()
          ? 'symbolic-link'
          : 'other'
    const entry: WalkEntry = { name: found.name, path: base + found.name, absolute, type }
    if (!visitor.wants(entry) || found.name.startsWith('.')) continue
    if (type === 'directory') yield* walkBelow(absolute, `${entry.path}/`, rules, visitor)
    else yield entry
  }
}

/** One after the other either way: without a thread for each, it takes a fraction. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw new Failure('invalid_request', `The folder ${directory} cannot be read (${String(error.code)}).`, {
      hint: 'Make it readable, or leave it out with a .quireignore.',
      cause: error,
    })
  }
}
