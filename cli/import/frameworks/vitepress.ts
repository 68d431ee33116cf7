import { posix } from 'node:path'
import { pathFrom, type Project } from '../project.ts'
import { isDictionary, listIn, objectIn, textIn, type Dictionary, type Item } from '../data.ts'
import { ScriptReader } from '../script.ts'
import type { Choice, Entry, FoundSite, JsonObject, Page, Reading, Redirect, Sidebars } from '../site.ts'
import { headSettings, headTagsIn } from './head.ts'
import {
  colorIn,
  factsOf,
  globPattern,
  hostRedirects,
  humanise,
  repositoryOf,
  socialsOf,
  staticFiles,
  urlOf,
} from './shared.ts'

interface Locale {
  readonly key: string
  readonly code: string
  readonly theme: Dictionary
}

/** VitePress: pages by their paths, one or several sidebars, languages by folder. */
export function readVitepress({ project, report, folder: at, sign }: Reading): FoundSite {
  const scripts = new ScriptReader(project, report)
  const config = objectIn(scripts.read(sign))
  const root = pathFrom(at, textIn(config['srcDir']) ?? '') ?? at
  const excluded = listIn(config['srcExclude']).flatMap((glob) => (typeof glob === 'string' ? [globPattern(glob)] : []))
  const rewrites = objectIn(config['rewrites'])
  const prefix = root === '' ? '' : `${root}/`
  const pages = project.below(root).flatMap((source): Page[] => {
    const path = source.slice(prefix.length)
    const isPage =
      path.endsWith('.md') &&
      !/(?:^|\/)(?:\.|node_modules\/|public\/)/.test(path) &&
      !excluded.some((glob) => glob.test(path))
    if (!isPage || (path.includes('[') && path.includes(']'))) return []
    const to = textIn(rewrites[path]) ?? path
    return [{ source, url: urlOf(to.replace(/\.md$/, '').replace(/(?:^|\/)index$/, '')) }]
  })
  for (const path of Object.keys(rewrites))
    if (/[:*]/.test(path)) report.add('config', sign, `The rewrite of ${path} is a pattern, and has no counterpart.`)
  for (const source of project.below(root))
    if (/\[[\w-]+\]\.md$/.test(source)) report.add('blog', source, 'Its pages are made by code, from data.')
  const { assets, left } = staticFiles(project, [posix.join(root, 'public')])
  if (left.length > 0)
    report.add('theme', left[0] ?? '', `${left.length} files of types that sites do not publish stand in public.`)
  const theme = project.below(posix.join(at, '.vitepress/theme')).filter((path) => /\.(?:vue|ts|js|css)$/.test(path))
  if (theme.length > 0)
    report.add(
      'theme',
      posix.join(at, '.vitepress/theme'),
      `A theme of the site’s own, ${theme.length} files: components, layouts and styles.`,
    )
  reportRest({ project, report, folder: at, sign }, config)
  const locales = localesOf(config)
  const sidebars = locales.map((locale) => ({
    locale,
    inner: new SidebarReader(project, pages, locale.theme, locale.key === 'root' ? '' : `/${locale.key}`).read(),
  }))
  const [first, ...others] = sidebars
  const languages = sidebars.map(({ locale, inner }, index): Choice => ({
    name: locale.code,
    ...(index === 0 ? { isDefault: true } : {}),
    ...inner,
  }))
  const redirects = hostRedirects(project, [...new Set(['', at, root, posix.join(root, 'public')])])
  return {
    framework: 'vitepress',
    dialect: 'vitepress',
    settings: {
      ...settingsOf(config, locales[0]?.theme ?? {}, {
        project,
        styles: theme.filter((path) => path.endsWith('.css')),
      }),
      ...headSettings(headTagsIn(config['head']), report, sign),
    },
    pages,
    sidebars: first === undefined ? {} : others.length === 0 ? first.inner : { languages },
    assets,
    redirects: [...redirects, ...(config['cleanUrls'] === true ? [] : htmlAddresses(pages))],
    base: (textIn(config['base']) ?? '/').replace(/\/$/, ''),
    roots: [root, posix.join(root, 'public')],
    aliases: { '@/': root },
    extensions: new Set(objectIn(config['markdown'])['lineNumbers'] === true ? ['lineNumbers'] : []),
    endsWithSlash: false,
  }
}

