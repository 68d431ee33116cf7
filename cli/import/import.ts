import { posix } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import { frameworks, recogniseFramework, type Framework } from '../../src/contract/frameworks.ts'
import { readers } from './frameworks/all.ts'
import { Links } from './links.ts'
import { Modules } from './modules.ts'
import { namePages, writeNavigation } from './navigation.ts'
import { convertPage, type PageContext } from './page.ts'
import { Project } from './project.ts'
import { Report, type Left } from './report.ts'
import type { FoundSite, JsonObject, Redirect } from './site.ts'

/** A file of the new site. */
export type NewFile = { readonly path: string } & ({ readonly text: string } | { readonly from: string })

export interface Imported {
  readonly framework: Framework | 'plain'
  /** The file that told. */
  readonly sign: string | null
  readonly files: readonly NewFile[]
  readonly counts: { readonly pages: number; readonly files: number; readonly redirects: number }
  readonly left: readonly Left[]
}

export const nameOfFramework = (framework: Framework | 'plain'): string =>
  framework === 'plain' ? 'Markdown' : frameworks[framework]

interface ImportOptions {
  /** Is told what is being done, in a word or two. */
  readonly told?: (phase: string) => void
  /** What the user calls the folder. */
  readonly named?: string
}

/**
 * The site of a folder in our words. Reads; writes and runs nothing.
 * @throws Failure where the folder has no page, or needs no import
 */
export function importSite(
  directory: string,
  { told = () => undefined, named = directory }: ImportOptions = {},
): Imported {
  const project = new Project(directory)
  const ready = project.first('docs.json', 'mint.json')
  if (ready !== undefined)
    throw new Failure('invalid_request', `${named} has a ${ready}: it needs no import.`, {
      hint: 'Deploy it as it is: quire deploy <folder>',
    })
  const report = new Report()
  const found = recogniseFramework(project.files)
  told(`reading ${nameOfFramework(found?.framework ?? 'plain')}`)
  const site = readers[found?.framework ?? 'plain']({
    project,
    report,
    folder: found?.folder ?? '',
    sign: found?.sign ?? '',
  })
  if (site.pages.length === 0) throw noPage(named, site.framework, site.sign ?? found?.sign)
  const importer = new SiteImporter(project, site, report)
  told(`converting ${site.pages.length} pages`)
  return { ...importer.run(), framework: site.framework, sign: site.sign ?? found?.sign ?? null, left: report.left }
}

function noPage(named: string, framework: Framework | 'plain', sign: string | undefined): Failure {
  if (framework === 'plain' || sign === undefined)
    return new Failure('invalid_request', `${named} has no page: no file that ends with .md or .mdx.`, {
      hint: 'Name the folder or the repository that has the pages.',
    })
  const above = posix.normalize(posix.join(named, '..'))
  return new Failure(
    'invalid_request',
    `${named} is a site of ${nameOfFramework(framework)} (${sign}), but its pages are not in this folder.`,
    { hint: `Name the folder that has its pages as well, perhaps: quire import ${above}` },
  )
}

class SiteImporter {
  readonly #project: Project
  readonly #site: FoundSite
  readonly #report: Report
  readonly #links: Links
  readonly #modules: Modules
  readonly #snippets = new Map<string, string>()
  readonly #files = new Map<string, NewFile>()

  constructor(project: Project, site: FoundSite, report: Report) {
    this.#project = project
    this.#site = site
    this.#report = report
    this.#links = new Links(project, site)
    this.#modules = new Modules(project, site, this.#links)
  }

