import { expect, it } from 'vitest'
import { projectDocument } from '#projects/document.ts'
import type { ChangelogDocument } from '#changelog/ports.ts'
import type { OutboxDocument } from '#webhooks/queue.ts'
import { outboxes } from '#wire/webhooks.ts'
import { webhookOf } from '#test/rules/webhooks/support-events.ts'
import { openRoom } from '#test/support/changelog/support.ts'

type Document = ChangelogDocument & OutboxDocument

it('an entry that is published is in the outbox of those who asked for it, and of nobody else', async () => {
  const woken: string[] = []
  const { entries } = outboxes({
    store: { read: () => Promise.resolve(undefined) },
    wake: (slug) => void woken.push(slug),
  })
  const { changelog, store } = await openRoom({ announcer: entries })
  const entry = { title: 'Faster builds', content: 'Text', version: '2', is_draft: false }
  const outbox = async (): Promise<Document['outbox']> => (await store.read<Document>(projectDocument('docs')))?.outbox
  await store.mutate<Document, void>(projectDocument('docs'), (draft) => {
    if (draft === undefined) throw new Error('there is no project')
    draft.webhooks = [webhookOf('default'), webhookOf('asked', { events: ['changelog.published'] })]
    return { document: draft, result: undefined }
  })
  const { id, url } = await changelog.create('docs', entry)
  await changelog.create('docs', { ...entry, is_draft: true })
  expect(await outbox()).toMatchObject([
    {
      webhooks: ['asked'],
      event: {
        type: 'changelog.published',
        project: { slug: 'docs', title: 'Docs' },
        data: {
          message: 'New in the changelog: Faster builds (2)',
          url,
          entry: { id, title: 'Faster builds', version: '2' },
        },
      },
    },
  ])
  expect(woken).toEqual(['docs'])
})
