import type { RequestListener } from 'node:http'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isbot } from 'isbot'
import type { Analytics, ReadPage } from '../../analytics/analytics.ts'
import type { Feedback } from '../../analytics/feedback.ts'
import { analyticsLimits } from '../../contract/analytics.ts'
import { Failure } from '../../contract/failure.ts'
import { limits, type RateLimitName } from '../../contract/limits.ts'
import { readerPaths } from '../../contract/reader-paths.ts'
import type { Hosting } from '../../hosting/hosting.ts'
import { noticePage, noticePolicy } from './notice.tsx'
import { assertOwnPage } from './own-page.ts'
import { SitePosts } from './posts.ts'
import { sitePath } from './site-path.ts'
import type { SiteResponder, SiteTarget } from './sites.ts'

/** A note and a path, each byte of them written as an escape. */
const bodyLimit = 3 * (4 * analyticsLimits.note + 4 * limits.pathBytes) + 1000

const settingOf = {
  [readerPaths.views]: 'analytics',
  [readerPaths.searches]: 'analytics',
  [readerPaths.feedback]: 'feedback',
} as const

interface Limiter {
  count(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName): Promise<void>
  countOwn(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName): Promise<void>
}

export interface ReaderReportsOptions {
  readonly analytics: Analytics
  readonly feedback: Feedback
  readonly hosting: Pick<Hosting, 'respond'>
  /** Origin of a site, as it is asked for. */
  readonly originOf: (site: SiteTarget) => string
}

/** Fields of a form; who sends one twice has sent none. */
type Fields = Readonly<Record<string, unknown>>

/**
 * What pages of live sites report of their readers: views, searches, and whether a page was helpful. Nothing that tells
 * readers apart is looked at beyond the rate limits.
 */
export class ReaderReports {
  readonly #options: ReaderReportsOptions
  readonly #posts = new SitePosts()

  constructor(options: ReaderReportsOptions) {
    this.#options = options
  }

  /** Who answers at one of the paths: the application; the site itself where that is off, as at every path. Undefined for others. */
  at(site: SiteTarget, path: string, application: RequestListener): Promise<SiteTarget | SiteResponder> | undefined {
    return Object.hasOwn(settingOf, path)
      ? this.#at(site, settingOf[path as keyof typeof settingOf], application)
      : undefined
  }

  async #at(
    site: SiteTarget,
    setting: 'analytics' | 'feedback',
    application: RequestListener,
  ): Promise<SiteTarget | SiteResponder> {
    const { analytics, hosting } = this.#options
    if (!(await analytics.settings(site.project, site.release))[setting]) return site
    return this.#posts.responder(site, application, (request, response) => hosting.respond(request, response, site))
  }

  async routes(app: FastifyInstance, limiter: Limiter): Promise<void> {
    const { analytics, originOf } = this.#options
    const admit = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const site = this.#posts.siteOf(request)
      void reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      const isFeedback = request.routeOptions.url === readerPaths.feedback
      if (isFeedback) await limiter.count(request, reply, 'feedback')
      else await limiter.countOwn(request, reply, 'views')
      assertOwnPage(request, originOf(site), 'Only pages of this site may report its readers.')
    }
    await app.register(async (scope) => {
      await scope.register(formbody, { bodyLimit })
      scope.addHook('onRequest', admit)
      // A form that is sent without scripts is a page that somebody reads.
      scope.setErrorHandler((error, { headers }, reply) => {
        if (!(error instanceof Failure) || error.code === 'internal' || !asksForPage(headers)) throw error
        const { status, message, hint, retryAfter } = error
        if (retryAfter !== undefined) void reply.header('retry-after', String(Math.ceil(retryAfter)))
        void reply.headers({ 'content-security-policy': noticePolicy, vary: 'Accept' })
        const page = noticePage({ title: message.replace(/\.$/, ''), ...(hint === undefined ? {} : { text: hint }) })
        return reply.code(status).type('text/html; charset=utf-8').send(page)
      })

      scope.post(readerPaths.views, { bodyLimit }, async (request, reply) => {
        const page = pageOf(this.#posts.siteOf(request), fieldsOf(request))
        if (isCounted(request) && (await analytics.view(page)) === null) throw noPage()
        return reply.code(204).send()
      })

      scope.post(readerPaths.searches, { bodyLimit }, async (request, reply) => {
        const { query, found } = fieldsOf(request)
        if (typeof query !== 'string' || (found !== 'yes' && found !== 'no'))
          throw new Failure('invalid_request', 'A search has a query, and found, which is yes or no.')
        if (isCounted(request)) analytics.search(this.#posts.siteOf(request).project, query, found === 'yes')
        return reply.code(204).send()
      })

      scope.post(readerPaths.feedback, { bodyLimit }, (request, reply) => this.#takeFeedback(request, reply))
    })
  }

  /** A script is answered with nothing, a form with the page that it stands on, which thanks. */
  async #takeFeedback(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { analytics, feedback } = this.#options
    const site = this.#posts.siteOf(request)
    const fields = fieldsOf(request)
    const { helpful, voted } = fields
    if (helpful !== 'yes' && helpful !== 'no') throw new Failure('invalid_request', 'helpful must be yes or no.')
    const note = noteOf(fields)
    const page = pageOf(site, fields)
    const isHelpful = helpful === 'yes'
    const path = await analytics.pageAt(page)
    if (path === null) throw noPage()
    // The note first: whoever is refused and tries again has not answered twice.
    if (note !== '') await feedback.add(site.project, { path, helpful: isHelpful, note, address: request.ip })
    if (voted !== 'yes') await analytics.vote(page, isHelpful)
    if (!asksForPage(request.headers)) return reply.code(204).send()
    return reply.redirect(`${sitePath(page.path).replace(/[?#].*$/s, '')}#q-thanks`, 303)
  }
}

/**
 * Whether a report is of a reader who wants to be counted, and no machine. Pages ask the same of their browser before they
 * send anything; what a script is not told, such as what was fetched ahead, a header may say.
 */
function isCounted({ headers }: FastifyRequest): boolean {
  const purpose = headers['sec-purpose'] ?? headers['purpose'] ?? headers['x-moz'] ?? ''
  if (headers['sec-gpc'] === '1' || headers['dnt'] === '1' || /prefetch|prerender|preview/i.test(String(purpose)))
    return false
  const agent = headers['user-agent']
  return agent !== undefined && !isbot(agent)
}

function asksForPage({ accept }: FastifyRequest['headers']): boolean {
  return accept?.includes('text/html') === true
}

function fieldsOf({ body }: FastifyRequest): Fields {
  return typeof body === 'object' && body !== null ? (body as Fields) : {}
}

function pageOf({ project, release }: SiteTarget, { path }: Fields): ReadPage {
  if (typeof path !== 'string' || path.length > 3 * limits.pathBytes)
    throw new Failure('invalid_request', 'path must be the path of a page.')
  return { project, release, path }
}

function noPage(): Failure {
  return new Failure('not_found', 'This site has no such page.')
}

function noteOf({ note = '' }: Fields): string {
  const text = typeof note === 'string' ? note.toWellFormed().replaceAll(/\r\n?/g, '\n') : null
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const plain = text?.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').trim()
  if (plain !== undefined && Array.from(plain).length <= analyticsLimits.note) return plain
  throw new Failure('invalid_request', `A note is a text of at most ${analyticsLimits.note} characters.`, {
    hint: 'Shorten it.',
  })
}
