import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { Failure } from '../contract/failure.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Connections } from '../http/connections.ts'
import type { Drain } from '../http/drain.ts'
import { Metrics } from '../http/metrics/metrics.ts'
import { createMetricsServer } from '../http/metrics/routes.ts'
import { onMeasured } from '../lib/measured.ts'
import type { Projects } from '../projects/projects.ts'
import type { FreeSpace } from '../storage/free-space.ts'
import type { Store } from '../storage/store.ts'
import type { Closers } from './closers.ts'
import type { Maintenance } from '../content/maintenance.ts'
import type { openWebhooks } from './webhooks.ts'

interface MetricsParts {
  readonly deploys: Deploys
  readonly webhooks: Pick<Awaited<ReturnType<typeof openWebhooks>>, 'dispatcher'>
  readonly maintenance: Maintenance
  readonly store: Store
  readonly projects: Projects
  readonly connections: Connections
  readonly children: () => number
  readonly drain: Drain
  readonly space: FreeSpace
  readonly version: string
  readonly logger: Logger
}

/** The numbers of the process, and the port of their own where the settings have one. */
export function openMetrics(own: Config['metrics']['own'], parts: MetricsParts, closers: Closers) {
  const { deploys, webhooks, maintenance, store, logger } = parts
  const numbers = new Metrics({
    ...parts,
    deliveries: webhooks.dispatcher,
    collections: maintenance,
    documents: store,
  })
  deploys.onFinished(({ deploy }) => numbers.deploy(deploy))
  const stop = onMeasured((kind, label, seconds) => numbers.work(kind, label, seconds))
  const server = createMetricsServer(numbers, (error) => logger.error({ err: error }, 'numbers could not be told'))
  closers.add(async () => {
    stop()
    server.closeAllConnections()
    server.close()
  })
  /** Resolves with where the numbers are; undefined without a port of their own. Throws Failure `unavailable`. */
  const listen = async (): Promise<string | undefined> => {
    if (own === undefined) return undefined
    const { host, port } = own
    try {
      await once(server.listen({ host, port }), 'listening')
    } catch (cause) {
      throw new Failure('unavailable', `The numbers cannot be shown at ${host}, port ${port}.`, {
        hint: 'Set METRICS_PORT and METRICS_HOST to what is free on this machine.',
        cause,
      })
    }
    return `http://${host}:${(server.address() as AddressInfo).port}/metrics`
  }
  return { numbers, listen }
}
