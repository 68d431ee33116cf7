import type { Logger } from 'pino'
import { projectDocument, projectPrefix } from '../projects/document.ts'
import type { Config } from '../config.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import { Deliveries } from '../webhooks/deliveries.ts'
import { Dispatcher } from '../webhooks/dispatcher.ts'
import { Guard, publicLookup, systemLookup } from '../webhooks/guard.ts'
import { createSender } from '../webhooks/sender.ts'
import { publishedSchedule } from '../webhooks/retry-schedule.ts'
import type { Send } from '../webhooks/send.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'
import { outboxes } from './outboxes.ts'

interface Parts {
  readonly store: Store
  readonly records: Records
  readonly now: () => Date
  readonly logger: Logger
  readonly siteUrl: (project: string) => string
  readonly version: string
  /** In the place of the network: tests. */
  readonly send?: Send | undefined
}

/** Webhooks: where events are put, what delivers them, and what people see of it. */
export function openWebhooks(config: Config, parts: Parts) {
  const { store, now, logger, siteUrl } = parts
  const guard = new Guard({
    allowHosts: config.webhookAllowHosts,
    ownHost: new URL(config.publicUrl).hostname,
    previewDomain: config.previewDomain.replace(/:\d+$/, ''),
    lookup: publicLookup(),
    systemLookup,
  })
  const send =
    parts.send ??
    createSender({
      guard,
      timeoutMs: config.webhookTimeoutSeconds * 1000,
      userAgent: `Quire-Webhooks/${parts.version}`,
    })
  const dispatcher = new Dispatcher({
    store,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    records: parts.records,
    send,
    schedule: config.webhookRetrySchedule?.map((seconds) => seconds * 1000) ?? publishedSchedule,
    log: logger,
    now,
    random: Math.random,
  })
  const deliveries = new Deliveries({ store, documentOf: projectDocument, now, siteUrl }, dispatcher)
  const subscriptions = new Subscriptions({
    store,
    guard,
    documentOf: projectDocument,
    now,
    onChange: (projectId) => dispatcher.wake(projectId),
  })
  const outbox = outboxes({ store, wake: (projectId) => dispatcher.wake(projectId) })
  return { subscriptions, dispatcher, deliveries, outbox }
}
