import { isText } from '../content/changes/sent-content.ts'
import type { Oid, Repository, Tree } from '../content/repository.ts'
import { searchLimits, type SearchMatch, type SearchQuery, type SearchResult } from '../contract/searches.ts'
import { linesWith } from '../lib/line-search.ts'
import { inSlices, isTurnOver, nextTurn, sorted, type Steps } from '../lib/slices.ts'

/** What one search takes at most. */
const bounds = {
  milliseconds: 5000,
  /** Of files that are read. */
  bytes: 128 * 1024 * 1024,
  /** Of one file; larger ones are no pages. */
  fileBytes: 1024 * 1024,
} as const

/** Files whose sizes are asked together: a search that has found enough asks for no more. */
const sizedAtOnce = 256

/** Endings of the names of text files: pictures and the like are not opened. */
const textual = new Set(
  ['md', 'mdx', 'markdown', 'json', 'yaml', 'yml', 'toml', 'txt', 'csv', 'htm', 'html', 'css', 'svg', 'xml'].concat(
    ['js', 'ts'].flatMap((script) => ['', 'c', 'm'].flatMap((kind) => [kind + script, `${kind}${script}x`])),
  ),
)

/** Whether a file is text by its name. */
export function isSearched(path: string): boolean {
  const dot = path.lastIndexOf('.')
  return dot !== -1 && textual.has(path.slice(dot + 1).toLowerCase())
}

/** The paths that are in a folder and wanted, in order. */
export function* pathsIn(
  paths: Iterable<string>,
  folder: string,
  isWanted: (path: string) => boolean = () => true,
): Steps<readonly string[]> {
  const prefix = folder.normalize('NFC').replace(/^\.?\/+|\/+$/g, '')
  const found: string[] = []
  for (const path of paths) {
    yield
    if ((prefix === '' || path.startsWith(`${prefix}/`)) && isWanted(path)) found.push(path)
  }
  return yield* sorted(found, (one, other) => (one < other ? -1 : one > other ? 1 : 0))
}

/** Lines of the text files of a tree. Throws the signal’s reason when nobody waits for it any more. */
export async function searchTree(
  repository: Pick<Repository, 'readBlob' | 'blobSizes'>,
  tree: Tree,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult> {
  const { q: wanted, limit = searchLimits.commonMatches, case: exact = /\p{Lu}/u.test(wanted), folder = '' } = query
  const until = performance.now() + bounds.milliseconds
  const items: SearchMatch[] = []
  let searched = 0
  let bytes = 0
  for await (const { path, oid, size } of candidatesOf(repository, tree, folder, signal)) {
    signal.throwIfAborted()
    if (isTurnOver()) await nextTurn()
    bytes += size
    if (bytes > bounds.bytes || performance.now() > until) return { items, truncated: true, searched }
    const content = await repository.readBlob(oid)
    searched += 1
    if (!isText(content)) continue
    // One more than is told: whether there is one.
    const search = { wanted, exact, most: limit - items.length + 1, shown: searchLimits.shown }
    for (const match of await inSlices(linesWith(content.toString('utf8'), search), signal)) {
      if (items.length === limit) return { items, truncated: true, searched }
      items.push({ path, ...match })
    }
  }
  return { items, truncated: false, searched }
}

/** Text files in a folder that are no larger than a page may be. */
async function* candidatesOf(
  repository: Pick<Repository, 'blobSizes'>,
  tree: Tree,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly path: string; readonly oid: Oid; readonly size: number }> {
  const paths = await inSlices(pathsIn(tree.keys(), folder, isSearched), signal)
  for (let at = 0; at < paths.length; at += sizedAtOnce) {
    signal.throwIfAborted()
    const files = paths.slice(at, at + sizedAtOnce).map((path) => ({ path, oid: tree.get(path)?.oid ?? '' }))
    const sizes = await repository.blobSizes(files.map(({ oid }) => oid))
    for (const { path, oid } of files) {
      const size = sizes.get(oid)
      if (size !== undefined && size <= bounds.fileBytes) yield { path, oid, size }
    }
  }
}
