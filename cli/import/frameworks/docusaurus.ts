import { posix } from 'node:path'
import { pathFrom, type Project } from '../project.ts'
import type { Report } from '../report.ts'
import { isDictionary, listIn, objectIn, textIn, type Dictionary, type Item } from '../data.ts'
import { ScriptReader } from '../script.ts'
import type { Choice, FoundSite, Page, Reading, Redirect, Sidebars } from '../site.ts'
import { DocusaurusDocs, type DocsSet } from './docusaurus-docs.ts'
import { settingsOf, type Plugin } from './docusaurus-settings.ts'
import { hostRedirects, staticFiles, urlOf } from './shared.ts'

function pluginsIn(item: Item): Plugin[] {
  return listIn(item).flatMap((entry): Plugin[] => {
    if (typeof entry === 'string') return [{ name: entry, options: {} }]
    const [name, options] = listIn(entry)
    return typeof name === 'string' ? [{ name, options: objectIn(options) }] : []
  })
}

const isDocs = ({ name }: Plugin): boolean => name.endsWith('content-docs')
const carried =
  /content-docs$|client-redirects$|preset-classic$|^classic$|sitemap$|search|gtag|google|theme-mermaid|svgr|ideal-image|debug|vercel-analytics|pwa/

/** Docusaurus 2 and 3: docs with their versions and translations, sidebars, static files, redirects. */
export function readDocusaurus({ project, report, folder, sign }: Reading): FoundSite {
  const scripts = new ScriptReader(project, report)
  const config = objectIn(scripts.read(sign))
  const presets = pluginsIn(config['presets'])
  const preset = presets.find(({ name }) => name.endsWith('classic'))?.options ?? {}
  const plugins = pluginsIn(config['plugins'])
  const sets = [
    ...(preset['docs'] === false || (presets.length === 0 && plugins.some(isDocs)) ? [] : [objectIn(preset['docs'])]),
    ...plugins.filter(isDocs).map(({ options }) => options),
  ]
  const docs = sets.map(
    (options) => new DocusaurusDocs(docsSet(options, folder), { project, report, scripts, locales: localesOf(config) }),
  )
  const themeConfig = objectIn(config['themeConfig'])
  const pages: Page[] = [...docs.flatMap(({ pages: own }) => own), ...codePages(project, report, folder)]
  reportRest(
    { project, report, sign, folder },
    { config, preset, plugins: [...plugins, ...pluginsIn(config['themes'])] },
  )
  const statics = (
    listIn(config['staticDirectories']).length > 0 ? listIn(config['staticDirectories']) : ['static']
  ).flatMap((name) => pathFrom(folder, textIn(name) ?? 'static') ?? [])
  const { assets, left } = staticFiles(project, statics)
  if (left.length > 0)
    report.add(
      'theme',
      left[0] ?? '',
      `${left.length} files of types that sites do not publish stand in static folders.`,
    )
  const base = (textIn(config['baseUrl']) ?? '/').replace(/\/$/, '')
  return {
    framework: 'docusaurus',
    dialect: 'docusaurus',
    settings: settingsOf(config, { project, report, sign, folder, pages, presets, plugins }),
    pages: withoutRepeated(pages, report),
    sidebars: sidebarsOf(docs, themeConfig),
    assets,
    redirects: [
      ...clientRedirects(plugins, pages, { project, report, sign }),
      ...hostRedirects(project, [...new Set(['', folder, ...statics])]),
    ],
    base,
    roots: [...statics, ...docs.map(({ folder: own }) => own), folder],
    aliases: {
      '@site/static/': statics[0] ?? posix.join(folder, 'static'),
      '@site/': folder,
      '@docs/': docs[0]?.folder ?? folder,
    },
    endsWithSlash: config['trailingSlash'] === true,
    isMarkdown: objectIn(config['markdown'])['format'] === 'detect' || objectIn(config['markdown'])['format'] === 'md',
  }
}

function docsSet(options: Dictionary, folder: string): DocsSet {
  const id = textIn(options['id']) ?? 'default'
  const prefix = id === 'default' ? '' : `${id}_`
  return {
    id,
    folder: pathFrom(folder, textIn(options['path']) ?? 'docs') ?? 'docs',
    base: urlOf(textIn(options['routeBasePath']) ?? 'docs'),
    sidebars: sidebarPath(options, folder),
    versions: posix.join(folder, `${prefix}versions.json`),
    versionedDocs: posix.join(folder, `${prefix}versioned_docs`),
    versionedSidebars: posix.join(folder, `${prefix}versioned_sidebars`),
    translations: posix.join(folder, 'i18n'),
    options,
  }
}

/** `./sidebars.ts`, `require.resolve('./sidebars.js')`, `path.resolve(__dirname, 'sidebars.js')`. */
function sidebarPath(options: Dictionary, folder: string): string | undefined {
  const own = options['sidebarPath']
  const texts =
    typeof own === 'string'
      ? [own]
      : isDictionary(own)
        ? listIn(own['arguments']).filter((item) => typeof item === 'string')
        : []
  const last = texts.at(-1)
  return last === undefined ? undefined : pathFrom(folder, last)
}

function localesOf(config: Dictionary): { readonly all: readonly string[]; readonly first: string } {
  const i18n = objectIn(config['i18n'])
  const all = listIn(i18n['locales']).filter((code): code is string => typeof code === 'string')
  const first = textIn(i18n['defaultLocale']) ?? all[0] ?? 'en'
  return { all: all.length > 0 ? all : [first], first }
}

