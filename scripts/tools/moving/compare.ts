import type { Site } from '#scripts/tools/crawl/site.ts'
import type { Original, OriginalPage } from './originals.ts'
import { shownPage, type ShownPage } from './shown.ts'

/** What the original has, and what readers get of it. */
export interface Moved {
  readonly pages: { readonly wanted: number; readonly missing: readonly string[] }
  /** By kind: how many there were, how many there are, and pages that have fewer. */
  readonly kinds: Readonly<
    Record<string, { readonly wanted: number; readonly shown: number; readonly fewer: readonly string[] }>
  >
  readonly pictures: { readonly wanted: number; readonly missing: readonly string[] }
  /** Entries of sidebars: those that are missing, and those that stand elsewhere. */
  readonly sidebars: { readonly wanted: number; readonly missing: readonly string[]; readonly moved: readonly string[] }
}

export async function compareSites(original: Original, site: Site): Promise<Moved> {
  const shown = new Map<OriginalPage, ShownPage>()
  const missing: string[] = []
  for (const page of original.pages) {
    const { status, text } = await site.get(encodeURI(page.url))
    if (status === 200) shown.set(page, shownPage(text))
    else missing.push(`${page.source}: ${page.url} answers ${status}`)
  }
  const kinds: Record<string, { wanted: number; shown: number; fewer: string[] }> = {}
  const lost: string[] = []
  let pictures = 0
  for (const [page, own] of shown) {
    for (const [name, wanted] of Object.entries(page.counts)) {
      const kind = (kinds[name] ??= { wanted: 0, shown: 0, fewer: [] })
      const count = own.counts[name] ?? 0
      kind.wanted += wanted
      kind.shown += count
      if (count < wanted) kind.fewer.push(`${page.source}: ${wanted} → ${count}`)
    }
    pictures += page.pictures.length
    for (const name of page.pictures) if (!own.pictures.includes(name)) lost.push(`${page.source}: ${name}`)
  }
  return {
    pages: { wanted: original.pages.length, missing },
    kinds,
    pictures: { wanted: pictures, missing: lost },
    sidebars: compareSidebars(original, shown),
  }
}

/** A list of the original may be several here, each under its tab: the order counts within each. */
function compareSidebars({ sidebars }: Original, shown: ReadonlyMap<OriginalPage, ShownPage>): Moved['sidebars'] {
  const lists = new Map([...shown.values()].map(({ sidebar }) => [sidebar.join('\n'), sidebar]))
  const listed = new Set([...lists.values()].flat())
  const wanted = new Set(sidebars.flat())
  const moved = sidebars.flatMap((own) =>
    [...lists.values()].flatMap((list) => {
      const places = new Map(list.map((url, index) => [url, index]))
      return outOfOrder(
        own.filter((url) => places.has(url)),
        places,
      )
    }),
  )
  return { wanted: wanted.size, missing: [...wanted].filter((url) => !listed.has(url)), moved: [...new Set(moved)] }
}

/** The fewest that would have to be moved: those beside the longest run that is in order. */
function outOfOrder(urls: readonly string[], places: ReadonlyMap<string, number>): string[] {
  const best: (readonly string[])[] = []
  for (const [index, url] of urls.entries()) {
    let longest: readonly string[] = []
    for (let before = 0; before < index; before++) {
      const run = best[before] ?? []
      const isInOrder = (places.get(urls[before] ?? '') ?? 0) < (places.get(url) ?? 0)
      if (isInOrder && run.length > longest.length) longest = run
    }
    best.push([...longest, url])
  }
  const kept = new Set(best.toSorted((one, other) => other.length - one.length)[0] ?? [])
  return urls.filter((url) => !kept.has(url))
}
