import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '#lib/paths.ts'

/** Hostile input: text, configuration, repositories and requests that must do no harm. */
export const hostile = join(root, 'test', 'hostile')

const corpora = join(root, '..', 'shared', 'corpora')
/** Real documentation lies beside the checkout: tests that need it are skipped where it is absent, and fail there in CI. */
export const hasCorpora = existsSync(corpora)

/** Unpacks one of the archives of real documentation; answers with the folder of its docs.json. */
export async function unpackCorpus(name: string, into: string): Promise<string> {
  execFileSync('tar', ['xzf', join(corpora, `${name}.tar.gz`), '-C', into])
  const folders = await readdir(into)
  return join(into, folders[0] ?? '')
}
