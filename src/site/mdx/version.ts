import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dist, root } from '../../lib/paths.ts'

/** What the build makes for rendering, and packages that the built child loads from node_modules. */
const built = [join('render-child', 'main.cjs'), join('icons', 'index.json')]
const outside = ['satteri']

/**
 * Fingerprint of everything that turns source into HTML: the built child (whose parts carry their hashes in their
 * names), its icons, and the packages beside it. Part of each page’s key, so that a new Quire renders anew.
 */
export const rendererVersion: string = fingerprint()

function fingerprint(): string {
  const hash = createHash('sha256')
  for (const name of built) {
    const file = join(dist, name)
    if (existsSync(file)) hash.update(readFileSync(file))
  }
  for (const name of outside) {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string
    }
    hash.update(`${name}@${version}\0`)
  }
  return hash.digest('hex').slice(0, 16)
}
