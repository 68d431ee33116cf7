import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory)
    if (parent === directory) throw new Error('package.json of Quire not found above ' + import.meta.url)
    directory = parent
  }
  return directory
}

/** Folder of package.json: the same whether the code runs bundled from `dist/` or as source in a test. */
export const root = packageRoot()

/** Built files: what `npm run build` makes. */
export const dist = join(root, 'dist')
