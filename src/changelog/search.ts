import { LRUCache } from 'lru-cache'
import { forOwner, inSlices, isTurnOver, nextTurn } from '../lib/slices.ts'
import { SearchIndex, type Hit } from '../site/search/engine.ts'
import { WholeFiles, type WholeIndex } from '../site/search/files.ts'
import type { PartText } from '../site/search/format.ts'
import { readParts } from '../site/search/parts.ts'
import { wholeIndex } from '../site/search/whole.ts'
import type { Changelog } from './changelog.ts'
import { nameOf } from './entries-view.tsx'
import { changelogPath } from './site-page.tsx'

export interface EntrySearchOptions {
  readonly changelog: Pick<Changelog, 'hasAppeared' | 'published' | 'snapshot'>
  readonly ownerOf: (projectId: string) => string
}

/** The newest entries that are found, and the characters of their texts together: readers load all of them. */
const mostEntries = 200
const mostText = 120_000
/** Of one entry, its HTML and what is shown of it. */
const longestHtml = 64 * 1024
const longestText = 4000
/** Entries that are in memory whole while they are read. */
const readAtOnce = 5
/** Bytes of indexes in memory, about. */
const heldBytes = 16 << 20
/** Entries that a search for programs adds. */
const mostHits = 3

interface Made {
  readonly bytes: Buffer
  readonly index: SearchIndex
}

/**
 * Finds published entries. They come and go without a deploy, so no release has them in its index: they have one of their
 * own, in one piece, made when it is first asked for after something has changed.
 */
export class EntrySearch {
  readonly #options: EntrySearchOptions
  readonly #made: LRUCache<string, Made, string>

  constructor(options: EntrySearchOptions) {
    this.#options = options
    this.#made = new LRUCache({
      maxSize: heldBytes,
      // Parsed it is in memory once more, twice as large.
      sizeCalculation: ({ bytes }) => 1000 + 3 * bytes.length,
      ignoreFetchAbort: true,
      fetchMethod: (_key, _before, { context }) => this.#make(context),
    })
  }

  /** The index as browsers get it: JSON of a `WholeIndex`. */
  async bytes(projectId: string): Promise<Buffer> {
    return (await this.#of(projectId)).bytes
  }

  /** The entries that say most about a query, best first; none without a changelog. */
  async search(projectId: string, query: string): Promise<readonly Hit[]> {
    if (!this.#options.changelog.hasAppeared(projectId)) return []
    const { index } = await this.#of(projectId)
    return index.search(query, { pages: mostHits, sections: 1 })
  }

  async #of(projectId: string): Promise<Made> {
    const { version } = await this.#options.changelog.snapshot(projectId)
    const made = await this.#made.fetch(`${projectId} ${version}`, { context: projectId })
    return made ?? this.#make(projectId)
  }

  #make(projectId: string): Promise<Made> {
    return forOwner(this.#options.ownerOf(projectId), async () => {
      const index: WholeIndex = await inSlices(wholeIndex(await this.#texts(projectId)))
      const pause = () => (isTurnOver() ? nextTurn() : undefined)
      return { bytes: Buffer.from(JSON.stringify(index)), index: await SearchIndex.open(new WholeFiles(index), pause) }
    })
  }

  async #texts(projectId: string): Promise<readonly PartText[]> {
    const texts: PartText[] = []
    let left = mostText
    for (let offset = 0; offset < mostEntries && left > 0; offset += readAtOnce) {
      const { entries } = await this.#options.changelog.published(projectId, { limit: readAtOnce, offset })
      for (const entry of entries) {
        const artifact = { title: nameOf(entry), html: entry.html.slice(0, longestHtml) }
        const [part] = await inSlices(readParts(Buffer.from(JSON.stringify(artifact)), `${changelogPath}/${entry.id}`))
        if (part === undefined) continue
        const text = shortened(part.text)
        left -= text.sections.reduce((sum, [, heading, body]) => sum + heading.length + body.length, 0)
        if (left < 0) break
        texts.push(text)
      }
      if (entries.length < readAtOnce) break
    }
    return texts
  }
}

/** What is found of an entry is its beginning, at its own address. */
function shortened({ path, title, sections }: PartText): PartText {
  const text = sections.map(([, heading, body]) => (heading === '' ? body : `${heading}\n${body}`)).join('\n')
  return { path, title, first: true, sections: [['', '', text.slice(0, longestText).toWellFormed()]] }
}
