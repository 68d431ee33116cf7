import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../src/lib/paths.ts'

/** Material beside the checkout: real documentation and hostile input. Tests that need it are skipped where it is absent. */
export const shared = join(root, '..', 'shared')
export const hasShared = existsSync(join(shared, 'corpora'))

/** Unpacks one of the archives of real documentation; answers with the folder of its docs.json. */
export async function unpackCorpus(name: string, into: string): Promise<string> {
  execFileSync('tar', ['xzf', join(shared, 'corpora', `${name}.tar.gz`), '-C', into])
  const folders = await readdir(into)
  return join(into, folders[0] ?? '')
}
