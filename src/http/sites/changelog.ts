import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Changelog } from '../../changelog/changelog.ts'
import type { EntrySearch } from '../../changelog/search.ts'
import { askedPage } from '../../changelog/entries-view.tsx'
import {
  changelogPath,
  entryArtifact,
  feedPaths,
  listArtifact,
  type SiteChangelogSource,
} from '../../changelog/site-page.tsx'
import { Failure } from '../../contract/failure.ts'
import type { Hosting } from '../../hosting/hosting.ts'
import { isRead, pageHeaders, sendText } from '../../hosting/serving/answer.ts'
import { documentBody, jsonBody, sendBody, type Body } from '../../hosting/serving/body.ts'
import { acceptedEncoding } from '../../hosting/serving/negotiate.ts'
import type { Projects } from '../../projects/projects.ts'
import type { PageArtifact } from '../../site/page.ts'
import type { SiteResponder, SiteTarget } from './sites.ts'

/** The index of its entries, for the search box: what follows the path of the changelog. */
const searchRest = '/search.json'
/** Feeds on the host of a site, in the same way, and which feed of the API each is. */
const feeds: Readonly<Record<string, string>> = {
  [feedPaths.rss]: 'rss',
  [feedPaths.atom]: 'atom',
  [feedPaths.json]: 'feed.json',
}
/** Pages held in memory. */
const heldBytes = 32 << 20
const longestId = 60

export interface SiteChangelogOptions {
  readonly changelog: Pick<Changelog, 'hasAppeared' | 'page' | 'snapshot' | 'read'>
  readonly projects: Pick<Projects, 'find' | 'slugOf'>
  readonly hosting: Pick<Hosting, 'respond' | 'answersAt' | 'compose'>
  readonly search: Pick<EntrySearch, 'bytes'>
  readonly siteUrl: (projectId: string) => string
  /** URL path of the style sheet of entries. */
  readonly style: string
  readonly onError: (error: unknown, projectId: string) => void
}

type Source = Omit<SiteChangelogSource, 'lang'>
/** A page, in the language of its site. */
type Made = (lang: string) => PageArtifact

/** The changelog of a project as pages of its site, in the look of the release that is shown, and its feeds. */
export class SiteChangelog {
  readonly #options: SiteChangelogOptions
  readonly #kept = new LRUCache<string, Body>({ maxSize: heldBytes, sizeCalculation: (body) => body.size })

  constructor(options: SiteChangelogOptions) {
    this.#options = options
  }

  /**
   * Who answers at a path; undefined where it is nothing of a changelog that there is. What the site itself has there
   * comes first.
   *
   * @param application answers for the feeds, as at their addresses in the API.
   */
  at(site: SiteTarget, path: string, application: RequestListener): SiteResponder | undefined {
    if (!path.startsWith(changelogPath) || !this.#options.changelog.hasAppeared(site.project)) return undefined
    const rest = path.slice(changelogPath.length)
    if (rest !== '' && !/^\/[\w.-]+$/.test(rest) && rest !== '/') return undefined
    return {
      project: site.project,
      answer: (request, response) => void this.#answer(request, response, { site, rest, application }),
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    asked: { readonly site: SiteTarget; readonly rest: string; readonly application: RequestListener },
  ): Promise<void> {
    const { hosting, projects, onError } = this.#options
    const { site, rest, application } = asked
    try {
      if (await hosting.answersAt(site.project, site.release, changelogPath + rest)) {
        hosting.respond(request, response, site)
        return
      }
      const feed = Object.hasOwn(feeds, rest) ? feeds[rest] : undefined
      if (feed !== undefined) {
        request.url = `/api/projects/${projects.slugOf(site.project)}/changelog/${feed}`
        application(request, response)
        return
      }
      if (!isRead(request, response)) return
      const body = await this.#body(site, rest, request.url ?? '')
      if (body === null) {
        hosting.respond(request, response, site)
        return
      }
      const wanted = acceptedEncoding(request.headers['accept-encoding'])
      if (body.lacks(wanted)) await body.compress(wanted)
      sendBody(request, response, body)
    } catch (error) {
      onError(error, site.project)
      if (response.headersSent) response.destroy()
      else sendText(response, 500, 'The service made a mistake')
    }
  }

  /** From memory while neither what is published nor the site has changed; null where there is no such page. */
  async #body(site: SiteTarget, rest: string, url: string): Promise<Body | null> {
    const { changelog, projects, siteUrl, style, hosting, search } = this.#options
    const { project: id, release } = site
    const project = await projects.find(id)
    if (project === null) return null
    const isList = rest === '' || rest === '/'
    const asked = isList ? askedPage(Object.fromEntries(new URLSearchParams(url.split('?', 2)[1] ?? ''))) : null
    const entryId = isList ? undefined : rest.slice(1)
    if ((isList && asked === null) || (entryId?.length ?? 0) > longestId) return null
    const { version } = await changelog.snapshot(id)
    const key = JSON.stringify([id, release, version, project.title, entryId ?? [asked?.number, asked?.tag]])
    const known = this.#kept.get(key)
    if (known !== undefined) return known
    if (rest === searchRest) {
      const index = jsonBody(await search.bytes(id))
      this.#kept.set(key, index)
      return index
    }
    const source = { title: project.title, siteUrl: siteUrl(id), style }
    const artifactIn =
      entryId === undefined ? await this.#list(id, asked, source) : await this.#entry(id, entryId, source)
    if (artifactIn === null) return null
    const path = entryId === undefined ? changelogPath : `${changelogPath}/${entryId}`
    const document = await hosting.compose(site, path, (lang) => Buffer.from(JSON.stringify(artifactIn(lang))))
    const body = documentBody(document, pageHeaders(document))
    this.#kept.set(key, body)
    return body
  }

  async #list(id: string, asked: ReturnType<typeof askedPage>, source: Source): Promise<Made | null> {
    const page = asked === null ? null : await this.#options.changelog.page(id, asked)
    return page === null ? null : (lang) => listArtifact({ ...source, lang }, page)
  }

  async #entry(id: string, entryId: string, source: Source): Promise<Made | null> {
    try {
      const entry = await this.#options.changelog.read(id, entryId, 'public')
      return (lang) => entryArtifact({ ...source, lang }, entry)
    } catch (error) {
      if (error instanceof Failure && error.code === 'not_found') return null
      throw error
    }
  }
}
