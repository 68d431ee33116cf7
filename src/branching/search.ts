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

/** Whether a file is text by its name: pictures and the like are not opened. */
export function isSearched(path: string): boolean {
  return textual.test(path)
}

const textual = /\.(?:md|mdx|markdown|json|ya?ml|toml|txt|csv|html?|css|[cm]?[jt]sx?|svg|xml)$/i

/** The paths that are in a folder, in order. */
export function* pathsIn(paths: Iterable<string>, folder: string): Steps<readonly string[]> {
  const prefix = folder.normalize('NFC').replace(/^\.?\/+|\/+$/g, '')
  const found: string[] = []
  for (const path of paths) {
    yield
    if (prefix === '' || path.startsWith(`${prefix}/`)) found.push(path)
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
  const files = await candidatesOf(repository, tree, folder, signal)
  const until = performance.now() + bounds.milliseconds
  const items: SearchMatch[] = []
  let searched = 0
  let bytes = 0
  for (const { path, oid, size } of files) {
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

async function candidatesOf(
  repository: Pick<Repository, 'blobSizes'>,
  tree: Tree,
  folder: string,
  signal: AbortSignal,
): Promise<readonly { readonly path: string; readonly oid: Oid; readonly size: number }[]> {
  const paths = (await inSlices(pathsIn(tree.keys(), folder), signal)).filter(isSearched)
  const named = paths.flatMap((path) => {
    const oid = tree.get(path)?.oid
    return oid === undefined ? [] : [{ path, oid }]
  })
  const sizes = await repository.blobSizes(named.map(({ oid }) => oid))
  return named.flatMap(({ path, oid }) => {
    const size = sizes.get(oid)
    return size === undefined || size > bounds.fileBytes ? [] : [{ path, oid, size }]
  })
}
