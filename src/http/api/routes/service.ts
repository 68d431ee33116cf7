import type { FastifyInstance } from 'fastify'
import { identityProviderPath } from '../../../contract/accounts.ts'
import { contract } from '../../../contract/index.ts'
import { Failure } from '../../../contract/failure.ts'
import { sha256 } from '../../../lib/digest.ts'
import type { Store } from '../../../storage/store.ts'
import type { RateLimiter } from '../../auth/rate-limiter.ts'
import { componentFacts } from '../../../site/components/facts.ts'
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
  /** The operator’s words for owners who want another plan. */
  readonly planChange: { readonly text: string | undefined; readonly url: string | undefined }
}

export function serviceRoutes(
  app: FastifyInstance,
  router: Router,
  about: ServiceFacts,
  options: { readonly url: string; readonly cookie: string; readonly drain: { readonly hasBegun: boolean } },
): void {
  const { version, signup, identityProvider, mail, slugReservedDays, planChange, labelUrl } = about
  const document = openApiDocument({ url: options.url, version, cookie: options.cookie })
  const page = docsPage(version)
  router.route(contract.service.health, async () => ({ status: 'ok' as const, version }))
  router.route(contract.service.ready, async () => {
    if (!options.drain.hasBegun) return { status: 'ready' as const }
    throw new Failure('unavailable', 'The service is about to stop.', { retryAfter: 5 })
  })
  const url = options.url + identityProviderPath
  const provider = identityProvider === undefined ? {} : { identityProvider: { name: identityProvider.name, url } }
  const { text, url: planUrl } = planChange
  const change = { ...(text === undefined ? {} : { text }), ...(planUrl === undefined ? {} : { url: planUrl }) }
  const plan = Object.keys(change).length === 0 ? {} : { planChange: change }
  const own = { version, signup, siteUrl: labelUrl('{slug}'), mail: mail !== undefined, slugReservedDays }
  const facts = { ...own, ...provider, ...plan }
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

export interface MetricsAccess {
  /** Anybody may read them. */
  readonly isOpen: boolean
  /** Who sends it as `Authorization: Bearer` may. */
  readonly token: string | undefined
}

/** Numbers of the process, for whoever may know them. */
export function metricsRoute(
  app: FastifyInstance,
  options: { readonly metrics: Metrics; readonly limiter: RateLimiter; readonly access: MetricsAccess },
): void {
  const { metrics, limiter, access } = options
  const expected = access.token === undefined ? undefined : sha256(`Bearer ${access.token}`)
  app.get('/metrics', async (request, reply) => {
    if (!access.isOpen && expected === undefined) {
      throw new Failure('not_found', 'The numbers of this service are not shown.', {
        hint: 'Its operator can set METRICS_TOKEN, and send it as Authorization: Bearer.',
      })
    }
    if (!access.isOpen && sha256(request.headers.authorization ?? '') !== expected) {
      await limiter.countFailure(request, reply)
      throw new Failure('unauthenticated', 'The numbers of this service are for whoever has its token.', {
        hint: 'Send METRICS_TOKEN as Authorization: Bearer.',
      })
    }
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(metrics.text())
  })
}

/** What the service does of itself: counts since the start by outcome. */
export interface BackgroundNumbers {
  /** Attempts to deliver events to webhooks, and events that wait. */
  readonly deliveries: { readonly counts: Readonly<Record<string, number>>; readonly pending: number }
  readonly documents: Pick<Store, 'setAside' | 'readOnly'>
  /** Collections of garbage in repositories. */
  readonly collections: { readonly counts: Readonly<Record<string, number>> }
}

/** Numbers of this process in the Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #deploys = new Map<string, number>()
  #deploySeconds = 0
  readonly #background: BackgroundNumbers

  constructor(background: BackgroundNumbers) {
    this.#background = background
  }

  request(method: string, status: number): void {
    const labels = `method="${method}",status="${status}"`
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1)
  }

  deploy(status: string, milliseconds: number): void {
    const labels = `status="${status}"`
    this.#deploys.set(labels, (this.#deploys.get(labels) ?? 0) + 1)
    this.#deploySeconds += milliseconds / 1000
  }

  text(): string {
    const memory = process.memoryUsage()
    const cpu = process.cpuUsage()
    const { deliveries, collections, documents } = this.#background
    return [
      ...family('process_resident_memory_bytes', 'gauge', 'Memory in use', [['', memory.rss]]),
      ...family('process_heap_bytes', 'gauge', 'JavaScript heap in use', [['', memory.heapUsed]]),
      ...family('process_cpu_seconds_total', 'counter', 'CPU time', [['', (cpu.user + cpu.system) / 1e6]]),
      ...family('process_uptime_seconds', 'gauge', 'Time since the start', [['', process.uptime()]]),
      ...family('quire_http_requests_total', 'counter', 'Requests to the API', this.#requests),
      ...family('quire_deploys_total', 'counter', 'Deploys that ended', this.#deploys),
      ...family('quire_deploy_seconds_total', 'counter', 'Time spent in deploys', [['', this.#deploySeconds]]),
      ...family(
        'quire_webhook_deliveries_total',
        'counter',
        'Attempts to deliver events to webhooks',
        byStatus(deliveries),
      ),
      ...family('quire_webhook_pending', 'gauge', 'Events that wait for a webhook', [['', deliveries.pending]]),
      ...family('quire_collections_total', 'counter', 'Collections of garbage', byStatus(collections)),
      ...family('quire_documents_set_aside', 'gauge', 'Documents that are damaged and set aside', [
        ['', documents.setAside().length],
      ]),
      ...family('quire_read_only', 'gauge', '1 where the data directory takes no writes', [
        ['', documents.readOnly === null ? 0 : 1],
      ]),
      '',
    ].join('\n')
  }
}

function byStatus({ counts }: { readonly counts: Readonly<Record<string, number>> }) {
  return Object.entries(counts).map(([status, count]) => [`status="${status}"`, count] as const)
}

function* family(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  samples: Iterable<readonly [labels: string, value: number]>,
): Generator<string> {
  yield `# HELP ${name} ${help}`
  yield `# TYPE ${name} ${type}`
  for (const [labels, value] of samples) yield `${name}${labels === '' ? '' : `{${labels}}`} ${value}`
}
