import { posix } from 'node:path'
import { pathFrom, type Project } from '../project.ts'
import type { Report } from '../report.ts'
import { isCallOf, isDictionary, listIn, objectIn, textIn, type Dictionary, type Item } from '../data.ts'
import { ScriptReader } from '../script.ts'
import type { Choice, Entry, FoundSite, JsonObject, Page, Reading, Redirect } from '../site.ts'
import { headSettings, headTagsIn } from './head.ts'
import { colorIn, factsOf, hostRedirects, repositoryOf, socialsOf, staticFiles, urlOf } from './shared.ts'

interface Locale {
  /** Folder and beginning of addresses; empty for the root. */
  readonly key: string
  readonly code: string
}

/** Starlight: pages of `src/content/docs`, languages by folder, sidebars that may be made of folders. */
export function readStarlight({ project, report, folder: at }: Reading): FoundSite {
  const scripts = new ScriptReader(project, report)
  const sign = project.first(
    ...['mjs', 'ts', 'js', 'mts', 'cjs'].map((ending) => posix.join(at, `astro.config.${ending}`)),
  )
  const config = sign === undefined ? {} : objectIn(scripts.read(sign))
  const integrations = listIn(config['integrations'])
  const starlight = objectIn(integrations.find((item) => isCallOf(item, 'starlight')))
  const root = posix.join(at, 'src/content/docs')
  const pages = pagesIn(project, report, root)
  const { locales, isRooted } = localesOf(starlight)
  const reader = (locale: Locale): SidebarReader => new SidebarReader(project, pages, { locale, locales, isRooted })
  const sidebarOf = (locale: Locale): readonly Entry[] =>
    starlight['sidebar'] === undefined
      ? reader(locale).folder('')
      : reader(locale).entries(listIn(starlight['sidebar']))
  const { assets, left } = staticFiles(project, [posix.join(at, 'public')])
  if (left.length > 0)
    report.add('theme', left[0] ?? '', `${left.length} files of types that sites do not publish stand in public.`)
  reportRest({ project, report, folder: at, sign: sign ?? root }, starlight)
  const languages = locales.map((locale, index): Choice => ({
    name: locale.code,
    ...(index === 0 ? { isDefault: true } : {}),
    items: sidebarOf(locale),
  }))
  const [first] = languages
  const redirects = Object.entries(objectIn(config['redirects'])).flatMap(([source, to]): Redirect[] => {
    const destination = textIn(to) ?? textIn(objectIn(to)['destination'])
    return destination === undefined
      ? []
      : [
          {
            source: source.replaceAll(/\[\.\.\.(\w+)\]/g, ':$1*').replaceAll(/\[(\w+)\]/g, ':$1'),
            destination: destination.replaceAll(/\[\.\.\.(\w+)\]/g, ':$1*').replaceAll(/\[(\w+)\]/g, ':$1'),
          },
        ]
  })
  return {
    framework: 'starlight',
    dialect: 'starlight',
    sign,
    settings: {
      ...settingsOf(starlight, { project, folder: at, code: locales[0]?.code ?? 'en' }),
      ...headSettings(headTagsIn(starlight['head']), report, sign ?? root),
    },
    pages,
    sidebars: languages.length > 1 ? { languages } : { items: first?.items ?? [] },
    assets,
    redirects: [
      ...redirects,
      ...untranslated(pages, locales, isRooted),
      ...hostRedirects(project, [...new Set(['', at, posix.join(at, 'public')])]),
    ],
    base: (textIn(config['base']) ?? '').replace(/\/$/, ''),
    roots: [posix.join(at, 'public'), root, at],
    aliases: { '~/': posix.join(at, 'src'), '@/': posix.join(at, 'src'), '@assets/': posix.join(at, 'src/assets') },
    endsWithSlash: true,
  }
}

/** A page that a language does not have was shown there in the first one: its address leads to that. */
function untranslated(pages: readonly Page[], locales: readonly Locale[], isRooted: boolean): Redirect[] {
  const [first, ...others] = locales
  const urls = new Set(pages.map(({ url }) => url))
  const base = isRooted ? '' : `/${first?.key ?? ''}`
  const isOfOther = (url: string): boolean => others.some(({ key }) => url === `/${key}` || url.startsWith(`/${key}/`))
  const own = pages.filter(({ url }) => (base === '' ? !isOfOther(url) : url === base || url.startsWith(`${base}/`)))
  return others.flatMap(({ key }) =>
    own.flatMap(({ url }) => {
      const source = urlOf(key, url.slice(base.length))
      return urls.has(source) ? [] : [{ source, destination: url }]
    }),
  )
}