/** Settings of Markdown that say nothing here, or that are so here anyway. */
const plainMarkdown =
  /^(?:math|theme|image|codeTransformers|languages|languageAlias|toc|anchor|headers|lineNumbers|emoji|attrs|linkify|cache|gfmAlerts|container|externalLinks|defaultHighlightLang)$/

function reportRest({ project, report, sign }: Reading, config: Dictionary): void {
  const markdown = Object.keys(objectIn(config['markdown'])).filter((key) => !plainMarkdown.test(key))
  if (markdown.length > 0)
    report.add(
      'plugin',
      sign,
      `\`markdown\` changes how pages are read (${markdown.join(', ')}): its plugins have no counterpart.`,
    )
  // Functions are not read.
  const text = project.text(sign) ?? ''
  const hooks = ['transformPageData', 'transformHtml', 'transformHead', 'buildEnd'].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(text),
  )
  if (hooks.length > 0)
    report.add('plugin', sign, `Code that runs when pages are built was left out: ${hooks.join(', ')}.`)
  const footer = objectIn(objectIn(config['themeConfig'])['footer'])
  if (footer['message'] !== undefined || footer['copyright'] !== undefined)
    report.add('theme', sign, 'The words at the foot of pages were left out: a link in `footer` can say them.')
  if (objectIn(config['themeConfig'])['carbonAds'] !== undefined)
    report.add('plugin', sign, '`carbonAds` shows nothing here.')
}

/** Pages had addresses with `.html`, which others link to. */
export function htmlAddresses(pages: readonly Page[]): Redirect[] {
  return pages.flatMap(({ url, source }) =>
    url === '/'
      ? []
      : /(?:^|\/)index\.md$/.test(source)
        ? [{ source: `${url}/index.html`, destination: url }]
        : [{ source: `${url}.html`, destination: url }],
  )
}

/** Languages whose pages are here; a `link` to another host is none. */
function localesOf(config: Dictionary): Locale[] {
  const theme = objectIn(config['themeConfig'])
  const locales = Object.entries(objectIn(config['locales'])).flatMap(([key, value]): Locale[] => {
    const own = objectIn(value)
    if (/^https?:/.test(textIn(own['link']) ?? '')) return []
    return [
      {
        key,
        code: textIn(own['lang']) ?? (key === 'root' ? (textIn(config['lang']) ?? 'en') : key),
        theme: { ...theme, ...objectIn(own['themeConfig']) },
      },
    ]
  })
  const first = locales.find(({ key }) => key === 'root')
  return first === undefined
    ? [{ key: 'root', code: textIn(config['lang']) ?? 'en', theme }, ...locales]
    : [first, ...locales.filter((locale) => locale !== first)]
}

class SidebarReader {
  readonly #project: Project
  readonly #theme: Dictionary
  readonly #prefix: string
  readonly #byUrl: ReadonlyMap<string, Page>

  constructor(project: Project, pages: readonly Page[], theme: Dictionary, prefix: string) {
    this.#project = project
    this.#theme = theme
    this.#prefix = prefix
    this.#byUrl = new Map(pages.map((page) => [page.url.toLowerCase(), page]))
  }

