import { slugOf } from '../../src/authoring/page-paths.ts'
import type { Links } from './links.ts'
import type { Choice, Entry, JsonObject, Json, Page, Sidebars } from './site.ts'

/** All entries of all sidebars. */
export function* entriesIn(sidebars: Sidebars): Generator<Entry> {
  for (const choice of [...(sidebars.languages ?? []), ...(sidebars.versions ?? []), ...(sidebars.tabs ?? [])])
    yield* entriesIn(choice)
  const stack = [...(sidebars.items ?? [])].toReversed()
  for (let entry = stack.pop(); entry !== undefined; entry = stack.pop()) {
    yield entry
    if (entry.kind === 'group') stack.push(...entry.items.toReversed())
  }
}

/** Gives pages the names that sidebars give them: here a page tells its name itself. */
export function namePages(sidebars: Sidebars, pages: readonly Page[]): void {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  for (const entry of entriesIn(sidebars)) {
    if (entry.kind !== 'page') continue
    const page = bySource.get(entry.source)
    if (page === undefined) continue
    page.label ??= entry.label
    page.icon ??= entry.icon
    page.tag ??= entry.tag
  }
}

interface CardFacts {
  readonly href: string
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** Entries as cards: pages and links, and groups by their first page. @param facts of a page by its path */
export function cardsOf(entries: readonly Entry[], facts: (source: string) => CardFacts | undefined): string {
  const quoted = (text: string): string => JSON.stringify(text.replaceAll('"', '”'))
  const cards = entries.flatMap((entry) => {
    const source = sourceOf(entry)
    const found = source === undefined ? undefined : facts(source)
    const title = entry.kind === 'page' ? (entry.label ?? found?.title ?? '') : entry.label
    const href = entry.kind === 'link' ? entry.href : found?.href
    const description = found?.description === undefined ? '' : ` description=${quoted(found.description)}`
    return href === undefined ? [] : [`<Card title=${quoted(title)} href=${quoted(href)}${description} />`]
  })
  return `<CardGroup cols={2}>\n\n${cards.join('\n\n')}\n\n</CardGroup>`
}

/** The page that an entry leads to: of a group its own, else the first in it. */
function sourceOf(entry: Entry): string | undefined {
  if (entry.kind === 'page') return entry.source
  if (entry.kind !== 'group') return undefined
  return entry.root ?? entry.items.map(sourceOf).find((source) => source !== undefined)
}

export interface WrittenNavigation {
  readonly navigation: JsonObject
  /** Pages that are links elsewhere, by path. */
  readonly links: ReadonlyMap<string, string>
}

/** Navigation as docs.json has it. */
export function writeNavigation(sidebars: Sidebars, pages: readonly Page[], links: Links): WrittenNavigation {
  const writer = new NavigationWriter(pages, links)
  return { navigation: writer.branch(sidebars), links: writer.links }
}

class NavigationWriter {
  readonly links = new Map<string, string>()
  readonly #bySource: ReadonlyMap<string, Page>
  readonly #taken: ReadonlySet<string>
  readonly #links: Links

  constructor(pages: readonly Page[], links: Links) {
    this.#bySource = new Map(pages.map((page) => [page.source, page]))
    this.#taken = new Set(pages.map(({ url }) => url))
    this.#links = links
  }

  branch(sidebars: Sidebars): JsonObject {
    const { languages, versions, tabs, items } = sidebars
    const lists: Record<string, Json> = {}
    if (languages !== undefined) lists['languages'] = this.#choices(languages, 'language')
    if (versions !== undefined) lists['versions'] = this.#choices(versions, 'version')
    if (tabs !== undefined) lists['tabs'] = this.#choices(tabs, 'tab')
    if (items === undefined) return lists
    const written = this.#items(items)
    const areGroups = written.length > 0 && written.every((entry) => typeof entry === 'object')
    return { ...lists, [areGroups ? 'groups' : 'pages']: written }
  }

  #choices(choices: readonly Choice[], name: string): Json[] {
    return choices.flatMap((choice): Json[] => {
      const inner = this.branch(choice)
      const isEmpty = Object.values(inner).every((list) => Array.isArray(list) && list.length === 0)
      if (isEmpty && choice.href === undefined) return []
      const href = choice.href === undefined ? undefined : this.#links.resolve(choice.href, '')
      return [
        {
          [name]: choice.name,
          ...(choice.isDefault === true ? { default: true } : {}),
          ...(isEmpty ? { href } : inner),
        },
      ]
    })
  }

  #items(items: readonly Entry[]): Json[] {
    return items.flatMap((entry): Json[] => {
      if (entry.kind === 'page') {
        const page = this.#bySource.get(entry.source)
        // Another sidebar has another name for it.
        if (page !== undefined && entry.label !== undefined && entry.label !== page.label)
          return [this.#link(entry.label, page.url)]
        const reference = this.#reference(entry.source)
        return reference === undefined ? [] : [reference]
      }
      if (entry.kind === 'api') return [{ group: entry.label, openapi: entry.openapi }]
      if (entry.kind === 'link') return [this.#link(entry.label, this.#links.resolve(entry.href, ''))]
      const root = entry.root === undefined ? undefined : this.#reference(entry.root)
      const pages = this.#items(entry.items)
      if (pages.length === 0 && root === undefined) return []
      return [
        {
          group: entry.label.slice(0, 200),
          ...(root === undefined ? {} : { root }),
          ...(entry.expanded === true ? { expanded: true } : {}),
          pages,
        },
      ]
    })
  }

  #reference(source: string): string | undefined {
    const page = this.#bySource.get(source)
    return page === undefined ? undefined : page.url === '/' ? 'index' : page.url.slice(1)
  }

  /** A link in a sidebar is a page that leads elsewhere. */
  #link(label: string, href: string): string {
    // With the slash it is a link to the page, and not the place where the page stands.
    const address = this.#taken.has(href) && href !== '/' ? `${href}/` : href
    const text = `---\ntitle: ${JSON.stringify(label)}\nurl: ${JSON.stringify(address)}\n---\n`
    const name = `links/${slugOf(label) || 'link'}`
    for (let number = 1; ; number++) {
      const path = number === 1 ? name : `${name}-${number}`
      const known = this.links.get(path)
      if (known === text) return path
      if (known !== undefined || this.#taken.has(`/${path}`)) continue
      this.links.set(path, text)
      return path
    }
  }
}
