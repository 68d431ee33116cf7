import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { dist, root } from '../../paths.ts'

/** Packages that the built child loads from node_modules instead of holding them. */
const outside = ['satteri']

/**
 * Fingerprint of everything that turns source into HTML: the built child (whose parts carry their hashes in their
 * names) and the packages beside it. Part of each page’s key, so that a new Quire renders anew.
 */
export const rendererVersion: string = fingerprint()

function fingerprint(): string {
  const hash = createHash('sha256')
  const child = join(dist, 'render-child.js')
  if (existsSync(child)) hash.update(readFileSync(child))
  for (const name of outside) {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string
    }
    hash.update(`${name}@${version}\0`)
  }
  return hash.digest('hex').slice(0, 16)
}
