/** A page that is to be written. */
export interface PlannedPage {
  /** In the site, without ending: `guides/install`. */
  readonly path: string
  readonly title: string
  /** What readers see below the title and in search. */
  readonly description: string
  /** What the page is for: for whoever writes it. */
  readonly purpose: string
  /** Files that it rests on, below the source folder. */
  readonly sources: readonly string[]
}

export interface PlannedGroup {
  readonly group: string
  readonly pages: readonly PlannedEntry[]
}

export type PlannedEntry = PlannedPage | PlannedGroup

/** A source file that no page describes, and why. */
export interface LeftOut {
  readonly source: string
  readonly reason: string
}

/** The pages of a site as a tree, and what each is made from. */
export interface SitePlan {
  /** Of what is documented. */
  readonly name: string
  readonly groups: readonly PlannedGroup[]
  readonly leftOut: readonly LeftOut[]
}

export interface PlacedPage extends PlannedPage {
  /** Titles of the groups that it is in, outermost first. */
  readonly groups: readonly string[]
}

/** All pages in the order of navigation. */
export function pagesOf(plan: SitePlan): PlacedPage[] {
  const below = (entries: readonly PlannedEntry[], groups: readonly string[]): PlacedPage[] =>
    entries.flatMap((entry) =>
      'group' in entry ? below(entry.pages, [...groups, entry.group]) : [{ ...entry, groups }],
    )
  return below(plan.groups, [])
}

/** The plan with each page replaced by what `change` makes of it; `undefined` takes it out, and its group when that is empty. */
export function mapPages(plan: SitePlan, change: (page: PlannedPage) => PlannedPage | undefined): SitePlan {
  const within = (entries: readonly PlannedEntry[]): PlannedEntry[] =>
    entries.flatMap((entry): PlannedEntry[] => {
      if (!('group' in entry)) return [change(entry) ?? []].flat()
      const pages = within(entry.pages)
      return pages.length === 0 ? [] : [{ ...entry, pages }]
    })
  return { ...plan, groups: within(plan.groups) as PlannedGroup[] }
}

/** Where a page is on the site: `/`, `/guides/install`. */
export function hrefOf(path: string): string {
  return path === 'index' ? '/' : `/${path}`
}

/** Where its text is in the output folder. */
export function fileOf(path: string): string {
  return `${path}.mdx`
}
