import { realpath } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import type { OutputFolder } from './output-folder.ts'
import { projectName, type Project } from './project.ts'
import { readText, scan } from './source/scan.ts'
import { readSymbols } from './symbols/read.ts'
import type { FileSymbols } from './symbols/symbol.ts'

/** Reads what is to be documented. The pages themselves are no source, also where they are in the same folder. */
export async function openSource(directory: string, folder: OutputFolder): Promise<Project> {
  const real = async (path: string): Promise<string> => realpath(path).catch(() => resolve(path))
  const [source, output] = [await real(directory), await real(folder.root)]
  // All that is in the folder of the pages is deployed with them.
  if (!/^\.\.(?:[\\/]|$)/.test(relative(output, source)))
    throw new Failure('invalid_request', 'The pages need a folder of their own, without the source in it.', {
      hint: 'Name one: quire generate . -o docs',
    })
  const below = relative(source, output)
  const { root, files, skipped } = await scan(directory, { except: [resolve(directory, below)] })
  if (files.length === 0)
    throw new Failure('invalid_request', `${directory} holds no source to document.`, {
      hint: 'Hidden files, what .gitignore and .quireignore name, secrets and binaries are left out.',
    })
  const byPath = new Map(files.map((file) => [file.path, file]))
  const symbols = new Map<string, FileSymbols>()
  const tree = new Set(byPath.keys())
  for (const file of files) {
    if (file.kind !== 'source') continue
    const read = await readSymbols(file.path, await readText(file), tree)
    if (read !== undefined) symbols.set(file.path, read)
  }
  const project = { root, files: byPath, skipped, symbols }
  return { ...project, name: await projectName(project) }
}
