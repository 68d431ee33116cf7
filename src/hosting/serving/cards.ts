import type { IncomingMessage, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Card, Composer, PageRoute } from '../../contract/release.ts'
import { Failure } from '../../contract/failure.ts'
import { head, always, sendText, type RawHeaders } from './answer.ts'
import type { ServedRelease } from './served.ts'

/** Where cards are, by name and page: `/_quire/og/<name>/guide/start.png`. */
const address = /^\/_quire\/og\/([0-9a-f]{32})(\/.+)\.png$/
/** Cards in memory: some seven hundred. They are drawn again in a moment, and those who show them keep them. */
const heldBytes = 16 << 20
/** Cards as words in memory: whoever asks for names that are none has no page read again. */
const heldCards = 2000

export interface SiteCardsOptions {
  readonly composer: Composer
  /** A PNG. Throws `unavailable` where there is no time for it. */
  readonly draw: (project: string, card: Card) => Promise<Buffer>
}

interface Asked {
  readonly project: string
  readonly served: ServedRelease
  readonly path: string
  readonly headers: RawHeaders
}

/**
 * Cards of pages, drawn when they are asked for: most never are. The page in the address says what may be drawn, so whoever
 * asks for another name than that of its card gets nothing, and costs nothing more.
 */
export class SiteCards {
  readonly #options: SiteCardsOptions
  readonly #drawn: LRUCache<string, Buffer, { readonly project: string; readonly card: Card }>

  readonly #found = new LRUCache<string, { readonly card: Card | null }>({ max: heldCards })

  constructor(options: SiteCardsOptions) {
    this.#options = options
    this.#drawn = new LRUCache({
      maxSize: heldBytes,
      sizeCalculation: (png) => png.length,
      ignoreFetchAbort: true,
      fetchMethod: (_key, _before, { context: { project, card } }) => options.draw(project, card),
    })
  }

  isAt(path: string): boolean {
    return address.test(path)
  }

  async respond(request: IncomingMessage, response: ServerResponse, asked: Asked): Promise<void> {
    const card = await this.#find(asked)
    if (card === null) return sendText(response, 404, 'There is nothing here', asked.headers)
    const etag = `"${card.name}"`
    const caching = ['ETag', etag, 'Cache-Control', 'public, max-age=31536000, immutable']
    if (request.headers['if-none-match'] === etag) {
      head(response, 304, caching)
      response.end()
      return undefined
    }
    const png = await this.#draw(asked.project, card)
    if (png === null)
      return sendText(response, 503, 'The picture is not drawn yet', ['Retry-After', '5', ...asked.headers])
    head(response, 200, [
      'Content-Type',
      'image/png',
      'Content-Length',
      String(png.length),
      ...caching,
      ...always,
      ...asked.headers,
    ])
    response.end(request.method === 'HEAD' ? undefined : png)
    return undefined
  }

  async #find({ served, path }: Asked): Promise<Card | null> {
    const [, name, found = ''] = address.exec(path) ?? []
    const page = found === '/index' ? '/' : found
    const route = served.routes[page]
    if (route?.kind !== 'page') return null
    const key = `${served.shell}${route.blob}${page}`
    const known = this.#found.get(key) ?? { card: await this.#read(served, route, page) }
    this.#found.set(key, known)
    return known.card?.name === name ? known.card : null
  }

  async #read(served: ServedRelease, route: PageRoute, page: string): Promise<Card | null> {
    const [shell, artifact] = await Promise.all([
      served.openShell(this.#options.composer),
      served.project.blob(route.blob),
    ])
    return shell.card(artifact, page)
  }

  /** Null where there is no time for it. */
  async #draw(project: string, card: Card): Promise<Buffer | null> {
    try {
      // By project: that somebody else has the same is told by no answer that comes sooner.
      return await this.#drawn.forceFetch(`${project} ${card.name}`, { context: { project, card } })
    } catch (error) {
      if (error instanceof Failure && error.code === 'unavailable') return null
      throw error
    }
  }
}