/** Each sidebar that the bar at the top leads to is a tab. */
function sidebarsOf(docs: readonly DocusaurusDocs[], themeConfig: Dictionary): Sidebars {
  const items = listIn(objectIn(themeConfig['navbar'])['items']).map(objectIn)
  const label = (set: string, sidebar: string): string | undefined =>
    textIn(
      items.find((item) => item['sidebarId'] === sidebar && (textIn(item['docsPluginId']) ?? 'default') === set)?.[
        'label'
      ],
    ) ?? (sidebar === '' ? textIn(items.find((item) => item['docsPluginId'] === set)?.['label']) : undefined)
  const order = items.flatMap((item) => textIn(item['sidebarId']) ?? [])
  const [only, ...others] = docs
  if (only !== undefined && others.length === 0) return only.navigation((sidebar) => label(only.id, sidebar), order)
  const tabs = docs.flatMap((own): Choice[] => {
    const inner = own.navigation((sidebar) => label(own.id, sidebar), order)
    return inner.tabs !== undefined && inner.versions === undefined
      ? [...inner.tabs]
      : [{ name: label(own.id, '') ?? labelOf(items, own.id) ?? own.title, ...inner }]
  })
  return { tabs }
}

/** What the bar calls the only sidebar of a docs plugin. */
const labelOf = (items: readonly Dictionary[], set: string): string | undefined =>
  textIn(
    items.find((item) => item['sidebarId'] !== undefined && (textIn(item['docsPluginId']) ?? 'default') === set)?.[
      'label'
    ],
  )

/** Pages beside the docs: Markdown moves, React does not. */
function codePages(project: Project, report: Report, folder: string): Page[] {
  const root = posix.join(folder, 'src/pages')
  return project.below(root).flatMap((source): Page[] => {
    const name = source.slice(root.length + 1)
    if (/(?:^|\/)_/.test(name)) return []
    if (/\.mdx?$/.test(name)) return [{ source, url: urlOf(name.replace(/\.mdx?$/, '').replace(/(?:^|\/)index$/, '')) }]
    if (/\.(?:jsx?|tsx?)$/.test(name) && !/\.(?:test|spec|module)\./.test(name))
      report.add(
        'blog',
        source,
        `A page in code, at ${urlOf(name.replace(/\.\w+$/, '').replace(/(?:^|\/)index$/, ''))}: write it as MDX.`,
      )
    return []
  })
}

function reportRest(
  { project, report, sign, folder }: Reading,
  { config, preset, plugins }: { config: Dictionary; preset: Dictionary; plugins: readonly Plugin[] },
): void {
  for (const plugin of plugins)
    if (!carried.test(plugin.name)) report.add('plugin', sign, `The plugin ${plugin.name} has no counterpart.`)
  const remark = [
    ...listIn(objectIn(preset['docs'])['remarkPlugins']),
    ...listIn(objectIn(preset['docs'])['rehypePlugins']),
  ]
  if (remark.length > 0)
    report.add(
      'plugin',
      sign,
      'remarkPlugins and rehypePlugins change pages while they are built: they have no counterpart.',
    )
  const blog = textIn(objectIn(preset['blog'])['path']) ?? 'blog'
  const posts =
    preset['blog'] === false ? [] : project.below(posix.join(folder, blog)).filter((path) => /\.mdx?$/.test(path))
  if (posts.length > 0)
    report.add(
      'blog',
      posix.join(folder, blog),
      `A blog with ${posts.length} posts: the changelog of a project is the nearest thing here.`,
    )
  const overrides = project.below(posix.join(folder, 'src/theme')).filter((path) => /\.(?:jsx?|tsx?)$/.test(path))
  for (const path of overrides) report.add('theme', path, 'It replaces a part of the theme.')
  if (listIn(config['clientModules']).length > 0) report.add('theme', sign, '`clientModules` are not loaded.')
  const styles = listIn(config['stylesheets'])
  if (styles.length > 0) report.add('theme', sign, 'Style sheets of `stylesheets` were left out.')
  const comments = listIn(objectIn(objectIn(config['themeConfig'])['prism'])['magicComments']).map(objectIn)
  if (comments.some(({ className }) => className !== 'theme-code-block-highlighted-line'))
    report.add('plugin', sign, '`magicComments` of the site’s own stand in its code as they are written.')
}

function clientRedirects(
  plugins: readonly Plugin[],
  pages: readonly Page[],
  { project, report, sign }: Pick<Reading, 'project' | 'report' | 'sign'>,
): Redirect[] {
  const options = plugins.find(({ name }) => name.endsWith('client-redirects'))?.options
  if (options === undefined) return []
  // A function is not read.
  if (/\bcreateRedirects\b/.test(project.text(sign) ?? ''))
    report.add('redirect', sign, 'Redirects that `createRedirects` makes by code were left out.')
  const endings = listIn(options['fromExtensions']).flatMap((ending) => textIn(ending) ?? [])
  const ended = pages.flatMap(({ url }) =>
    url === '/' ? [] : endings.map((ending) => ({ source: `${url}.${ending}`, destination: url })),
  )
  return [...ended, ...redirectsIn(options)]
}

function redirectsIn(options: Dictionary): Redirect[] {
  return listIn(options['redirects']).flatMap((entry): Redirect[] => {
    const { from, to } = objectIn(entry)
    const sources = typeof from === 'string' ? [from] : listIn(from ?? null)
    return typeof to === 'string'
      ? sources.flatMap((source) => (typeof source === 'string' ? [{ source, destination: to }] : []))
      : []
  })
}

/** Two pages at one address: the first stays. */
function withoutRepeated(pages: readonly Page[], report: Report): Page[] {
  const taken = new Map<string, string>()
  return pages.filter(({ url, source }) => {
    const other = taken.get(url)
    if (other === undefined) taken.set(url, source)
    else report.add('page', source, `It would be at ${url}, as ${other}: it was left out.`)
    return other === undefined
  })
}
