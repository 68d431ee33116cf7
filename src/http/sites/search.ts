import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SiteSearch } from '../../answers/site-search.ts'
import type { EntrySearch } from '../../changelog/search.ts'
import { Failure } from '../../contract/failure.ts'
import { allowAnyOrigin, always, head, isRead, noindex, sendPreflight } from '../../hosting/serving/answer.ts'
import { sha256 } from '../../lib/digest.ts'
import { goneSignal } from '../../lib/client-gone.ts'
import { withBase } from '../../lib/base-path.ts'
import { encodePath } from '../../lib/url-path.ts'
import { searchPath } from '../../site/search/format.ts'
import type { Hit } from '../../site/search/engine.ts'
import { baseOf } from '../requests/known.ts'
import type { SiteResponder, SiteTarget } from './sites.ts'

/** Characters of a query. */
const longestQuery = 200

export interface SiteSearchesOptions {
  readonly search: Pick<SiteSearch, 'answers' | 'search'>
  readonly entries: Pick<EntrySearch, 'search'>
  readonly onError: (error: unknown, projectId: string) => void
}

/** `GET /search.json?q=` on the hosts of sites and previews. */
export class SiteSearches {
  readonly #options: SiteSearchesOptions

  constructor(options: SiteSearchesOptions) {
    this.#options = options
  }

  /** Who answers at the path: the site itself where it has no index, or a file of its own there. */
  async at(site: SiteTarget): Promise<SiteTarget | SiteResponder> {
    if (!(await this.#options.search.answers(site))) return site
    return { project: site.project, answer: (request, response) => void this.#answer(request, response, site) }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, site: SiteTarget): Promise<void> {
    // Few are told of a preview.
    if (!site.preview) {
      if (request.method === 'OPTIONS') return sendPreflight(response)
      allowAnyOrigin(response)
    }
    if (!isRead(request, response)) return undefined
    try {
      const gone = goneSignal(response)
      const found = await this.#find(request, site, gone)
      if (!gone.aborted) send(request, response, { status: 200, body: found, preview: site.preview })
    } catch (error) {
      this.#refuse(request, response, { error, site })
    }
    return undefined
  }

  async #find(request: IncomingMessage, site: SiteTarget, signal: AbortSignal): Promise<object> {
    const { url = '' } = request
    const given = new URLSearchParams(url.slice(url.indexOf('?') + 1))
    const one = (name: string): string | undefined => given.get(name) ?? undefined
    const query = (one('q') ?? '').toWellFormed().trim()
    if (!url.includes('?') || query === '' || query.length > longestQuery)
      throw new Failure('invalid_request', `q has between 1 and ${longestQuery} characters.`, {
        hint: `Ask ${searchPath}?q=words; version, language, tab and limit may be given, too.`,
      })
    const limit = one('limit')
    if (limit !== undefined && !/^(?:[1-9]|1\d|20)$/.test(limit))
      throw new Failure('invalid_request', 'limit is a number of pages from 1 to 20.', { hint: 'Leave it out for 8.' })
    const choice = {
      version: one('version'),
      language: one('language'),
      tab: one('tab'),
      limit: limit === undefined ? undefined : Number(limit),
    }
    const hits = await this.#options.search.search(site, query, choice, signal)
    // Previews have none, and no tab has it.
    const hasChangelog = site.changelog !== undefined && choice.tab === undefined
    const changelog = hasChangelog ? await this.#options.entries.search(site.project, query) : []
    const shown = (hit: Hit): object => present(hit, baseOf(request))
    return { query, results: hits.map(shown), ...(hasChangelog ? { changelog: changelog.map(shown) } : {}) }
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    { error, site }: { readonly error: unknown; readonly site: SiteTarget },
  ): void {
    if (response.destroyed || response.headersSent) return
    const isKnown = error instanceof Failure && error.code !== 'internal'
    if (!isKnown) this.#options.onError(error, site.project)
    const { code, status, message, hint } = isKnown ? error : new Failure('internal', 'The service made a mistake.')
    const body = { code, detail: message, ...(hint === undefined ? {} : { hint }) }
    send(request, response, { status, body, preview: site.preview })
  }
}

/** A section as programs get it. */
function present({ path, title, tab, anchor, heading, excerpt, score }: Hit, base: string): object {
  return {
    path: withBase(encodePath(path), base),
    title,
    heading: heading.text,
    anchor,
    excerpt: excerpt.text,
    score: Math.round(score * 100) / 100,
    ...(tab === undefined ? {} : { tab }),
  }
}

function send(
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { status, body, preview }: { readonly status: number; readonly body: object; readonly preview: boolean },
): void {
  const bytes = Buffer.from(JSON.stringify(body))
  const tag = `"${sha256(bytes).slice(0, 32)}"`
  const isKnown = status === 200 && headers['if-none-match'] === tag
  const caching = status === 200 ? ['public, max-age=0, must-revalidate', 'ETag', tag] : ['no-store']
  head(response, isKnown ? 304 : status, [
    'Content-Type',
    'application/json; charset=utf-8',
    ...(isKnown ? [] : ['Content-Length', String(bytes.length)]),
    'Cache-Control',
    ...caching,
    ...(status === 429 ? ['Retry-After', '2'] : []),
    ...always,
    ...(preview ? noindex : []),
  ])
  response.end(isKnown || method === 'HEAD' ? undefined : bytes)
}
