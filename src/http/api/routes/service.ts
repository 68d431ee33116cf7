import type { FastifyInstance } from 'fastify'
import { identityProviderPath } from '#contract/accounts.ts'
import { contract } from '#contract/index.ts'
import { Failure } from '#contract/failure.ts'
import { sha256 } from '#lib/digest.ts'
import { componentFacts } from '#site/components/facts.ts'
import type { Presence } from '#storage/directory/presence.ts'
import { isUnchanged } from '../conditional.ts'
import { docsPage, docsPolicy } from '../docs-page.tsx'
import { openApiDocument } from '../openapi.ts'
import type { Router } from '../route.ts'

/** What the service says of itself. */
export interface ServiceFacts {
  readonly version: string
  /** Who may create an account. */
  readonly signup: 'open' | 'closed'
  readonly identityProvider: { readonly name: string } | undefined
  /** @param label what stands in the host of a site: a project’s slug */
  readonly labelUrl: (label: string) => string
  /** Undefined: the service sends none. */
  readonly mail: object | undefined
  /** For how long the slug that a project left is kept for its owner. */
  readonly slugReservedDays: number
  /** Where people reach the operator. */
  readonly contact: string | undefined
  /** The operator’s words for owners who want another plan. */
  readonly planChange: { readonly text: string | undefined; readonly url: string | undefined }
}

export function serviceRoutes(
  app: FastifyInstance,
  router: Router,
  about: ServiceFacts,
  options: {
    readonly url: string
    readonly cookie: string
    readonly drain: { readonly hasBegun: boolean; readonly hasSuccessor: boolean }
    /** Of the data directory. */
    readonly presence: Pick<Presence, 'problem'>
  },
): void {
  const { version, signup, identityProvider, mail, slugReservedDays, contact, planChange, labelUrl } = about
  const document = openApiDocument({ url: options.url, version, cookie: options.cookie })
  const page = docsPage(version)
  router.route(contract.service.health, async () => ({ status: 'ok' as const, version }))
  router.route(contract.service.ready, async () => {
    const { hasBegun, hasSuccessor } = options.drain
    // Readers are answered by one or the other, and who looks here is to send them on. The directory is not this one’s.
    if (hasSuccessor) return { status: 'ready' as const }
    if (hasBegun) throw new Failure('unavailable', 'The service is about to stop.', { retryAfter: 5 })
    const problem = await options.presence.problem()
    if (problem === null) return { status: 'ready' as const }
    throw new Failure('unavailable', `The service cannot do its work: ${problem}.`, {
      hint: 'The operator of the service has to mend this.',
      retryAfter: 60,
    })
  })
  const url = options.url + identityProviderPath
  const provider = identityProvider === undefined ? {} : { identityProvider: { name: identityProvider.name, url } }
  const { text, url: planUrl } = planChange
  const change = { ...(text === undefined ? {} : { text }), ...(planUrl === undefined ? {} : { url: planUrl }) }
  const plan = Object.keys(change).length === 0 ? {} : { planChange: change }
  const own = { version, signup, siteUrl: labelUrl('{slug}'), mail: mail !== undefined, slugReservedDays }
  const facts = { ...own, ...provider, ...(contact === undefined ? {} : { contact }), ...plan }
  router.route(contract.service.read, async () => facts)
  router.route(contract.service.openapi, async () => document)
  componentRoute(router)
  app.get('/api/docs', (_request, reply) =>
    reply.header('content-security-policy', docsPolicy).type('text/html; charset=utf-8').send(page),
  )
}

/** Never another answer while this process runs: told by its tag. */
function componentRoute(router: Router): void {
  const items = [...componentFacts]
  const tag = sha256(JSON.stringify(items)).slice(0, 16)
  router.route(contract.components.list, async ({ request, reply }) => {
    const unchanged = isUnchanged(request, reply, tag)
    void reply.header('cache-control', 'public, max-age=3600')
    return unchanged ? reply.code(304).send() : { items }
  })
}
