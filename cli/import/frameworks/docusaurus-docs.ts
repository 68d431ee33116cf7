import { posix } from 'node:path'
import { listIn, objectIn, textIn, type Dictionary } from '../data.ts'
import type { Choice, Page, Sidebars } from '../site.ts'
import {
  numberOf,
  SidebarReader,
  withoutNumber,
  type Doc,
  type DocsContext,
  type Edition,
} from './docusaurus-sidebars.ts'
import { factsOf, globPattern, humanise, urlOf } from './shared.ts'

/** Where the parts of one docs plugin stand. */
export interface DocsSet {
  readonly id: string
  readonly folder: string
  /** Address that its pages stand below. */
  readonly base: string
  readonly sidebars: string | undefined
  readonly versions: string
  readonly versionedDocs: string
  readonly versionedSidebars: string
  readonly translations: string
  readonly options: Dictionary
}

const usuallyExcluded = ['**/_*.{js,jsx,ts,tsx,md,mdx}', '**/_*/**', '**/*.test.{js,jsx,ts,tsx}', '**/__tests__/**']

/** The pages and sidebars of one docs plugin, in all of its versions and languages. */
export class DocusaurusDocs {
  readonly id: string
  readonly folder: string
  readonly title: string
  readonly #set: DocsSet
  readonly #context: DocsContext
  readonly #versions: readonly string[]
  readonly #generated: Page[] = []
  readonly #editions = new Map<string, Edition>()

