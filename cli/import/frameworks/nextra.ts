import { posix } from 'node:path'
import type { Project } from '../project.ts'
import { isDictionary, objectIn, textIn, type Dictionary, type Item } from '../data.ts'
import { ScriptReader } from '../script.ts'
import type { Choice, Entry, FoundSite, Page, Reading, Sidebars } from '../site.ts'
import { factsOf, hostRedirects, humanise, staticFiles, urlOf } from './shared.ts'

const metaFiles = ['ts', 'tsx', 'js', 'jsx', 'json'].map((ending) => `_meta.${ending}`)
const globalFiles = ['ts', 'tsx', 'js', 'jsx'].map((ending) => `_meta.global.${ending}`)

/** Nextra 2 to 4: pages in `content`, `pages` or `app`, order and names in `_meta` files. */
export function readNextra({ project, report, folder: at, sign }: Reading): FoundSite {
  const scripts = new ScriptReader(project, report)
  const roots = ['content', 'src/content', 'pages', 'src/pages', 'app', 'src/app']
    .map((name) => posix.join(at, name))
    .filter((folder) => project.below(folder).some((path) => /\.mdx?$/.test(path)))
  const pages = new Map<string, Page>()
  for (const root of roots)
    for (const page of pagesIn(project, root)) if (!pages.has(page.url)) pages.set(page.url, page)
  const all = [...pages.values()]
  const reader = new MetaReader(project, scripts, all, roots)
  const theme = project.first(...['tsx', 'ts', 'jsx', 'js'].map((ending) => posix.join(at, `theme.config.${ending}`)))
  const config = theme === undefined ? {} : objectIn(scripts.read(theme))
  if (theme !== undefined)
    report.add('theme', theme, 'Logo, footer and the rest of the theme are made by code: set them in docs.json.')
  for (const path of [...project.below(posix.join(at, 'components')), ...project.below(posix.join(at, 'app'))])
    if (/(?:^|\/)page\.(?:tsx|jsx|js|ts)$/.test(path)) report.add('blog', path, 'A page in code: write it as MDX.')
  const { assets, left } = staticFiles(project, [posix.join(at, 'public')])
  if (left.length > 0)
    report.add('theme', left[0] ?? '', `${left.length} files of types that sites do not publish stand in public.`)
  const repository = textIn(config['docsRepositoryBase']) ?? textIn(objectIn(config['project'])['link'])
  return {
    framework: 'nextra',
    dialect: 'nextra',
    sign,
    settings: {
      name: nameOf(project, at),
      colors: { primary: '#0070f3' },
      repository: /^https:\/\/(?:github|gitlab)\.com\/[\w.-]+\/[\w.-]+/.exec(repository ?? '')?.[0],
    },
    pages: all,
    sidebars: reader.sidebars(),
    assets,
    redirects: hostRedirects(project, [...new Set(['', at, posix.join(at, 'public')])]),
    base: '',
    roots: [posix.join(at, 'public'), ...roots],
    aliases: {
      '@/': posix.join(at, project.below(posix.join(at, 'src')).length > 0 ? 'src' : ''),
      '@components/': posix.join(at, 'components'),
      '~/': at,
      'public/': posix.join(at, 'public'),
    },
    endsWithSlash: false,
  }
}

