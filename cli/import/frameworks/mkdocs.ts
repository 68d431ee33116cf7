import { posix } from 'node:path'
import ignore from 'ignore'
import { parse } from 'yaml'
import { pathFrom, type Project } from '../project.ts'
import type { Report } from '../report.ts'
import { dictionary } from '#site/mdx/interpreter/values.ts'
import { isDictionary, listIn, objectIn, textIn, type Dictionary, type Item, dataOf } from '../data.ts'
import type { Choice, Entry, FoundSite, JsonObject, Page, Reading, Redirect, Sidebars } from '../site.ts'
import { headSettings, type HeadTag } from './head.ts'
import { factsOf, hostRedirects, humanise, repositoryOf, socialsOf, staticFiles, urlOf } from './shared.ts'
import { htmlAddresses } from './vitepress.ts'

/** Colours of Material by name. */
const colors: Readonly<Record<string, string>> = {
  red: '#ef5552',
  pink: '#e92063',
  purple: '#ab47bd',
  'deep purple': '#7e56c2',
  indigo: '#4051b5',
  blue: '#2094f3',
  'light blue': '#02a6f2',
  cyan: '#00bdd6',
  teal: '#009485',
  green: '#4cae4f',
  'light green': '#8bc34b',
  lime: '#cbdc38',
  yellow: '#ffec3d',
  amber: '#ffc105',
  orange: '#ffa724',
  'deep orange': '#ff6e42',
  brown: '#795649',
  grey: '#757575',
  'blue grey': '#546d78',
}
/** Plugins whose work is done here, or that change nothing that readers see. */
const carried =
  /^(?:search|redirects|macros|social|minify|git-|glightbox|autorefs|privacy|offline|optimize|tags|info|meta|typeset|rss|open-in-new-tab|material\/(?:search|social|tags|privacy|offline|optimize|meta|info|typeset))/

/** MkDocs, mostly with Material: `nav`, tabs, extensions, redirects. */
export function readMkdocs({ project, report, folder: at, sign }: Reading): FoundSite {
  const config = readConfig(project, report, sign)
  const root = pathFrom(at, textIn(config['docs_dir']) ?? 'docs') ?? posix.join(at, 'docs')
  const theme = typeof config['theme'] === 'string' ? { name: config['theme'] } : objectIn(config['theme'])
  const custom = textIn(theme['custom_dir'])
  const overrides = custom === undefined ? undefined : pathFrom(at, custom)
  const excluded = ignore().add([
    ...(textIn(config['exclude_docs']) ?? '').split('\n'),
    ...(textIn(config['draft_docs']) ?? '').split('\n'),
  ])
  const files = project.below(root).filter((path) => overrides === undefined || !path.startsWith(`${overrides}/`))
  const pages = files.flatMap((source): Page[] => {
    const path = source.slice(root.length + 1)
    if (!path.endsWith('.md') || excluded.ignores(path)) return []
    return [{ source, url: urlOf(path.replace(/\.md$/, '').replace(/(?:^|\/)(?:index|README)$/, '')) }]
  })
  const features = listIn(theme['features'])
  const reader = new NavReader(project, report, { root, pages, isIndexed: features.includes('navigation.indexes') })
  const nav = config['nav'] === undefined ? reader.folder('') : reader.entries(listIn(config['nav']))
  const plugins = pluginsOf(config['plugins'])
  reportRest({ project, report, sign, folder: root }, { config, plugins, overrides })
  const statics = staticFiles(project, [root])
  const assets = statics.assets.filter(
    ({ source }) => !source.endsWith('.md') && (overrides === undefined || !source.startsWith(`${overrides}/`)),
  )
  const snippets = extensionOf(config, 'pymdownx.snippets')
  const bases =
    typeof snippets['base_path'] === 'string' ? [snippets['base_path']] : listIn(snippets['base_path'] ?? null)
  const includes = [
    '',
    at,
    root,
    ...bases.flatMap((path) => (typeof path === 'string' ? (pathFrom(at, path) ?? []) : [])),
  ]
  const appended = listIn(snippets['auto_append']).flatMap((path) =>
    typeof path === 'string' ? (project.text(pathFrom(at, path) ?? '') ?? '').split('\n') : [],
  )
  const isPlain = config['use_directory_urls'] === false
  return {
    framework: 'mkdocs',
    dialect: 'mkdocs',
    settings: {
      ...settingsOf(config, theme, project, root),
      ...headSettings(analyticsOf(config), report, sign),
    },
    extensions: extensionsOf(config),
    pages: pages.filter(
      ({ source }) => !(source.endsWith('README.md') && project.has(source.replace(/README\.md$/, 'index.md'))),
    ),
    sidebars: features.includes('navigation.tabs') ? tabsOf(nav, project) : { items: nav },
    assets,
    redirects: [
      ...redirectsOf(objectIn(plugins.get('redirects'))),
      ...(isPlain ? htmlAddresses(pages) : []),
      ...hostRedirects(project, [...new Set(['', at])]),
    ],
    base: '',
    roots: [root],
    aliases: {},
    endsWithSlash: !isPlain,
    values: valuesOf(objectIn(config['extra'])),
    appended,
    includes: [...new Set(includes)],
  }
}