function pagesIn(project: Project, report: Report, root: string): Page[] {
  return project.below(root).flatMap((source): Page[] => {
    const path = source.slice(root.length + 1)
    if (/(?:^|\/)_/.test(path)) return []
    if (path.endsWith('.mdoc')) report.add('page', source, 'It is written in Markdoc: it was left out.')
    if (!/\.mdx?$/.test(path)) return []
    const { data } = factsOf(project, source)
    if (data['draft'] === true) {
      report.add('page', source, 'It is a draft: it was left out.')
      return []
    }
    const slug =
      typeof data['slug'] === 'string' ? data['slug'] : path.replace(/\.mdx?$/, '').replace(/(?:^|\/)index$/, '')
    // Shown where nothing is found, and nowhere else.
    if (/(?:^|\/)404$/.test(slug)) return []
    return [{ source, url: urlOf(slug.toLowerCase()) }]
  })
}

function localesOf(starlight: Dictionary): { locales: readonly Locale[]; isRooted: boolean } {
  const listed = Object.entries(objectIn(starlight['locales']))
  const isRooted = listed.length === 0 || listed.some(([key]) => key === 'root')
  const locales = listed.map(([key, value]): Locale => ({
    key: key === 'root' ? '' : key,
    code: textIn(objectIn(value)['lang']) ?? (key === 'root' ? 'en' : key),
  }))
  const chosen = textIn(starlight['defaultLocale'])
  const first = locales.find(({ key }) => key === '' || key === chosen) ?? locales[0] ?? { key: '', code: 'en' }
  return { locales: [first, ...locales.filter((locale) => locale !== first)], isRooted }
}

class SidebarReader {
  readonly #project: Project
  readonly #locale: Locale
  readonly #locales: readonly Locale[]
  readonly #pages: readonly Page[]
  readonly #byUrl: ReadonlyMap<string, Page>
  readonly #first: string

  constructor(
    project: Project,
    pages: readonly Page[],
    { locale, locales, isRooted }: { locale: Locale; locales: readonly Locale[]; isRooted: boolean },
  ) {
    this.#project = project
    this.#locale = locale
    this.#locales = locales
    this.#pages = pages
    this.#byUrl = new Map(pages.map((page) => [page.url, page]))
    this.#first = isRooted ? '' : (locales[0]?.key ?? '')
  }