  run(): Pick<Imported, 'files' | 'counts'> {
    const { pages, sidebars, assets } = this.#site
    namePages(sidebars, pages)
    const folders = new Set(pages.flatMap(({ url }) => foldersOf(url)))
    const context: PageContext = {
      project: this.#project,
      site: this.#site,
      links: this.#links,
      report: this.#report,
      snippet: (path) => this.#snippet(path),
      modules: this.#modules,
    }
    for (const page of pages) {
      const name = page.url === '/' ? 'index' : page.url.slice(1) + (folders.has(page.url) ? '/index' : '')
      const { text, ending } =
        page.text === undefined ? convertPage(page, context) : ({ text: page.text, ending: '.mdx' } as const)
      this.#add({ path: name + ending, text }, page.source)
    }
    // Parts may import parts.
    for (const done = new Set<string>(); ;) {
      const next = [...this.#snippets].find(([source]) => !done.has(source))
      if (next === undefined) break
      const [source, path] = next
      done.add(source)
      const { text } = convertPage({ source, url: `/${path}` }, context)
      this.#add({ path, text: text.replace(/^---\n[\s\S]*?\n---\n+/, '') })
    }
    for (const [path, text] of this.#modules.files) this.#add({ path, text })
    for (const { source, target } of assets) this.#add({ path: target, from: source })
    const settings = this.#settings()
    for (const [source, target] of this.#links.assets) this.#add({ path: target, from: source })
    const { navigation, links } = writeNavigation(sidebars, pages, this.#links)
    for (const [path, text] of links) this.#add({ path: `${path}.mdx`, text })
    const redirects = this.#redirects()
    const document = { ...settings, navigation, ...(redirects.length === 0 ? {} : { redirects }) }
    this.#files.set('docs.json', { path: 'docs.json', text: `${JSON.stringify(document, null, 2)}\n` })
    const files = [...this.#files.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
    return { files, counts: { pages: pages.length, files: files.length, redirects: redirects.length } }
  }

  /** @param source file of the project that it was made of */
  #add(file: NewFile, source?: string): void {
    const told = 'from' in file ? file.from : (source ?? file.path)
    if (/(?:^|\/)\.{0,2}(?:\/|$)|[\0\\]/.test(file.path))
      this.#report.add('page', told, `Its address, ${file.path}, leads out of the site: it was left out.`)
    else if (this.#files.has(file.path))
      this.#report.add('page', told, `Something else is at ${file.path} already: it was left out.`)
    else this.#files.set(file.path, file)
  }

  /** A page that others import is a snippet, unless it is a page of the site. */
  #snippet(source: string): string | undefined {
    if (!this.#project.has(source)) return undefined
    const page = this.#links.pageOf(source)
    const known = this.#snippets.get(source)
    if (known !== undefined) return `/${known}`
    const name = posix
      .basename(source)
      .replace(/^_/, '')
      .replace(/\.mdx?$/, '')
    const taken = new Set(this.#snippets.values())
    for (let number = 1; ; number++) {
      const path = `snippets/${name}${number === 1 ? '' : `-${number}`}.mdx`
      if (taken.has(path)) continue
      this.#snippets.set(source, path)
      if (page !== undefined) this.#report.add('page', source, `Other pages import it: they have a copy, ${path}.`)
      return `/${path}`
    }
  }

  /** Settings whose files are where they will be. */
  #settings(): JsonObject {
    const place = (value: unknown): unknown => {
      if (typeof value === 'string') return /^(?:https?:|#)/.test(value) ? value : this.#links.resolve(value, '')
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, place(item)]))
    }
    const { logo, favicon, navbar, footer, ...rest } = this.#site.settings
    const links = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(links)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, item]) => [
          key,
          key === 'href' && typeof item === 'string' ? this.#links.resolve(item, '') : links(item),
        ]),
      )
    }
    const { name, description, colors, ...others } = rest
    const ordered = {
      name,
      description,
      colors,
      logo: place(logo),
      favicon: place(favicon),
      navbar: links(navbar),
      footer: links(footer),
      ...others,
    }
    return Object.fromEntries(Object.entries(ordered).filter(([, value]) => value !== undefined)) as JsonObject
  }

  /** Redirects that lead somewhere, and that no page stands in the way of. */
  #redirects(): Redirect[] {
    const { base, pages } = this.#site
    const urls = new Set(pages.map(({ url }) => url))
    const own = (path: string): string => (base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path)
    const bySource = new Map<string, Redirect>()
    for (const { source, destination } of this.#site.redirects) {
      const from = own(source).replace(/(.)\/$/, '$1')
      const to = /^https?:/.test(destination) ? destination : this.#links.resolve(destination, '')
      if (urls.has(from) || from === to || bySource.has(from)) continue
      if (!/^\/[^?#\s]*$/.test(from) || /[()|\\]/.test(from) || /\*(?!$)|\/[^/:]*\*$|:\w+[^\w/*]/.test(from)) {
        this.#report.add('redirect', source, `A redirect to ${destination} whose pattern has no counterpart.`)
        continue
      }
      bySource.set(from, { source: from, destination: to.replace(/(.)\/$/, '$1') })
    }
    // Straight to the end of each way.
    return [...bySource.values()].map(({ source, destination }) => {
      let end = destination
      for (let steps = 0; steps < 10; steps++) end = bySource.get(end)?.destination ?? end
      return { source, destination: end }
    })
  }
}

function foldersOf(url: string): string[] {
  const segments = url.split('/').slice(1, -1)
  return segments.map((_segment, index) => `/${segments.slice(0, index + 1).join('/')}`)
}