/** With what it inherits. Tags such as `!!python/name:…` are read as what they stand before. */
function readConfig(project: Project, report: Report, path: string): Dictionary {
  try {
    const config = objectIn(dataOf(parse(project.text(path) ?? '', { logLevel: 'silent', merge: true })))
    const above = textIn(config['INHERIT'])
    const parent = above === undefined ? undefined : pathFrom(posix.dirname(path), above)
    return parent === undefined || parent === path || !project.has(parent)
      ? config
      : { ...readConfig(project, report, parent), ...config }
  } catch (error) {
    report.add('config', path, `It is no YAML: ${(error as Error).message.split('\n')[0] ?? ''}`)
    return {}
  }
}

function pluginsOf(item: Item): ReadonlyMap<string, Item> {
  if (isDictionary(item ?? null)) return new Map(Object.entries(objectIn(item)))
  return new Map(
    listIn(item).flatMap((entry): [string, Item][] =>
      typeof entry === 'string' ? [[entry, null]] : Object.entries(objectIn(entry)),
    ),
  )
}

function extensionOf(config: Dictionary, name: string): Dictionary {
  const extensions = config['markdown_extensions']
  if (isDictionary(extensions ?? null)) return objectIn(objectIn(extensions)[name])
  return objectIn(
    listIn(extensions)
      .map(objectIn)
      .find((entry) => name in entry)?.[name],
  )
}

function extensionsOf(config: Dictionary): ReadonlySet<string> {
  const extensions = config['markdown_extensions']
  const names = isDictionary(extensions ?? null)
    ? Object.keys(objectIn(extensions))
    : listIn(extensions).flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.keys(objectIn(entry))))
  // Both bring all of these.
  const all = names.some((name) => name === 'pymdownx.extra' || name === 'pymdownx')
  return new Set(all ? [...names, 'pymdownx.inlinehilite', 'pymdownx.tilde', 'pymdownx.caret'] : names)
}

/** `extra.analytics` as the script that it loads. */
function analyticsOf(config: Dictionary): HeadTag[] {
  const property = textIn(objectIn(objectIn(config['extra'])['analytics'])['property'])
  return property === undefined ? [] : [{ name: 'script', attributes: dictionary([['src', property] as const]) }]
}

function valuesOf(extra: Dictionary, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(extra).flatMap(([key, value]) =>
      isDictionary(value)
        ? Object.entries(valuesOf(value, `${prefix}${key}.`))
        : typeof value === 'string' || typeof value === 'number'
          ? [[prefix + key, String(value)]]
          : [],
    ),
  )
}