  entries(items: readonly Item[]): Entry[] {
    return items.flatMap((item): Entry[] => {
      if (typeof item === 'string') return this.#slug(item)
      const entry = objectIn(item)
      const label = this.#label(entry)
      const auto = entry['autogenerate']
      if (auto !== undefined) {
        const inner = this.folder(textIn(objectIn(auto)['directory']) ?? '')
        return label === undefined ? inner : [{ kind: 'group', label, items: inner, ...this.#expanded(entry) }]
      }
      const slug = textIn(entry['slug'])
      if (slug !== undefined) return this.#slug(slug, label, badgeOf(entry['badge']))
      const link = textIn(entry['link'])
      if (link !== undefined) return this.#link(link, label ?? link)
      const inner = this.entries(listIn(entry['items']))
      return label === undefined ? inner : [{ kind: 'group', label, items: inner, ...this.#expanded(entry) }]
    })
  }

  #expanded(entry: Dictionary): { readonly expanded?: true } {
    return entry['collapsed'] === true ? {} : { expanded: true }
  }

  #label(entry: Dictionary): string | undefined {
    return textIn(objectIn(entry['translations'])[this.#locale.code]) ?? textIn(entry['label'])
  }

  /** The page in this language; the one of the first language where it was never translated. */
  #slug(slug: string, label?: string, tag?: string): Entry[] {
    const clean = slug.replace(/^\/|\/$/g, '').replace(/^index$/, '')
    const page = this.#byUrl.get(urlOf(this.#locale.key, clean)) ?? this.#byUrl.get(urlOf(this.#first, clean))
    return page === undefined
      ? []
      : [
          {
            kind: 'page',
            source: page.source,
            ...(label === undefined ? {} : { label }),
            ...(tag === undefined ? {} : { tag }),
          },
        ]
  }

  #link(link: string, label: string): Entry[] {
    const own = /^[a-z]+:|#/i.test(link) ? [] : this.#slug(link, label)
    return own.length > 0 ? own : [{ kind: 'link', label, href: link }]
  }

  /** Pages of a folder by `sidebar.order`, then by name; those below it in groups. */
  folder(directory: string): Entry[] {
    const own = urlOf(this.#locale.key, directory)
    const first = urlOf(this.#first, directory)
    const isBelow = ({ url }: Page, base: string): boolean => base === '/' || url === base || url.startsWith(`${base}/`)
    const others = this.#locales.flatMap(({ key }) => (key === '' || key === this.#locale.key ? [] : [`/${key}`]))
    const isOther = ({ url }: Page): boolean => others.some((prefix) => url === prefix || url.startsWith(`${prefix}/`))
    const rest = (page: Page, base: string): string => page.url.slice(base === '/' ? 1 : base.length + 1)
    const found = new Map<string, Page>()
    for (const page of this.#pages)
      if (isBelow(page, first) && (!isOther(page) || this.#first !== '')) found.set(rest(page, first), page)
    for (const page of this.#pages)
      if (isBelow(page, own) && (own !== '/' || !isOther(page))) found.set(rest(page, own), page)
    return this.#tree([...found], directory)
  }

  #tree(found: readonly (readonly [string, Page])[], directory: string): Entry[] {
    const rows: { order: number; name: string; entry: Entry }[] = []
    const groups = new Map<string, (readonly [string, Page])[]>()
    const folders = new Set(found.flatMap(([rest]) => (rest.includes('/') ? (rest.split('/')[0] ?? '') : [])))
    for (const [rest, page] of found) {
      const [name = '', ...more] = rest.split('/')
      const isFolder = more.length > 0 || (name !== '' && folders.has(name))
      if (isFolder) groups.set(name, [...(groups.get(name) ?? []), [more.join('/'), page]])
      else {
        const row = this.#row(page, name)
        if (row !== undefined) rows.push(row)
      }
    }
    for (const [name, inner] of groups) {
      const orders = inner.map(([, page]) => this.#row(page, '')?.order ?? Infinity)
      rows.push({
        order: Math.min(...orders),
        name,
        entry: { kind: 'group', label: name, items: this.#tree(inner, `${directory}/${name}`), expanded: true },
      })
    }
    return rows
      .toSorted((one, other) => one.order - other.order || one.name.localeCompare(other.name))
      .map(({ entry }) => entry)
  }

  #row(page: Page, name: string): { order: number; name: string; entry: Entry } | undefined {
    const { data } = factsOf(this.#project, page.source)
    const sidebar =
      typeof data['sidebar'] === 'object' && data['sidebar'] !== null
        ? (data['sidebar'] as Record<string, unknown>)
        : {}
    if (sidebar['hidden'] === true) return undefined
    const badge = sidebar['badge']
    const tag =
      typeof badge === 'string'
        ? badge
        : typeof badge === 'object' && badge !== null
          ? (badge as { text?: unknown }).text
          : undefined
    const entry: Entry = { kind: 'page', source: page.source, ...(typeof tag === 'string' ? { tag } : {}) }
    return { order: typeof sidebar['order'] === 'number' ? sidebar['order'] : Infinity, name, entry }
  }
}

const badgeOf = (badge: Item): string | undefined =>
  textIn(badge) ?? (isDictionary(badge ?? null) ? textIn(objectIn(badge)['text']) : undefined)

function reportRest({ project, report, folder, sign }: Reading, starlight: Dictionary): void {
  for (const plugin of listIn(starlight['plugins']))
    if (isDictionary(plugin))
      report.add('plugin', sign, `The plugin ${textIn(plugin['$call']) ?? ''} has no counterpart.`)
  for (const [name, path] of Object.entries(objectIn(starlight['components'])))
    report.add('theme', sign, `${name} is replaced by ${textIn(path) ?? 'a component'}.`)
  const styles = listIn(starlight['customCss'])
  if (styles.length > 0) report.add('theme', sign, `Styles of the site’s own: ${styles.map(String).join(', ')}.`)
  const pages = project
    .below(posix.join(folder, 'src/pages'))
    .filter((path) => /\.(?:astro|jsx|tsx|vue|svelte)$/.test(path))
  for (const path of pages) report.add('blog', path, 'A page in code: write it as MDX.')
}

function settingsOf(
  starlight: Dictionary,
  { project, folder, code }: { project: Project; folder: string; code: string },
): JsonObject {
  const logo = objectIn(starlight['logo'])
  const place = (value: Item): string | undefined => {
    const path = textIn(value)
    return path === undefined ? undefined : `/${path.replace(/^\.?\//, '')}`
  }
  const [light, dark] = [place(logo['light'] ?? logo['src']), place(logo['dark'])]
  const social = starlight['social']
  const socials = socialsOf(
    Array.isArray(social)
      ? listIn(social)
          .map(objectIn)
          .flatMap((item) => [[textIn(item['icon']) ?? '', textIn(item['href']) ?? ''] as const])
      : Object.entries(objectIn(social)).flatMap(([name, href]) => [[name, textIn(href) ?? ''] as const]),
  )
  const styles = listIn(starlight['customCss']).flatMap((path) =>
    typeof path === 'string' ? (pathFrom(folder, path) ?? []) : [],
  )
  const title =
    textIn(starlight['title']) ??
    textIn(objectIn(starlight['title'])[code]) ??
    textIn(Object.values(objectIn(starlight['title']))[0])
  return {
    name: title ?? 'Documentation',
    description: textIn(starlight['description']),
    colors: { primary: colorIn(project, styles, ['--sl-color-accent', '--sl-color-text-accent']) ?? '#4f46e5' },
    logo: light === undefined ? undefined : { light, dark: dark ?? light },
    favicon: textIn(starlight['favicon']) ?? '/favicon.svg',
    language: code === 'en' ? undefined : code,
    footer: Object.keys(socials).length === 0 ? undefined : { socials },
    repository: repositoryOf(textIn(objectIn(starlight['editLink'])['baseUrl'])) ?? repositoryOf(socials['github']),
  }
}
