import type { PreviewOutbox } from '../branching/ports.ts'
import type { Announcer } from '../changelog/ports.ts'
import type { DeployOutbox } from '../deploying/ports.ts'
import { eventOfDeploy, eventOfPreview } from '../webhooks/events.ts'
import { record, type OutboxDocument } from '../webhooks/outbox.ts'

/**
 * What deploys and previews tell of their ends, and the changelog of its entries, as events in the outbox of the project's document.
 *
 * @param wake told when events have become durable.
 */
export function outboxes(wake: (slug: string) => void): {
  readonly deploys: DeployOutbox
  readonly previews: PreviewOutbox
  readonly entries: Announcer
} {
  return {
    deploys: {
      record: (document, { type, deploy }) => void record(projectOf(document), eventOfDeploy(type, deploy)),
      wake,
    },
    previews: {
      record: (document, ended) => void record(projectOf(document), eventOfPreview(ended)),
      wake,
    },
    entries: {
      record: (document, event) => void record(projectOf(document), event),
      wake,
    },
  }
}

/** Rooms know of a project's document what is theirs; it is always the same document. */
const projectOf = (document: object): OutboxDocument => document as OutboxDocument
