import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { ProjectInfo, Projects } from '../../projects/projects.ts'
import type { Changelog } from '../../changelog/changelog.ts'
import { askedPage } from '../../changelog/entries-view.tsx'
import { renderEntry, renderList, renderMissing, renderSuspended, type PageSource } from '../../changelog/page.tsx'
import { Failure } from '../../contract/failure.ts'
import { Body, sendBody } from '../../hosting/serving/body.ts'
import { acceptedEncoding } from '../../hosting/serving/negotiate.ts'
import type { Visibility } from '../../visibility/visibility.ts'
import { KnownResponse } from '../requests/known.ts'
import { loadChangelogStyle } from '../../site/theme/assets.ts'

export interface ChangelogPageOptions {
  readonly changelog: Pick<Changelog, 'page' | 'snapshot' | 'read'>
  readonly projects: Pick<Projects, 'resolve' | 'find'>
  readonly siteUrl: (projectId: string) => string
  /** Where a changelog is for readers: on the project’s site, where there is one. */
  readonly pageUrl: (projectId: string) => string
  /** Origin of the dashboard and the API. */
  readonly publicUrl: string
  readonly visibility: Pick<Visibility, 'isPrivate'>
  /** Whether a member asks, who is signed in. */
  readonly isMember: (request: FastifyRequest, projectId: string) => Promise<boolean>
}

/** Pages held in memory. */
const heldBytes = 32 << 20

/** Nothing of a page runs, and nothing but pictures, sound and film comes from elsewhere. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'self'; img-src https: data:; media-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** As above where sites are without TLS: their pictures are, too. @param siteUrl origin of the project's site */
function policyFor(siteUrl: string): string {
  if (siteUrl.startsWith('https:')) return contentSecurityPolicy
  return contentSecurityPolicy
    .replace('img-src https: data:', `img-src https: data: ${siteUrl}`)
    .replace('media-src https:', `media-src https: ${siteUrl}`)
}

/** The public changelog of every project, for browsers: pages that are whole without JavaScript. */
export function changelogPageRoutes(app: FastifyInstance, options: ChangelogPageOptions): void {
  const style = loadChangelogStyle()
  const stylePath = `/dashboard/_assets/${style.name}`
  const pages = new Pages(options, stylePath)
  /** Finds the project of the path; under a slug that it has no more, its readers are sent on. */
  const at = async (
    request: FastifyRequest<{ Params: { slug: string } }>,
    reply: FastifyReply,
    show: (projectId: string) => Promise<FastifyReply>,
  ): Promise<FastifyReply> => {
    const { slug } = request.params
    const named = options.projects.resolve(slug)
    const id = await seenId(request, reply, named?.id ?? '')
    if (named === null || named.movedTo === null || id === '') return show(id)
    const rest = request.url.replace(/^\/dashboard\/[^/]+/, '')
    return reply.header('cache-control', 'no-cache').redirect(`/dashboard/${named.movedTo}${rest}`, 301)
  }
  /** Of a private project, nobody but its members sees that there is one: not by a header either. */
  const seenId = async (request: FastifyRequest, reply: FastifyReply, projectId: string): Promise<string> => {
    if (projectId !== '' && !options.visibility.isPrivate(projectId)) return projectId
    if (reply.raw instanceof KnownResponse) reply.raw.isPrivate = true
    return projectId !== '' && (await options.isMember(request, projectId)) ? projectId : ''
  }
  app.get(stylePath, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type('text/css; charset=utf-8')
      .send(style.bytes),
  )
  app.get<{ Params: { slug: string }; Querystring: { page?: unknown; tag?: unknown } }>(
    '/dashboard/:slug/changelog',
    (request, reply) =>
      at(request, reply, async (projectId) => send(await pages.list(projectId, request.query), request, reply)),
  )
  app.get<{ Params: { slug: string; id: string } }>('/dashboard/:slug/changelog/:id', (request, reply) =>
    at(request, reply, async (projectId) => send(await pages.entry(projectId, request.params.id), request, reply)),
  )
}

