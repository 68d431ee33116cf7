import { posix } from 'node:path'
import { slugIn } from './markdown/anchors.ts'
import { splitPage, titleIn } from './markdown/front-matter.ts'
import { pathFrom, type Project } from './project.ts'
import type { FoundSite, Page } from './site.ts'

const scheme = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#|\?)/i
const pageEnding = /\.(?:mdx?|markdown|html)$/i

/** Where addresses of the site lead that is imported, as addresses of the new one. */
export class Links {
  readonly #project: Project
  readonly #site: FoundSite
  readonly #byUrl: ReadonlyMap<string, Page>
  readonly #bySource: ReadonlyMap<string, Page>
  readonly #assets = new Map<string, string>()
  readonly #targets: ReadonlyMap<string, string>
  /** Ids that the first headings of pages had, which are titles now. */
  readonly #titles = new Map<Page, string | undefined>()

  constructor(project: Project, site: FoundSite) {
    this.#project = project
    this.#site = site
    this.#byUrl = new Map(site.pages.map((page) => [page.url.toLowerCase(), page]))
    this.#bySource = new Map(site.pages.map((page) => [page.source, page]))
    this.#targets = new Map(site.assets.map(({ source, target }) => [source, target]))
  }

  /** Files that pages show and that no static folder brings: by path in the project, where they go. */
  get assets(): ReadonlyMap<string, string> {
    return this.#assets
  }

  pageOf(source: string): Page | undefined {
    return this.#bySource.get(source)
  }

  pageAt(url: string): Page | undefined {
    return this.#byUrl.get(url.toLowerCase())
  }

  /**
   * A reference as the new site has it; unchanged where it leads out of the site, or to nothing that is known.
   * @param from path of the file that has it
   */
  resolve(reference: string, from: string): string {
    const expanded = this.#expand(reference)
    if (expanded === undefined || (scheme.test(reference) && expanded === reference)) return reference
    const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(expanded) ?? []
    const decoded = decode(path)
    const target = this.#target(decoded, from)
    const page = target === undefined ? undefined : this.#byUrl.get(target.toLowerCase())
    const isTop = page !== undefined && tail.startsWith('#') && tail.slice(1) === this.#titleId(page)
    return withTail(target, isTop ? '' : tail) ?? reference
  }

  #titleId(page: Page): string | undefined {
    if (!this.#titles.has(page)) {
      const { title } = titleIn(splitPage(this.#project.text(page.source) ?? '').body)
      this.#titles.set(page, title === undefined ? undefined : slugIn(this.#site.dialect, title))
    }
    return this.#titles.get(page)
  }

  /** `@site/docs/x.md` → `/docs/x.md` from the root of the project, marked by two slashes. */
  #expand(reference: string): string | undefined {
    if (reference.startsWith('pathname://')) return reference.replace(/^pathname:\/+/, '/')
    for (const [alias, folder] of Object.entries(this.#site.aliases))
      if (reference.startsWith(alias)) return `//${posix.join(folder, reference.slice(alias.length))}`
    return scheme.test(reference) ? undefined : reference
  }

  #target(path: string, from: string): string | undefined {
    if (path.startsWith('//')) return this.#file(path.slice(2))
    if (path.startsWith('/')) return this.#absolute(path)
    const source = pathFrom(posix.dirname(from), path)
    const file = source === undefined ? undefined : this.#file(source)
    if (file !== undefined) return file
    // What a browser would make of it.
    const page = this.#bySource.get(from)
    if (page === undefined) return undefined
    const folder = this.#site.endsWithSlash ? page.url : posix.dirname(page.url)
    return this.#absolute(posix.join('/', folder, path))
  }

  #absolute(path: string): string | undefined {
    const { base, roots } = this.#site
    const own = base !== '' && (path === base || path.startsWith(`${base}/`)) ? path.slice(base.length) || '/' : path
    const url = own.replace(pageEnding, '').replace(/\/(?:index|README)?$/i, '') || '/'
    const page = this.#byUrl.get(url.toLowerCase())
    if (page !== undefined) return page.url
    for (const root of roots) {
      const file = this.#file(posix.join(root, own.slice(1)))
      if (file !== undefined) return file
    }
    return undefined
  }

  /** Where a picture goes: where it stood beside the pages, else into a folder of its own. Two never share a place. */
  #place(path: string): string {
    const root = this.#site.roots
      .filter((folder) => folder !== '' && path.startsWith(`${folder}/`))
      .toSorted((one, other) => other.length - one.length)
      .at(0)
    const shown = (own: string): string =>
      own
        .split('/')
        .filter((part) => !part.startsWith('.'))
        .join('/')
    const target = root === undefined ? `assets/${shown(path)}` : shown(path.slice(root.length + 1))
    const taken = new Set([...this.#assets.values(), ...this.#targets.values()])
    return taken.has(target) ? `assets/${shown(path)}` : target
  }

  /** A file of the project: a page, or what a page shows. */
  #file(path: string): string | undefined {
    const clean = path.replace(/^\/+/, '').replace(/\/$/, '')
    const bare = clean.replace(/\.html$/i, '')
    const endings = ['', '.md', '.mdx', '/index.md', '/index.mdx', '/README.md', '/readme.md', '/page.mdx']
    for (const ending of endings) {
      const page = this.#bySource.get(bare + ending)
      if (page !== undefined) return page.url
    }
    const isText = /\.mdx?$/i.test(clean)
    if (!this.#project.has(clean) || (isText && !clean.includes('.gitbook/assets/'))) return undefined
    const known = this.#targets.get(clean)
    if (known !== undefined) return `/${known}`
    if (!/\.[a-z0-9]{2,5}$/i.test(clean)) return undefined
    const before = this.#assets.get(clean)
    if (before !== undefined) return `/${before}`
    // To be read as it is: it is no page.
    const target = this.#place(clean) + (isText ? '.txt' : '')
    this.#assets.set(clean, target)
    return `/${target}`
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function withTail(path: string | undefined, tail: string): string | undefined {
  return path === undefined ? undefined : encodeURI(path).replaceAll('(', '%28').replaceAll(')', '%29') + tail
}