  read(): Sidebars {
    const { sidebar } = this.#theme
    if (Array.isArray(sidebar)) return { items: this.#items(listIn(sidebar), '') }
    if (!isDictionary(sidebar ?? null)) return { items: this.#all() }
    const tabs = Object.entries(objectIn(sidebar)).flatMap(([key, value]): Choice[] => {
      const own = isDictionary(value) ? objectIn(value) : { items: value }
      const items = this.#items(listIn(own['items']), textIn(own['base']) ?? '', key)
      return items.length === 0 ? [] : [{ name: this.#labelOf(key), items }]
    })
    const [only] = tabs
    return tabs.length === 1 && only !== undefined ? { items: only.items ?? [] } : { tabs }
  }

  /** What the bar at the top calls the part of the site that a sidebar is of. */
  #labelOf(key: string): string {
    const clean = (address: string): string => address.replace(/(.)\/$/, '$1')
    const items = listIn(this.#theme['nav'])
      .map(objectIn)
      .flatMap((item) => [item, ...listIn(item['items']).map(objectIn)])
    const links = items.flatMap((item) => {
      const [label, link] = [textIn(item['text']), textIn(item['link'])]
      return label === undefined || link === undefined ? [] : [{ label, link }]
    })
    const exact = links.find(({ link }) => clean(link) === clean(key))
    const within = links.find(({ link }) => link.startsWith(key) && key !== '/')
    return (exact ?? within)?.label ?? humanise(/([^/]+)\/?$/.exec(key)?.[1] ?? 'Docs')
  }

  /** The sidebar that a page shows: the longest beginning of its address. */
  #keyOf(url: string): string | undefined {
    const keys = isDictionary(this.#theme['sidebar'] ?? null) ? Object.keys(objectIn(this.#theme['sidebar'])) : []
    const byLength = keys.toSorted((one, other) => other.length - one.length)
    return byLength.find((key) => `${url}/`.startsWith(urlOf(key) === '/' ? '/' : `${urlOf(key)}/`))
  }

  #items(items: readonly Item[], base: string, key?: string): Entry[] {
    return items.map(objectIn).flatMap((item): Entry[] => {
      const [label, link] = [
        textIn(item['text'])
          ?.replaceAll(/<[^>]*>/g, '')
          .trim(),
        textIn(item['link']),
      ]
      const inner = textIn(item['base']) ?? base
      const page = link === undefined ? undefined : this.#page(inner + link)
      if (item['items'] === undefined) {
        if (link === undefined) return []
        const home = page === undefined || key === undefined ? key : this.#keyOf(page.url)
        if (page !== undefined && label !== undefined && home !== undefined && home !== key)
          return [{ kind: 'link', label, href: page.url }]
        if (page !== undefined)
          return [{ kind: 'page', source: page.source, ...(label === undefined ? {} : { label }) }]
        return label === undefined ? [] : [{ kind: 'link', label, href: inner + link }]
      }
      const entries = this.#items(listIn(item['items']), inner, key)
      if (label === undefined) return entries
      if (entries.length === 0 && page === undefined) return []
      return [
        {
          kind: 'group',
          label,
          items: entries,
          ...(page === undefined ? {} : { root: page.source }),
          ...(item['collapsed'] === false ? { expanded: true } : {}),
        },
      ]
    })
  }

  #page(link: string): Page | undefined {
    if (/^[a-z]+:|#/i.test(link)) return undefined
    const url = urlOf(link.replace(/\.(?:md|html)$/, '').replace(/(?:^|\/)index$/, '/'))
    return this.#byUrl.get(url.toLowerCase()) ?? this.#byUrl.get(urlOf(this.#prefix, url).toLowerCase())
  }

  /** Without a sidebar: the pages as they stand in folders. */
  #all(): Entry[] {
    const own = [...this.#byUrl.values()].filter(
      ({ url }) => this.#prefix === '' || url.startsWith(`${this.#prefix}/`) || url === this.#prefix,
    )
    return foldersOf(this.#project, own, this.#prefix)
  }
}

/** Pages by their folders, an index first, the others by name. */
export function foldersOf(project: Project, pages: readonly Page[], prefix: string): Entry[] {
  const depth = prefix.split('/').length
  const entries: Entry[] = []
  const groups = new Map<string, Page[]>()
  for (const page of [...pages].sort((one, other) => (one.url < other.url ? -1 : 1))) {
    const [name = '', ...rest] = page.url.split('/').slice(depth)
    const hasOthers = pages.some(({ url }) => url.startsWith(`${prefix}/${name}/`))
    if (name === '' || (rest.length === 0 && !hasOthers)) entries.push({ kind: 'page', source: page.source })
    else groups.set(name, [...(groups.get(name) ?? []), page])
  }
  for (const [name, inner] of groups) {
    const root = inner.find(({ url }) => url === `${prefix}/${name}`)
    const label = (root === undefined ? undefined : factsOf(project, root.source).title) ?? humanise(name)
    const items = foldersOf(
      project,
      inner.filter((page) => page !== root),
      `${prefix}/${name}`,
    )
    entries.push({ kind: 'group', label, items, ...(root === undefined ? {} : { root: root.source }) })
  }
  return entries
}

function settingsOf(
  config: Dictionary,
  theme: Dictionary,
  { project, styles }: { project: Project; styles: readonly string[] },
): JsonObject {
  const logo = theme['logo']
  const [light, dark] = isDictionary(logo ?? null)
    ? [textIn(objectIn(logo)['light'] ?? objectIn(logo)['src']), textIn(objectIn(logo)['dark'])]
    : [textIn(logo), undefined]
  const head = listIn(config['head']).map(listIn)
  const icon = head.find(
    ([tag, attributes]) => tag === 'link' && /icon/.test(textIn(objectIn(attributes)['rel']) ?? ''),
  )
  const socials = socialsOf(
    listIn(theme['socialLinks'])
      .map(objectIn)
      .flatMap((item) => {
        const [name, link] = [textIn(item['icon']) ?? '', textIn(item['link'])]
        return link === undefined ? [] : [[name, link] as const]
      }),
  )
  const nav = listIn(theme['nav']).map(objectIn)
  const linksOf = (items: readonly Dictionary[]) =>
    items.flatMap((item) => {
      const [label, href] = [textIn(item['text']), textIn(item['link'])]
      return label === undefined || href === undefined ? [] : [{ label, href }]
    })
  // What leads to a part of the site is a tab; menus are columns at the foot of the page.
  const links = linksOf(nav).filter(({ href }) => !/^\/.*\/$/.test(href))
  const columns = nav.flatMap((item) => {
    const inner = listIn(item['items']).map(objectIn)
    const items = linksOf([...inner, ...inner.flatMap((more) => listIn(more['items']).map(objectIn))])
    return items.length === 0 ? [] : [{ header: textIn(item['text']) ?? 'More', items }]
  })
  const banner = objectIn(theme['banner'])
  const [content, address] = [textIn(banner['text']), textIn(banner['url'])]
  const mode = config['appearance']
  const repository = repositoryOf(textIn(objectIn(theme['editLink'])['pattern'])) ?? repositoryOf(socials['github'])
  return {
    name: textIn(theme['siteTitle']) ?? textIn(config['title']) ?? 'Documentation',
    description: textIn(config['description']),
    colors: { primary: colorIn(project, styles, ['--vp-c-brand-1', '--vp-c-brand']) ?? '#3451b2' },
    logo: light === undefined ? undefined : { light, dark: dark ?? light },
    favicon: textIn(objectIn(icon?.[1])['href']),
    appearance: mode === 'dark' ? { default: 'dark' } : mode === false ? { default: 'light', strict: true } : undefined,
    language: textIn(config['lang']),
    banner:
      content === undefined ? undefined : { content: address === undefined ? content : `[${content}](${address})` },
    navbar: links.length === 0 ? undefined : { links: links.slice(0, 8) },
    footer: { socials, ...(columns.length === 0 ? {} : { links: columns.slice(0, 4) }) },
    repository,
  }
}