function redirectsOf(options: Dictionary): Redirect[] {
  const address = (path: string): string =>
    /^https?:/.test(path)
      ? path
      : urlOf(
          path
            .replace(/#.*$/, '')
            .replace(/\.md$/, '')
            .replace(/(?:^|\/)(?:index|README)$/, ''),
        ) + (/#.*$/.exec(path)?.[0] ?? '')
  return Object.entries(objectIn(options['redirect_maps'])).flatMap(([from, to]) =>
    typeof to === 'string' ? [{ source: address(from), destination: address(to) }] : [],
  )
}

class NavReader {
  readonly #project: Project
  readonly #report: Report
  readonly #root: string
  readonly #isIndexed: boolean
  readonly #pages: readonly Page[]
  readonly #bySource: ReadonlyMap<string, Page>

  constructor(
    project: Project,
    report: Report,
    { root, pages, isIndexed }: { root: string; pages: readonly Page[]; isIndexed: boolean },
  ) {
    this.#project = project
    this.#report = report
    this.#root = root
    this.#isIndexed = isIndexed
    this.#pages = pages
    this.#bySource = new Map(pages.map((page) => [page.source, page]))
  }

  entries(items: readonly Item[]): Entry[] {
    return items.flatMap((item): Entry[] => {
      if (typeof item === 'string') return this.#target(item)
      return Object.entries(objectIn(item)).flatMap(([label, value]): Entry[] =>
        typeof value === 'string' ? this.#target(value, label) : [this.#section(label, this.entries(listIn(value)))],
      )
    })
  }

  #section(label: string, items: readonly Entry[]): Entry {
    const [first] = items
    const root =
      this.#isIndexed && first?.kind === 'page' && /(?:^|\/)(?:index|README)\.md$/.test(first.source)
        ? first.source
        : undefined
    const own = label.trim() === '' && first?.kind === 'page' ? (first.label ?? this.#titleOf(first.source)) : label
    return {
      kind: 'group',
      label: own,
      items: root === undefined ? items : items.slice(1),
      ...(root === undefined ? {} : { root }),
    }
  }

  #titleOf(source: string): string {
    return factsOf(this.#project, source).title ?? humanise(posix.basename(source))
  }

  #target(target: string, label?: string): Entry[] {
    if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith('/'))
      return [{ kind: 'link', label: label ?? target, href: target }]
    const source = posix.join(this.#root, target)
    if (target.endsWith('/')) return this.folder(target.replace(/\/$/, ''))
    if (this.#bySource.has(source))
      return [{ kind: 'page', source, ...(label === undefined || label.trim() === '' ? {} : { label }) }]
    this.#report.add('navigation', 'mkdocs.yml', `\`nav\` names ${target}, which is not there.`)
    return []
  }

  /** Without `nav`: files by name, an index first, then folders. */
  folder(directory: string): Entry[] {
    const prefix = posix.join(this.#root, directory, '/')
    const inside = this.#pages
      .filter(({ source }) => source.startsWith(prefix))
      .map(({ source }) => source.slice(prefix.length))
    const names = [...new Set(inside.map((path) => path.split('/')[0] ?? ''))].sort()
    const isIndex = (name: string): boolean => /^(?:index|README)\.md$/.test(name)
    const inOrder = [...names.filter(isIndex), ...names.filter((name) => !isIndex(name))]
    return inOrder.map((name): Entry =>
      name.endsWith('.md')
        ? { kind: 'page', source: prefix + name }
        : this.#section(humanise(name), this.folder(posix.join(directory, name))),
    )
  }
}

/** Sections at the top are tabs, and so are pages beside them. */
function tabsOf(entries: readonly Entry[], project: Project): Sidebars {
  const tabs = entries.map((entry): Choice => {
    if (entry.kind === 'link') return { name: entry.label, href: entry.href }
    if (entry.kind === 'page')
      return {
        name: entry.label ?? factsOf(project, entry.source).title ?? humanise(posix.basename(entry.source)),
        items: [entry],
      }
    if (entry.kind === 'api') return { name: entry.label, items: [entry] }
    return {
      name: entry.label,
      items: [...(entry.root === undefined ? [] : [{ kind: 'page', source: entry.root } as const]), ...entry.items],
    }
  })
  return { tabs }
}

function reportRest(
  { project, report, sign, folder }: Reading,
  {
    config,
    plugins,
    overrides,
  }: { config: Dictionary; plugins: ReadonlyMap<string, Item>; overrides: string | undefined },
): void {
  for (const name of plugins.keys())
    if (!carried.test(name)) report.add('plugin', sign, `The plugin ${name} has no counterpart.`)
  if (listIn(config['hooks']).length > 0)
    report.add('plugin', sign, '`hooks` change pages while they are built: they have no counterpart.')
  if (overrides !== undefined)
    report.add('theme', overrides, `It replaces parts of the theme, ${project.below(overrides).length} files.`)
  for (const key of ['extra_css', 'extra_javascript'])
    if (listIn(config[key]).length > 0)
      report.add(
        'theme',
        sign,
        `\`${key}\`: ${listIn(config[key])
          .map((item) => (typeof item === 'string' ? item : (textIn(objectIn(item)['path']) ?? '')))
          .join(', ')}.`,
      )
  if (textIn(config['copyright']) !== undefined)
    report.add('theme', sign, 'The copyright at the foot of pages was left out: a link in `footer` can say it.')
  const version = objectIn(objectIn(config['extra'])['version'])
  if (textIn(version['provider']) === 'mike')
    report.add(
      'plugin',
      sign,
      'Versions that mike keeps in another branch were left out: `gitTag` of `versions` shows tags.',
    )
  if (listIn(objectIn(config['extra'])['alternate']).length > 0)
    report.add('navigation', sign, '`alternate` leads to languages that are sites of their own: it was left out.')
  const generated = plugins.has('blog') || plugins.has('material/blog') ? project.below(posix.join(folder, 'blog')) : []
  if (generated.length > 0)
    report.add('blog', posix.join(folder, 'blog'), 'A blog: its posts are pages now, without its lists.')
}

function settingsOf(config: Dictionary, theme: Dictionary, project: Project, root: string): JsonObject {
  const palette = Array.isArray(theme['palette'])
    ? listIn(theme['palette']).map(objectIn)
    : [objectIn(theme['palette'])]
  const named = palette
    .flatMap((entry) => [textIn(entry['primary']), textIn(entry['accent'])])
    .flatMap((name) => (name === undefined ? [] : (colors[name] ?? [])))
  const place = (value: Item): string | undefined => {
    const path = textIn(value)
    return path === undefined || /^https?:/.test(path) ? path : `/${path}`
  }
  const social = listIn(objectIn(config['extra'])['social']).map(objectIn)
  const socials = socialsOf(
    social.map((item) => [(textIn(item['icon']) ?? '').split('/').at(-1) ?? '', textIn(item['link']) ?? ''] as const),
  )
  const logo = place(theme['logo'])
  const slate = palette.length === 1 && palette[0]?.['scheme'] === 'slate'
  const language = textIn(theme['language'])
  const favicon =
    place(theme['favicon']) ?? (project.has(posix.join(root, 'img/favicon.ico')) ? '/img/favicon.ico' : undefined)
  return {
    name: textIn(config['site_name']) ?? 'Documentation',
    description: textIn(config['site_description']),
    colors: { primary: named[0] ?? '#4051b5' },
    logo: logo === undefined ? undefined : { light: logo, dark: logo },
    favicon,
    appearance: slate ? { default: 'dark' } : undefined,
    language: language === 'en' ? undefined : language,
    footer: Object.keys(socials).length === 0 ? undefined : { socials },
    repository: repositoryOf(textIn(config['repo_url'])),
  }
}
