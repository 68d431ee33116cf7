import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '#lib/paths.ts'

/** Files of a site by path, as text. */
export type Corpus = Map<string, string>

async function readTexts(directory: string): Promise<Corpus> {
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const texts: Corpus = new Map()
  for (const entry of names) {
    if (!entry.isFile() || !/\.mdx?$/.test(entry.name)) continue
    const absolute = join(entry.parentPath, entry.name)
    texts.set(absolute.slice(directory.length + 1).replaceAll('\\', '/'), await readFile(absolute, 'utf8'))
  }
  return texts
}

/** 500 real pages where they lie beside the checkout; else the sample site's pages, copied until there are 500. */
export async function load500(): Promise<{ name: string; pages: Corpus }> {
  const archive = join(root, '..', 'shared', 'corpora', 'bench-500.tar.gz')
  if (existsSync(archive)) {
    const directory = await mkdtemp(join(tmpdir(), 'quire-bench-corpus-'))
    execFileSync('tar', ['xzf', archive, '-C', directory])
    const [folder = ''] = await readdir(directory)
    const pages = await readTexts(join(directory, folder))
    await rm(directory, { recursive: true })
    return { name: '500 real pages', pages }
  }
  const sample = await readTexts(join(root, 'fixtures', 'sample'))
  const texts = [...sample].filter(([path]) => !path.startsWith('snippets/'))
  const pages: Corpus = new Map([...sample].filter(([path]) => path.startsWith('snippets/')))
  for (let copy = 0; pages.size < 500; copy++) {
    for (const [path, text] of texts)
      if (pages.size < 500) pages.set(copy === 0 ? path : `copy-${copy}/${path}`, `${text}\n\nCopy ${copy}.\n`)
  }
  return { name: '500 copies of the sample pages', pages }
}

/** Variants of pages, each with text of its own in every page, so that nothing is shared by content. */
export function variantsOf(pages: Corpus, copies: number): Corpus {
  const result: Corpus = new Map()
  for (let copy = 0; copy < copies; copy++)
    for (const [path, text] of pages) result.set(`part-${copy}/${path}`, `${text}\n\nPart ${copy}.\n`)
  return result
}
