import { searchLimits, type SearchResult } from '../contract/searches.ts'
import { eachConfigFile } from './config-files.ts'
import { written } from './links.ts'
import { addressOf, isPage } from './page-paths.ts'

/** How the files of a branch are read and searched. */
export interface BranchReading {
  /** Undefined: there is no text there. */
  readonly text: (path: string) => Promise<string | undefined>
  /** @param q with as many characters as a search takes */
  readonly search: (q: string) => Promise<Pick<SearchResult, 'items' | 'truncated'>>
}

/** docs.json, and what it includes. @param present paths of all files */
export async function configFilesOf(
  present: readonly string[],
  text: BranchReading['text'],
): Promise<ReadonlySet<string>> {
  const known = new Set(present)
  const found = new Set<string>()
  await eachConfigFile(
    async (path) => (known.has(path) ? text(path) : undefined),
    (path) => void found.add(path),
  )
  return found
}

/**
 * The files that may lead to what is at a path: pages with what every link there has in it, the last word of its address,
 * as links may be relative; all pages, where a search does not find all. The configuration always: it may be longer than
 * what a search opens.
 *
 * @param path of a file, or of a folder with a slash at its end
 * @param at paths of all files, and those of them that are the configuration
 */
export async function filesMentioning(
  path: string,
  { present, config }: { readonly present: readonly string[]; readonly config: ReadonlySet<string> },
  search: BranchReading['search'],
): Promise<readonly string[]> {
  const readable = present.filter((file) => isPage(file) || config.has(file))
  const whole = path.endsWith('/') ? `/${path.slice(0, -1)}` : isPage(path) ? addressOf(path) : `/${path}`
  // Nearly every page has what leads to the first page.
  if (whole === '/') return readable
  const word = whole.slice(whole.lastIndexOf('/') + 1)
  const words = new Set([word, encodeURI(word), written(word)])
  const results = await Promise.all(Array.from(words, (one) => search(one.slice(0, searchLimits.text))))
  if (results.some(({ truncated }) => truncated)) return readable
  const found = new Set(results.flatMap(({ items }) => items.map((item) => item.path)))
  return readable.filter((file) => config.has(file) || found.has(file))
}
