import type { Release, Sha256 } from '../contract/release.ts'
import type { ProjectReleases } from '../hosting/hosting.ts'
import { inSlices, type Steps } from '../lib/slices.ts'
import { encodePath } from '../lib/url-path.ts'
import type { PageSummary } from '../site/page.ts'
import type { Shell } from '../site/shell.ts'
import { decodeShell } from '../site/stored-shell.ts'
import { PassageIndexBuilder, type Hit, type PassageIndex } from './passage-index.ts'
import { readPassages, type PageText } from '../site/search/passages.ts'

/** Opens what is kept of a site. Nobody holds it between two questions: hosting lets go of what is not used. */
export type OpenSite = () => Promise<Pick<ProjectReleases, 'read' | 'blob'>>

/** A part of a page that an answer may rest on. */
export interface Section {
  /** Path with the fragment of its heading. */
  readonly href: string
  /** Title of the page. */
  readonly page: string
  /** Empty over the first heading. */
  readonly heading: string
  readonly text: string
}

/** A page that answers may rest on. */
interface IndexedPage {
  readonly path: string
  readonly artifact: Sha256
  /** Version and language that it is of: a question that is asked in one is not answered from another. */
  readonly scope: string
}

/** Characters of sections that go to a model with a question: some 4,000 tokens. */
const maxText = 14_000
/** Passages that are looked at, and those of one page among them. */
const maxHits = 12
const maxOfPage = 4

/** Bytes that a page takes beside its entries, about. */
const pageBytes = 400

/** The pages of one release, to be asked. */
export class SiteIndex {
  readonly release: string
  /** Bytes, about. */
  readonly weight: number
  readonly #open: OpenSite
  readonly #pages: readonly IndexedPage[]
  readonly #paths: ReadonlyMap<string, IndexedPage>
  readonly #passages: PassageIndex

  private constructor(release: string, parts: { open: OpenSite; pages: IndexedPage[]; passages: PassageIndex }) {
    this.release = release
    this.#open = parts.open
    this.#pages = parts.pages
    this.#passages = parts.passages
    this.#paths = new Map(parts.pages.map((page) => [page.path, page]))
    this.weight = parts.passages.weight + parts.pages.length * pageBytes
  }

  /** Reads all pages of a release that readers may be answered from. */
  static async of(open: OpenSite, id: string, signal: AbortSignal): Promise<SiteIndex> {
    const source = await open()
    const release = await source.read(id)
    if (release === null) throw new Error(`Release ${id} should answer questions and is not kept`)
    const shell = await inSlices(decodeShell(await source.blob(release.shell)), signal)
    const pages = await inSlices(indexedPages(release, shell), signal)
    const builder = new PassageIndexBuilder()
    for (const [number, { artifact }] of pages.entries()) {
      if (builder.isFull) break
      await inSlices(addPage(builder, number, await source.blob(artifact)), signal)
    }
    return new SiteIndex(id, { open, pages, passages: await inSlices(builder.finish(), signal) })
  }

  /** Whether readers may be answered from the page of a path. */
  has(path: string): boolean {
    return this.#paths.has(path)
  }

  /**
   * The sections that say most about a question, best first; none where nothing is said about any word of it.
   *
   * @param from path of the page that the reader looks at, which says of which version they ask.
   */
  async sections(question: string, from: string | undefined, signal: AbortSignal): Promise<readonly Section[]> {
    const scope = from === undefined ? undefined : this.#paths.get(from)?.scope
    const isWanted = (page: number): boolean => scope === undefined || this.#pages[page]?.scope === scope
    const hits = await inSlices(this.#passages.search(question, maxHits, isWanted), signal)
    const texts = new Map<number, PageText>()
    const taken = new Map<number, number>()
    const sections: Section[] = []
    let left = maxText
    for (const hit of hits) {
      const ofPage = taken.get(hit.page) ?? 0
      if (ofPage >= maxOfPage) continue
      const section = await this.#section(hit, texts, signal)
      left -= section.text.length + section.heading.length + section.page.length
      if (left < 0) break
      taken.set(hit.page, ofPage + 1)
      sections.push(section)
    }
    return sections
  }

  async #section({ page, passage }: Hit, texts: Map<number, PageText>, signal: AbortSignal): Promise<Section> {
    const { path, artifact } = this.#pages[page] as IndexedPage
    const text = texts.get(page) ?? (await inSlices(readPassages(await (await this.#open()).blob(artifact)), signal))
    texts.set(page, text)
    const found = text.passages[passage]
    if (found === undefined) throw new Error(`${path} has no passage ${passage}`)
    const fragment = found.anchor === undefined ? '' : `#${encodeURIComponent(found.anchor.toWellFormed())}`
    return { href: encodePath(path) + fragment, page: text.title, heading: found.heading, text: found.text }
  }
}

function* addPage(builder: PassageIndexBuilder, number: number, artifact: Buffer): Steps<void> {
  const { title, passages } = yield* readPassages(artifact)
  for (const [passage, { heading, text }] of passages.entries()) {
    builder.add(number, passage, { title, heading, text })
    yield 'large'
  }
}

/**
 * The pages that the site offers to machines: those that its sitemap and llms.txt list, in the order of navigation.
 * What is hidden, not to be indexed, not to be searched or, unless docs.json says so, in no navigation is not answered from.
 */
function* indexedPages({ pages, routes }: Release, { places, sections, ask }: Shell): Steps<IndexedPage[]> {
  const withheld = new Set<Sha256>()
  for (const path in pages) {
    yield
    const { artifact, summary } = pages[path] as Release['pages'][string]
    const { hidden, noindex, unsearched } = summary as PageSummary
    if (hidden === true || noindex === true || unsearched === true) withheld.add(artifact)
  }
  const scopes = sections.map(scopeOf)
  const indexed: IndexedPage[] = []
  const add = (path: string): void => {
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined
    if (route?.kind !== 'page' || withheld.has(route.blob)) return
    const place = Object.hasOwn(places, path) ? places[path] : undefined
    indexed.push({ path, artifact: route.blob, scope: scopes[place?.section ?? -1] ?? '' })
  }
  for (const path in places) {
    yield
    add(path)
  }
  if (ask?.pages !== 'all') return indexed
  for (const path in routes) {
    yield
    if (!Object.hasOwn(places, path)) add(path)
  }
  return indexed
}

/** Labels of the switches that lead to other words about the same. */
function scopeOf({ switches }: Shell['sections'][number]): string {
  return switches
    .filter(({ kind }) => kind === 'version' || kind === 'language')
    .map(({ label }) => label)
    .join('\n')
}
