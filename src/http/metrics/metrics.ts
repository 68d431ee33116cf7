import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
  type Metric,
  type OpenMetricsContentType,
  type PrometheusContentType,
} from 'prom-client'
import type { Deploy } from '../../contract/deploys.ts'
import type { WorkKind } from '../../lib/measured.ts'
import type { Answered } from '../requests/request-log.ts'

/** Counts since the start, by outcome. */
interface Counts {
  readonly counts: Readonly<Record<string, number>>
}

/** What is asked for when the numbers are. */
export interface Measurable {
  /** Attempts to deliver events to webhooks, and events that wait. */
  readonly deliveries: Counts & { readonly pending: number }
  /** Collections of garbage in repositories. */
  readonly collections: Counts
  readonly documents: { setAside(): readonly unknown[]; readonly readOnly: string | null }
  readonly projects: { readonly count: number }
  /** Children that render. */
  readonly children: () => number
  readonly connections: { readonly count: number }
  readonly drain: { readonly open: number }
  readonly space: { free(): Promise<number> }
  readonly version: string
}

/** Of answers: most are there in a few milliseconds; a push or a long answer of a model may take minutes. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const workSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

/** What measured work is called, and what its label says. */
const works: Readonly<Record<WorkKind, readonly [name: string, label: string, help: string]>> = {
  queue: ['quire_queue_wait_seconds', 'queue', 'Time until work had its turn'],
  render: ['quire_page_render_seconds', 'outcome', 'Time until a page was rendered, with the wait for a child'],
  git: ['quire_git_seconds', 'command', 'Time of a process of Git'],
  webhook: ['quire_webhook_attempt_seconds', 'status', 'Time of an attempt to deliver an event'],
  model: ['quire_model_request_seconds', 'outcome', 'Time of a request to a language model, to its last word'],
}

let ofProcess: readonly Metric[] | undefined

/** Processor time, memory, descriptors, garbage and delay of the event loop: observed once, however many services it runs. */
function processMetrics(): readonly Metric[] {
  if (ofProcess !== undefined) return ofProcess
  const registry = new Registry()
  // Milliseconds between two looks at the delay: an idle service is to sleep.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 50 })
  ofProcess = registry.getMetricsAsArray() as unknown as readonly Metric[]
  return ofProcess
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * The numbers of the process. No label tells a project, an account or an address: there are as many series as this code
 * names. See README.md for all of them.
 */
export class Metrics {
  readonly #registry = new Registry<OpenMetricsContentType | PrometheusContentType>()
  readonly #requests: Counter<'kind' | 'method' | 'status'>
  readonly #requestSeconds: Histogram<'kind' | 'status'>
  readonly #deploys: Counter<'kind' | 'status'>
  readonly #deploySeconds: Histogram<'kind'>
  readonly #stageSeconds: Histogram<'stage'>
  readonly #works: Readonly<Record<WorkKind, Histogram>>

  constructor(measurable: Measurable) {
    const registers = [this.#registry]
    for (const metric of processMetrics()) this.#registry.registerMetric(metric)
    this.#requests = new Counter({
      name: 'quire_http_requests_total',
      help: 'Requests that were answered',
      labelNames: ['kind', 'method', 'status'],
      registers,
    })
    this.#requestSeconds = new Histogram({
      name: 'quire_http_request_seconds',
      help: 'Time from the head of a request to the end of its answer',
      labelNames: ['kind', 'status'],
      buckets: requestSeconds,
      registers,
    })
    this.#deploys = new Counter({
      name: 'quire_deploys_total',
      help: 'Deploys that ended',
      labelNames: ['kind', 'status'],
      registers,
    })
    this.#deploySeconds = new Histogram({
      name: 'quire_deploy_seconds',
      help: 'Time of a deploy, from the last byte of its request',
      labelNames: ['kind'],
      buckets: workSeconds,
      registers,
    })
    this.#stageSeconds = new Histogram({
      name: 'quire_deploy_stage_seconds',
      help: 'Time of the stages of deploys, which may overlap',
      labelNames: ['stage'],
      buckets: workSeconds,
      registers,
    })
    const histogramOf = (kind: WorkKind): Histogram => {
      const [name, label, help] = works[kind]
      return new Histogram({ name, help, labelNames: [label], buckets: workSeconds, registers })
    }
    this.#works = {
      queue: histogramOf('queue'),
      render: histogramOf('render'),
      git: histogramOf('git'),
      webhook: histogramOf('webhook'),
      model: histogramOf('model'),
    }
    this.#addMeasurable(measurable)
  }

  request({ kind, method, status, seconds }: Answered): void {
    this.#requests.inc({ kind, method: methods.has(method) ? method : 'other', status })
    this.#requestSeconds.observe({ kind, status: `${Math.floor(status / 100)}xx` }, seconds)
  }

  deploy({ kind, status, durationMs = 0, stages }: Deploy): void {
    this.#deploys.inc({ kind, status })
    this.#deploySeconds.observe({ kind }, durationMs / 1000)
    for (const [stage, milliseconds] of Object.entries(stages))
      this.#stageSeconds.observe({ stage }, milliseconds / 1000)
  }

  work(kind: WorkKind, label: string, seconds: number): void {
    this.#works[kind].observe({ [works[kind][1]]: label }, seconds)
  }

  /** All numbers, and what they are written as: OpenMetrics where that is asked for. */
  async text(accept = ''): Promise<{ readonly type: string; readonly text: string }> {
    const isOpen = accept.includes('application/openmetrics-text')
    const type = isOpen ? Registry.OPENMETRICS_CONTENT_TYPE : Registry.PROMETHEUS_CONTENT_TYPE
    this.#registry.setContentType(type)
    return { type, text: await this.#registry.metrics() }
  }

  /** Looked at when somebody asks. */
  #addMeasurable(measurable: Measurable): void {
    const { deliveries, collections, documents, projects, connections, children, drain, space, version } = measurable
    const registers = [this.#registry]
    const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
      const collected: Gauge = new Gauge({ name, help, registers, collect: async () => collected.set(await read()) })
    }
    const counter = (name: string, help: string, { counts }: Counts): void => {
      const collected: Counter<'status'> = new Counter({
        name,
        help,
        labelNames: ['status'],
        registers,
        collect: () => {
          collected.reset()
          for (const [status, count] of Object.entries(counts)) collected.inc({ status }, count)
        },
      })
    }
    const build = new Gauge({ name: 'quire_build_info', help: 'Always 1', labelNames: ['version'], registers })
    build.set({ version }, 1)
    gauge('quire_projects', 'Projects that there are', () => projects.count)
    gauge('quire_render_children', 'Children that render pages, at work or idle', children)
    gauge('quire_connections', 'Connections that are open', () => connections.count)
    gauge('quire_http_requests_open', 'Requests that are being answered', () => drain.open)
    gauge('quire_disk_free_bytes', 'What is left of the disk of the data directory', () => space.free())
    gauge('quire_webhook_pending', 'Events that wait for a webhook', () => deliveries.pending)
    gauge('quire_documents_set_aside', 'Documents that are damaged and set aside', () => documents.setAside().length)
    gauge('quire_read_only', '1 where the data directory takes no writes', () => (documents.readOnly === null ? 0 : 1))
    counter('quire_webhook_deliveries_total', 'Attempts to deliver events to webhooks', deliveries)
    counter('quire_collections_total', 'Collections of garbage', collections)
  }
}
