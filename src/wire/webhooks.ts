import type { Logger } from 'pino'
import type { PreviewOutbox } from '../branching/ports.ts'
import type { Announcer } from '../changelog/ports.ts'
import type { Config } from '../config.ts'
import type { DeployOutbox } from '../deploying/ports.ts'
import { projectDocument, projectPrefix } from '../projects/document.ts'
import type { Records } from '../storage/records.ts'
import type { Store } from '../storage/store.ts'
import { Deliveries } from '../webhooks/deliveries.ts'
import { Dispatcher } from '../webhooks/dispatcher.ts'
import { eventOfDeploy, eventOfPreview, type NewEvent } from '../webhooks/events.ts'
import { Guard, publicLookup, systemLookup } from '../webhooks/guard.ts'
import { createSender } from '../webhooks/sender.ts'
import { record, requireRoom, type OutboxDocument } from '../webhooks/queue.ts'
import { publishedSchedule } from '../webhooks/retry-schedule.ts'
import type { Send } from '../webhooks/send.ts'
import { openKeyring, sealAll } from '../webhooks/stored-secrets.ts'
import { Subscriptions } from '../webhooks/subscriptions.ts'

interface Parts {
  readonly store: Store
  readonly records: Records
  readonly now: () => Date
  readonly logger: Logger
  readonly ownerOf: (project: string) => string
  readonly isSuspended: (project: string) => boolean
  readonly siteUrl: (project: string) => string
  readonly version: string
  /** In the place of the network: tests. */
  readonly send?: Send | undefined
}

/** Which addresses of strangers the service connects to. */
export function guardOf(config: Config): Guard {
  return new Guard({
    allowHosts: config.webhookAllowHosts,
    ownHost: new URL(config.publicUrl).hostname,
    previewDomain: config.previewDomain.replace(/:\d+$/, ''),
    lookup: publicLookup(),
    systemLookup,
  })
}

/** Webhooks: where events are put, what delivers them, and what people see of it. */
export async function openWebhooks(config: Config, parts: Parts) {
  const { store, now, logger, siteUrl } = parts
  const keyring = await openKeyring({ store, keys: config.secretKeys, log: logger })
  await sealAll({ store, documentPrefix: projectPrefix, keyring, log: logger })
  const guard = guardOf(config)
  const send =
    parts.send ??
    createSender({
      guard,
      timeoutMs: config.webhookTimeoutSeconds * 1000,
      userAgent: `Quire-Webhooks/${parts.version}`,
    })
  const dispatcher = new Dispatcher({
    store,
    ownerOf: parts.ownerOf,
    rests: parts.isSuspended,
    documentOf: projectDocument,
    documentPrefix: projectPrefix,
    records: parts.records,
    send,
    keyring,
    schedule: config.webhookRetrySchedule?.map((seconds) => seconds * 1000) ?? publishedSchedule,
    log: logger,
    now,
    random: Math.random,
  })
  const deliveries = new Deliveries({ store, documentOf: projectDocument, now, siteUrl }, dispatcher)
  const subscriptions = new Subscriptions({
    store,
    guard,
    keyring,
    documentOf: projectDocument,
    now,
    onChange: (projectId) => dispatcher.wake(projectId),
  })
  const outbox = outboxes({ store, wake: (projectId) => dispatcher.wake(projectId) })
  return { subscriptions, dispatcher, deliveries, outbox }
}

/**
 * What deploys and previews tell of their ends, and the changelog of its entries, as events in the outbox of the project's document.
 *
 * A deploy is refused before it begins when there is no room, and finds some when it ends. Previews and entries are
 * shown all the same: they are recorded when there is room again.
 *
 * @param parts.wake told when events have become durable.
 */
export function outboxes({
  store,
  wake,
}: {
  readonly store: Pick<Store, 'read'>
  readonly wake: (projectId: string) => void
}): {
  readonly deploys: DeployOutbox
  readonly previews: PreviewOutbox
  readonly entries: Announcer
} {
  return {
    deploys: {
      requireRoom: async (projectId) => {
        const document = await store.read<OutboxDocument>(projectDocument(projectId))
        if (document !== undefined) requireRoom(document, ['deploy.success', 'deploy.failed'])
      },
      record: (document, { type, deploy }) => void record(projectOf(document), eventOfDeploy(type, deploy)),
      wake,
    },
    previews: {
      record: (document, ended) => recordLater(document, eventOfPreview(ended)),
      wake,
    },
    entries: {
      record: recordLater,
      wake,
    },
  }
}

/** Throws Failure `unavailable` when there is no room. */
function recordLater(document: object, event: NewEvent): void {
  const project = projectOf(document)
  requireRoom(project, [event.type])
  record(project, event)
}

/** Rooms know of a project's document what is theirs; it is always the same document. */
const projectOf = (document: object): OutboxDocument => document as OutboxDocument
