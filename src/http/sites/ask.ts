import type { RequestListener } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import type { Answers } from '../../answers/answers.ts'
import { Failure } from '../../contract/failure.ts'
import { limits, type RateLimitName } from '../../contract/limits.ts'
import type { Hosting } from '../../hosting/hosting.ts'
import { goneSignal } from '../../lib/client-gone.ts'
import { EventStream } from '../../lib/event-stream.ts'
import { assertOwnPage } from './own-page.ts'
import { SitePosts } from './posts.ts'
import type { SiteResponder, SiteTarget } from './sites.ts'

/** Path of questions on the host of a site, which the script of its pages sends them to. */
export const askPath = '/_quire/ask'

/** A question of the most characters, each written as an escape. */
const bodyLimit = 12 * limits.question + 4 * limits.pathBytes

const Body = Type.Object({
  question: Type.String({ maxLength: limits.question * 2, pattern: '\\S' }),
  /** Path of the page that it is asked on. */
  path: Type.Optional(Type.String({ maxLength: limits.pathBytes })),
})

export interface SiteQuestionsOptions {
  readonly answers: Answers
  readonly hosting: Pick<Hosting, 'respond'>
  /** Origin of a site, as it is asked for. */
  readonly originOf: (site: SiteTarget) => string
  readonly onError: (error: unknown, projectId: string) => void
}

interface Limiter {
  count(request: FastifyRequest, reply: FastifyReply, limit: RateLimitName | undefined): Promise<void>
}

/** Questions of readers, on the hosts of sites that take them. */
export class SiteQuestions {
  readonly #options: SiteQuestionsOptions
  readonly #posts = new SitePosts()

  constructor(options: SiteQuestionsOptions) {
    this.#options = options
  }

  /** Who answers at the path: the application, or the site itself where it takes no questions, as at every path. */
  async at(site: SiteTarget, application: RequestListener): Promise<SiteTarget | SiteResponder> {
    const { answers, hosting } = this.#options
    if ((await answers.settings(site.project, site.release)) === null) return site
    return this.#posts.responder(site, application, (request, response) => hosting.respond(request, response, site))
  }

  routes(app: FastifyInstance, limiter: Limiter): void {
    app.post(
      askPath,
      { bodyLimit, onRequest: async (request, reply) => this.#admit(request, reply, limiter) },
      (request, reply) => this.#answer(request, reply),
    )
  }

  async #admit(request: FastifyRequest, reply: FastifyReply, limiter: Limiter): Promise<void> {
    const site = this.#posts.siteOf(request)
    await limiter.count(request, reply, 'ask')
    assertOwnPage(request, this.#options.originOf(site), 'Only pages of this site may ask it.')
  }

  async #answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { project, release } = this.#posts.siteOf(request)
    const { text, path } = questionOf(request.body)
    const gone = goneSignal(reply.raw)
    const events = this.#options.answers.ask({ project, release, text, from: path }, gone)
    // What goes wrong before the first word is an answer of its own.
    const first = await events.next()
    reply.hijack()
    const stream = new EventStream(reply.raw, undefined, { 'X-Robots-Tag': 'noindex' })
    try {
      if (first.done !== true) send(stream, first.value)
      for await (const event of events) send(stream, event)
    } catch (error) {
      if (!gone.aborted) this.#tell(stream, error, project)
    }
    stream.end()
    return reply
  }

  #tell(stream: EventStream, error: unknown, project: string): void {
    const isKnown = error instanceof Failure && error.code !== 'internal'
    if (!isKnown) this.#options.onError(error, project)
    const detail = isKnown ? error.message : 'The service made a mistake.'
    const hint = isKnown ? error.hint : undefined
    stream.send('error', { code: isKnown ? error.code : 'internal', detail, ...(hint === undefined ? {} : { hint }) })
  }
}

type Events = ReturnType<Answers['ask']>
type Event = Events extends AsyncGenerator<infer One> ? One : never

function send(stream: EventStream, event: Event): void {
  if (event.type === 'delta') stream.send('delta', event.piece)
  else stream.send('done', { outcome: event.outcome, isCut: event.isCut, sources: event.sources })
}

function questionOf(body: unknown): { readonly text: string; readonly path: string | undefined } {
  const { question = '', path }: Partial<Static<typeof Body>> = Value.Check(Body, body) ? body : {}
  const text = question.trim().toWellFormed()
  if (text === '' || Array.from(text).length > limits.question)
    throw new Failure('invalid_request', `A question has between 1 and ${limits.question} characters.`, {
      hint: 'Send JSON: { "question": "…" }.',
    })
  return { text, path }
}