  constructor(set: DocsSet, context: DocsContext) {
    this.#set = set
    this.#context = context
    this.id = set.id
    this.folder = set.folder
    this.title = humanise(set.id === 'default' ? 'Docs' : set.id)
    const listed: unknown = JSON.parse(context.project.text(set.versions) ?? '[]')
    this.#versions = Array.isArray(listed) ? listed.filter((name): name is string => typeof name === 'string') : []
    for (const version of this.#shownVersions()) for (const locale of context.locales.all) this.#open(version, locale)
  }

  get pages(): readonly Page[] {
    return [...[...this.#editions.values()].flatMap(({ docs }) => docs), ...this.#generated]
  }

  /** `current` stands for the folder itself. */
  #shownVersions(): readonly string[] {
    const only = listIn(this.#set.options['onlyIncludeVersions']).filter(
      (name): name is string => typeof name === 'string',
    )
    const all = this.#set.options['includeCurrentVersion'] === false ? this.#versions : ['current', ...this.#versions]
    return only.length > 0 ? all.filter((name) => only.includes(name)) : all
  }

  #lastVersion(): string {
    return textIn(this.#set.options['lastVersion']) ?? this.#versions[0] ?? 'current'
  }

  #pathOf(version: string): string {
    const own = textIn(objectIn(objectIn(this.#set.options['versions'])[version])['path'])
    if (own !== undefined) return own
    return version === this.#lastVersion() ? '' : version === 'current' ? 'next' : version
  }

  #open(version: string, locale: string): void {
    const { project, scripts, locales } = this.#context
    const plain = version === 'current' ? this.#set.folder : posix.join(this.#set.versionedDocs, `version-${version}`)
    const plugin =
      this.#set.id === 'default' ? 'docusaurus-plugin-content-docs' : `docusaurus-plugin-content-docs-${this.#set.id}`
    const translated = posix.join(
      this.#set.translations,
      locale,
      plugin,
      version === 'current' ? 'current' : `version-${version}`,
    )
    const folder = locale === locales.first ? plain : translated
    if (project.below(folder).length === 0) return
    const base = urlOf(locale === locales.first ? '' : locale, this.#set.base, this.#pathOf(version))
    const sidebars =
      version === 'current'
        ? this.#set.sidebars
        : posix.join(this.#set.versionedSidebars, `version-${version}-sidebars.json`)
    const read = sidebars === undefined || !project.has(sidebars) ? undefined : scripts.read(sidebars)
    this.#editions.set(`${version} ${locale}`, { docs: this.#docs(folder, base), folder, base, sidebars: read })
  }

  #docs(folder: string, base: string): Doc[] {
    const { project, report } = this.#context
    const list = (name: string, usual: readonly string[]): RegExp[] => {
      const globs = listIn(this.#set.options[name]).filter((item): item is string => typeof item === 'string')
      return (globs.length > 0 ? globs : usual).map(globPattern)
    }
    const included = list('include', ['**/*.{md,mdx}'])
    const excluded = list('exclude', usuallyExcluded)
    const prefix = folder === '' ? '' : `${folder}/`
    return project.below(folder).flatMap((source): Doc[] => {
      const path = source.slice(prefix.length)
      const isWanted =
        /\.mdx?$/.test(path) && included.some((glob) => glob.test(path)) && !excluded.some((glob) => glob.test(path))
      if (!isWanted) return []
      const { data, title } = factsOf(project, source)
      if (data['draft'] === true) {
        report.add('page', source, 'It is a draft: it was left out.')
        return []
      }
      return [docOf({ source, path, base, data, title })]
    })
  }

  /** @param label what the bar at the top calls a sidebar @param order of sidebars there */
  navigation(label: (sidebar: string) => string | undefined, order: readonly string[]): Sidebars {
    const { locales } = this.#context
    const perLocale = locales.all.flatMap((locale) => {
      const versions = this.#shownVersions().flatMap((version): Choice[] => {
        const edition =
          this.#editions.get(`${version} ${locale}`) ??
          (locale === locales.first ? undefined : this.#editions.get(`${version} ${locales.first}`))
        if (edition === undefined) return []
        const own = textIn(objectIn(objectIn(this.#set.options['versions'])[version])['label'])
        const name = own ?? (version === 'current' ? 'Next' : version)
        return [
          {
            name,
            ...(version === this.#lastVersion() ? { isDefault: true } : {}),
            ...this.#sidebars(edition, label, order),
          },
        ]
      })
      const [only, ...others] = versions
      if (only === undefined) return []
      const inner: Sidebars =
        others.length === 0
          ? withoutName(only)
          : {
              versions: versions.toSorted(
                (one, other) => Number(other.isDefault === true) - Number(one.isDefault === true),
              ),
            }
      return [{ name: locale, ...(locale === locales.first ? { isDefault: true } : {}), ...inner }]
    })
    const [first, ...others] = perLocale
    return first === undefined ? {} : others.length === 0 ? withoutName(first) : { languages: perLocale }
  }

  #sidebars(edition: Edition, label: (sidebar: string) => string | undefined, order: readonly string[]): Sidebars {
    const reader = new SidebarReader(edition, this.#context, this.#generated)
    const sidebars = objectIn(edition.sidebars)
    const names = Object.keys(sidebars)
    if (names.length === 0) return { items: reader.folder('') }
    const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length)
    const inOrder = names.toSorted((one, other) => rank(one) - rank(other) || names.indexOf(one) - names.indexOf(other))
    const read = inOrder.map((name) => ({
      name: label(name) ?? humanise(name.replace(/Sidebar$/, '')),
      items: reader.entries(sidebars[name]),
    }))
    const tabs = read.filter(({ items }) => items.length > 0)
    return tabs.length === 1 ? { items: tabs[0]?.items ?? [] } : { tabs }
  }
}

const withoutName = ({ languages, versions, tabs, items }: Sidebars): Sidebars => ({
  ...(languages === undefined ? {} : { languages }),
  ...(versions === undefined ? {} : { versions }),
  ...(tabs === undefined ? {} : { tabs }),
  ...(items === undefined ? {} : { items }),
})

function docOf({
  source,
  path,
  base,
  data,
  title,
}: {
  source: string
  path: string
  base: string
  data: Readonly<Record<string, unknown>>
  title: string | undefined
}): Doc {
  const segments = path.replace(/\.mdx?$/, '').split('/')
  const plain = segments.map(withoutNumber)
  const name = plain.at(-1) ?? ''
  const folders = plain.slice(0, -1)
  const id = [...folders, typeof data['id'] === 'string' ? data['id'] : name].join('/')
  const isIndex = /^(?:index|readme)$/i.test(name) || name.toLowerCase() === folders.at(-1)?.toLowerCase()
  const slug = typeof data['slug'] === 'string' ? data['slug'] : undefined
  const own =
    slug === undefined
      ? isIndex
        ? folders.join('/')
        : [...folders, typeof data['id'] === 'string' ? data['id'] : name].join('/')
      : slug.startsWith('/')
        ? slug
        : posix.join('/', ...folders, slug)
  const position = Number(data['sidebar_position'] ?? Number.NaN)
  return {
    source,
    url: urlOf(base, own),
    id,
    directory: posix.dirname(path) === '.' ? '' : posix.dirname(path),
    position: Number.isNaN(position) ? numberOf(segments.at(-1) ?? '') : position,
    title: (typeof data['sidebar_label'] === 'string' ? data['sidebar_label'] : undefined) ?? title ?? humanise(name),
  }
}
