import { projectDocument } from '../projects/document.ts'
import type { PreviewOutbox } from '../branching/ports.ts'
import type { Announcer } from '../changelog/ports.ts'
import type { DeployOutbox } from '../deploying/ports.ts'
import type { Store } from '../storage/store.ts'
import { eventOfDeploy, eventOfPreview, type NewEvent } from '../webhooks/events.ts'
import { record, requireRoom, type OutboxDocument } from '../webhooks/queue.ts'

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
