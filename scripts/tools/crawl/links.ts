import { Parser } from 'htmlparser2'
import { navigationOf, pathsOf, type Site } from './site.ts'

interface Found {
  /** Page and address. */
  readonly from: string
  readonly href: string
  readonly status: number
}

/** What a reader who opens every page and every link meets. */
export interface Crawl {
  readonly pages: number
  readonly links: number
  /** Addresses on the site that do not answer, each once. */
  readonly dead: readonly Found[]
  /** Parts that pages do not have, each once. */
  readonly deadAnchors: readonly Found[]
  /** Entries of the navigation that are not served. */
  readonly unserved: readonly string[]
  /** Pictures of pages that take their place only when they have come, each once. */
  readonly unsized: readonly string[]
}

interface Page {
  readonly links: readonly string[]
  readonly names: ReadonlySet<string>
  readonly unsized: readonly string[]
}

/** Opens every page of a site over HTTP, and everything on the site that they lead to. */
export async function crawl(site: Site): Promise<Crawl> {
  const [files, navigation, map] = await Promise.all([
    pathsOf(site.folder),
    navigationOf(site.folder),
    site.get('/sitemap.xml'),
  ])
  const listed = [...map.text.matchAll(/<loc>([^<]*)<\/loc>/g)].map((match) => pathOf(decoded(match[1] ?? '')))
  const answers = new Answers(site)
  const seeds = new Set(['/', ...listed, ...navigation, ...files])
  const pages = new Map<string, Page>()
  const waiting = [...seeds]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const { status, at, page } = await answers.at(path)
    if (status !== 200 || page === undefined || pages.has(at)) continue
    pages.set(at, page)
    for (const href of page.links) if (!seeds.has(pathOf(href))) waiting.push(pathOf(href))
    for (const href of page.links) seeds.add(pathOf(href))
  }
  const dead = new Map<string, Found>()
  const deadAnchors = new Map<string, Found>()
  let links = 0
  for (const [from, page] of pages) {
    for (const link of page.links) {
      links += 1
      const href = link.startsWith('#') ? from + link : link
      const { status, at, page: target, hash } = await answers.at(pathOf(href))
      const fragment = href.includes('#') ? href.slice(href.indexOf('#') + 1) : ''
      if (status >= 400) dead.set(pathOf(href), { from, href, status })
      else if (target !== undefined && !has(target, fragment) && !has(target, hash || fragment))
        deadAnchors.set(href, { from, href: `${href}${at === pathOf(href) ? '' : ` (at ${at})`}`, status })
    }
  }
  const unserved: string[] = []
  for (const path of new Set(navigation)) if ((await answers.at(path)).status !== 200) unserved.push(path)
  const unsized = [...new Set([...pages.values()].flatMap((page) => page.unsized))]
  return {
    pages: pages.size,
    links,
    dead: [...dead.values()],
    deadAnchors: [...deadAnchors.values()],
    unserved,
    unsized,
  }
}

interface Answer {
  readonly status: number
  /** Path at which it came out. */
  readonly at: string
  /** Of the last redirect. */
  readonly hash: string
  /** Absent for what is no page, and on another host. */
  readonly page?: Page
}

/** What is at the paths of a site, asked for once. */
class Answers {
  readonly #known = new Map<string, Promise<Answer>>()
  readonly #site: Site

  constructor(site: Site) {
    this.#site = site
  }

  at(path: string): Promise<Answer> {
    const known = this.#known.get(path) ?? this.#ask(path)
    this.#known.set(path, known)
    return known
  }

  async #ask(start: string): Promise<Answer> {
    let [at, hash] = [start, '']
    for (let hop = 0; hop < 10; hop++) {
      const { status, headers, text } = await this.#site.get(at)
      const location = status >= 300 && status < 400 ? String(headers['location'] ?? '') : ''
      if (location === '') {
        const isPage = status === 200 && String(headers['content-type']).startsWith('text/html')
        return { status, at, hash, ...(isPage ? { page: read(text, at) } : {}) }
      }
      const target = new URL(location, this.#site.origin)
      if (target.origin !== this.#site.origin) return { status: 200, at: location, hash: '' }
      hash = target.hash.slice(1) || hash
      at = target.pathname
    }
    return { status: 508, at, hash }
  }
}

/** Links of a document that stay on the site, and the names that they may lead to. */
function read(html: string, path: string): Page {
  const links = new Set<string>()
  const names = new Set<string>()
  const unsized: string[] = []
  const base = new URL(path, 'http://site.invalid')
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (attributes['id'] !== undefined) names.add(attributes['id'])
      if (name === 'img' && !hasSize(attributes)) unsized.push(attributes['src'] ?? '')
      if (name === 'a' && attributes['name'] !== undefined) names.add(attributes['name'])
      for (const written of [attributes['href'], attributes['src'], attributes['poster']]) {
        if (written === undefined || written.startsWith('data:')) continue
        if (written.startsWith('#')) links.add(written)
        else if (URL.canParse(written, base)) {
          const url = new URL(written, base)
          if (url.host === base.host) links.add(url.pathname + url.hash)
        }
      }
    },
  })
  parser.end(html)
  return { links: [...links], names, unsized }
}

function hasSize({ width, height, style = '', class: classes = '' }: Readonly<Record<string, string>>): boolean {
  const isOfTheme = /\bq-(?!card-image)/.test(classes)
  return (
    isOfTheme ||
    height !== undefined ||
    /height|aspect-ratio/.test(style) ||
    (width !== undefined && /aspect/.test(style))
  )
}

function has({ names }: Page, fragment: string): boolean {
  const name = fragment.replace(/:~:.*$/s, '')
  return name === '' || name === 'top' || names.has(name) || names.has(decoded(name))
}

/** Encoded path of an address, without query and fragment. */
function pathOf(href: string): string {
  return (URL.canParse(href) ? new URL(href).pathname : href).replace(/[?#].*$/s, '') || '/'
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