function nameOf(project: Project, at: string): string {
  try {
    const { name } = JSON.parse(project.text(posix.join(at, 'package.json')) ?? '{}') as { name?: unknown }
    return typeof name === 'string' ? humanise(name.replace(/^@[^/]*\//, '')) : 'Documentation'
  } catch {
    return 'Documentation'
  }
}

function pagesIn(project: Project, root: string): Page[] {
  const isApp = /(?:^|\/)app$/.test(root)
  return project.below(root).flatMap((source): Page[] => {
    const path = source.slice(root.length + 1)
    if (/(?:^|\/)[_[.]/.test(path) || !/\.mdx?$/.test(path)) return []
    if (isApp && !/(?:^|\/)page\.mdx?$/.test(path)) return []
    const own = isApp
      ? path.replace(/(?:^|\/)page\.mdx?$/, '').replaceAll(/(?:^|\/)\([^/]*\)/g, '')
      : path.replace(/\.mdx?$/, '').replace(/(?:^|\/)index$/, '')
    return [{ source, url: urlOf(own) }]
  })
}

class MetaReader {
  readonly #project: Project
  readonly #scripts: ScriptReader
  readonly #roots: readonly string[]
  readonly #byUrl: ReadonlyMap<string, Page>
  readonly #global: Dictionary

  constructor(project: Project, scripts: ScriptReader, pages: readonly Page[], roots: readonly string[]) {
    this.#project = project
    this.#scripts = scripts
    this.#roots = roots
    this.#byUrl = new Map(pages.map((page) => [page.url, page]))
    const file = project.first(...roots.flatMap((root) => globalFiles.map((name) => posix.join(root, name))))
    this.#global = file === undefined ? {} : objectIn(scripts.read(file))
  }

  /** Entries at the top of the type `page` are tabs; what is beside them is the first one. */
  sidebars(): Sidebars {
    const meta = this.#meta('/')
    const tabs: Choice[] = []
    const beside: string[] = []
    for (const name of this.#names('/', meta)) {
      const value = meta[name] ?? null
      const own = isDictionary(value) ? objectIn(value) : {}
      if (own['display'] === 'hidden') continue
      const label = this.#labelOf(name, value, urlOf(name))
      const href = textIn(own['href'])
      if (textIn(own['type']) !== 'page' && textIn(own['type']) !== 'menu') beside.push(name)
      else if (href !== undefined) tabs.push({ name: label, href })
      else {
        const entries = this.#entry('/', name, value)
        const [first] = entries
        const items =
          first?.kind === 'group'
            ? [...(first.root === undefined ? [] : [{ kind: 'page', source: first.root } as const]), ...first.items]
            : entries
        if (items.length > 0) tabs.push({ name: label, items })
      }
    }
    const rest = this.#parts(beside, meta, (name) => this.#entry('/', name, meta[name] ?? null))
    if (!tabs.some(({ items }) => items !== undefined)) return { items: rest }
    return { tabs: rest.length === 0 ? tabs : [{ name: 'Docs', items: rest }, ...tabs] }
  }

  #meta(url: string): Dictionary {
    const file = this.#project.first(
      ...this.#roots.flatMap((root) => metaFiles.map((name) => posix.join(root, url, name))),
    )
    if (file !== undefined) return objectIn(this.#scripts.read(file))
    let own = this.#global
    for (const part of url.split('/').filter(Boolean)) own = objectIn(objectIn(own[part])['items'])
    return own
  }

  /** Names in the order of `_meta`, then what it does not name, by name. */
  #names(url: string, meta: Dictionary): string[] {
    const prefix = url === '/' ? '/' : `${url}/`
    const found = new Set<string>()
    for (const path of this.#byUrl.keys())
      if (path.startsWith(prefix) && path !== prefix) found.add(path.slice(prefix.length).split('/')[0] ?? '')
    if (this.#byUrl.has(url)) found.add('index')
    const named = Object.keys(meta).filter((name) => name !== '*')
    const others = [...found]
      .filter((name) => !named.includes(name))
      .sort((one, other) => Number(other === 'index') - Number(one === 'index') || (one < other ? -1 : 1))
    return [...named, ...others]
  }

  /** Entries of a folder: what stands below a separator with a title is a group. */
  #parts(names: readonly string[], meta: Dictionary, entriesOf: (name: string) => readonly Entry[]): Entry[] {
    const parts: { label?: string; items: Entry[] }[] = [{ items: [] }]
    for (const name of names) {
      const own = objectIn(meta[name] ?? null)
      const label = textIn(own['title'])
      if (textIn(own['type']) === 'separator') parts.push({ ...(label === undefined ? {} : { label }), items: [] })
      else parts.at(-1)?.items.push(...entriesOf(name))
    }
    return parts.flatMap(({ label, items }): Entry[] =>
      label === undefined || items.length === 0 ? items : [{ kind: 'group', label, items, expanded: true }],
    )
  }

  #labelOf(name: string, value: Item, url: string): string {
    const own = textIn(value) ?? (isDictionary(value) ? textIn(objectIn(value)['title']) : undefined)
    const page = this.#byUrl.get(url)
    const facts = page === undefined ? undefined : factsOf(this.#project, page.source)
    const sidebar = facts?.data['sidebarTitle']
    return own ?? (typeof sidebar === 'string' ? sidebar : undefined) ?? facts?.title ?? humanise(name)
  }

  #entry(url: string, name: string, value: Item): Entry[] {
    const own = isDictionary(value) ? objectIn(value) : {}
    if (own['display'] === 'hidden' || own['type'] === 'separator') return []
    const at = name === 'index' ? url : urlOf(url, name)
    const label = this.#labelOf(name, value, at)
    const href = textIn(own['href'])
    if (href !== undefined) return [{ kind: 'link', label, href }]
    const page = this.#byUrl.get(at)
    const hasMore = name !== 'index' && [...this.#byUrl.keys()].some((path) => path.startsWith(`${at}/`))
    if (!hasMore) return page === undefined ? [] : [{ kind: 'page', source: page.source, label }]
    const meta = this.#meta(at)
    const names = this.#names(at, meta).filter((inner) => inner !== 'index')
    const items = this.#parts(names, meta, (inner) => this.#entry(at, inner, meta[inner] ?? null))
    return [{ kind: 'group', label, items, ...(page === undefined ? {} : { root: page.source }) }]
  }
}
