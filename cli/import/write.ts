import { statSync } from 'node:fs'
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import type { NewFile } from './import.ts'

/** @throws Failure where there is no such folder. */
export function checkSource(source: string): void {
  const stats = statSync(source, { throwIfNoEntry: false })
  if (stats?.isDirectory() === true) return
  throw new Failure('invalid_request', `${source} is ${stats === undefined ? 'not there' : 'a file, and no folder'}.`, {
    hint: 'Name a folder, or the address of a Git repository: quire import https://github.com/acme/docs',
  })
}

/** @throws Failure where the folder has files, unless they may be overwritten, or where it would be imported itself. */
export async function checkTarget(target: string, source: string, force: boolean): Promise<void> {
  const path = relative(resolve(source), resolve(target))
  if (path === '')
    throw new Failure('invalid_request', 'A site is not imported into its own folder.', {
      hint: 'Name another one: --to <folder>',
    })
  const names = await readdir(target).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return []
    throw new Failure('invalid_request', `${target} is no folder that can be written.`, {
      hint: 'Name another one: --to <folder>',
      cause: error,
    })
  })
  if (names.length > 0 && !force)
    throw new Failure('invalid_request', `${target} has files already.`, {
      hint: 'Name a new folder with --to, or overwrite what has the same name with --force.',
    })
}

/** Writes the files of the new site. Others that are in the folder stay. */
export async function writeSite(
  files: readonly NewFile[],
  { target, source }: { readonly target: string; readonly source: string },
): Promise<void> {
  const root = resolve(target)
  for (const file of files) {
    const absolute = join(root, file.path)
    // Paths come from a stranger’s files.
    if (!absolute.startsWith(root + sep)) continue
    await mkdir(dirname(absolute), { recursive: true })
    if ('text' in file) await writeFile(absolute, file.text)
    else await copyFile(join(source, file.from), absolute)
  }
}