/** From memory, as pages of sites are: with a strong tag for each encoding, 304 where the reader has it. */
async function send(body: Body, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const wanted = acceptedEncoding(request.headers['accept-encoding'])
  if (body.lacks(wanted)) await body.compress(wanted)
  reply.hijack()
  sendBody(request.raw, reply.raw, body)
  return reply
}

class Pages {
  readonly #options: ChangelogPageOptions
  readonly #style: string
  readonly #kept = new LRUCache<string, Body>({ maxSize: heldBytes, sizeCalculation: (body) => body.size })

  constructor(options: ChangelogPageOptions, style: string) {
    this.#options = options
    this.#style = style
  }

  async list(id: string, query: { readonly page?: unknown; readonly tag?: unknown }): Promise<Body> {
    const project = await this.#options.projects.find(id)
    if (project === null) return this.#missing()
    if (project.suspended !== undefined) return this.#suspended()
    const source = this.#sourceOf(project)
    const asked = askedPage(query)
    if (asked === null) return this.#missing(source)
    const { version } = await this.#options.changelog.snapshot(id)
    return this.#once([id, version, asked.number, asked.tag, project.title], async () => {
      const page = await this.#options.changelog.page(id, asked)
      return page === null ? this.#missing(source) : bodyOf(200, renderList(source, page), source)
    })
  }

  async entry(id: string, entryId: string): Promise<Body> {
    const project = await this.#options.projects.find(id)
    if (project === null) return this.#missing()
    if (project.suspended !== undefined) return this.#suspended()
    const source = this.#sourceOf(project)
    const { version } = await this.#options.changelog.snapshot(id)
    return this.#once([id, version, entryId, 'entry', project.title], async () => {
      try {
        const entry = await this.#options.changelog.read(id, entryId, 'public')
        return bodyOf(200, renderEntry(source, entry), source)
      } catch (error) {
        if (error instanceof Failure && error.code === 'not_found') return this.#missing(source)
        throw error
      }
    })
  }

  /** From memory while nothing that is published has changed. What is not there is not kept: a scan would fill it. */
  async #once(key: readonly unknown[], make: () => Promise<Body>): Promise<Body> {
    const name = JSON.stringify(key)
    const known = this.#kept.get(name)
    if (known !== undefined) return known
    const body = await make()
    if (body.status === 200) this.#kept.set(name, body)
    return body
  }

  #missing(source?: PageSource): Body {
    return bodyOf(404, renderMissing(this.#style, source), source)
  }

  #suspended(): Body {
    return bodyOf(403, renderSuspended(this.#style))
  }

  #sourceOf({ id, slug, title }: ProjectInfo): PageSource {
    const { publicUrl, siteUrl, pageUrl } = this.#options
    const api = `${publicUrl}/api/projects/${slug}/changelog`
    return {
      title,
      siteUrl: siteUrl(id),
      pageUrl: `${publicUrl}/dashboard/${slug}/changelog`,
      // Of the dashboard, as all around it.
      lang: 'en',
      canonicalUrl: pageUrl(id),
      feeds: { rss: `${api}/rss`, atom: `${api}/atom`, json: `${api}/feed.json` },
      style: this.#style,
    }
  }
}

function bodyOf(status: 200 | 403 | 404, html: string, source?: PageSource): Body {
  const bytes = Buffer.from(html, 'utf8')
  const tag = createHash('sha256').update(bytes).digest('base64url').slice(0, 27)
  return new Body({
    status,
    bytes,
    ...(status === 200 ? { tag } : {}),
    headers: [
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Security-Policy',
      policyFor(source?.siteUrl ?? 'https:'),
      'Cross-Origin-Opener-Policy',
      'same-origin',
      'X-Frame-Options',
      'DENY',
    ],
    caching: ['Cache-Control', 'public, max-age=0, must-revalidate', 'Vary', 'Accept-Encoding'],
    compressible: true,
  })
}
