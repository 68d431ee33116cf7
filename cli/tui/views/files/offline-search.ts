import { searchLimits, type SearchMatch, type SearchResult } from '#contract/searches.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import { isPage } from '#authoring/page-paths.ts'

/** Looks for a text in the pages that are kept on this machine, as the service would: those that are not are passed over. */
export async function searchOffline(
  files: BranchFiles,
  { paths, query, signal }: { readonly paths: readonly string[]; readonly query: string; readonly signal: AbortSignal },
): Promise<SearchResult> {
  const items: SearchMatch[] = []
  const isExact = query !== query.toLowerCase()
  let searched = 0
  for (const path of paths.filter(isPage)) {
    if (signal.aborted || items.length >= searchLimits.commonMatches) break
    const text = await textOf(files, path)
    if (text === undefined) continue
    searched += 1
    items.push(...matchesIn(path, text, { query: isExact ? query : query.toLowerCase(), isExact }))
  }
  const shown = items.slice(0, searchLimits.commonMatches)
  return { items: shown, truncated: shown.length < items.length, searched }
}

async function textOf(files: BranchFiles, path: string): Promise<string | undefined> {
  try {
    return (await files.read(path)).value.text
  } catch {
    // Not kept here.
    return undefined
  }
}

function matchesIn(
  path: string,
  text: string,
  { query, isExact }: { readonly query: string; readonly isExact: boolean },
): SearchMatch[] {
  const found: SearchMatch[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const at = (isExact ? line : line.toLowerCase()).indexOf(query)
    if (at < 0) continue
    const from = Math.max(0, at - 100)
    const piece = line.slice(from, from + searchLimits.shown)
    const start = at - from
    found.push({ path, line: index + 1, column: at + 1, text: piece, start, end: start + query.length })
    if (found.length >= searchLimits.commonMatches) break
  }
  return found
}
