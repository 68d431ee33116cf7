import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectDocument } from '#projects/document.ts'
import { webhookLimits } from '#contract/webhooks.ts'
import { Guard } from '#webhooks/guard.ts'
import { Keyring } from '#webhooks/keyring.ts'
import { validSecrets, type WebhookDocument } from '#webhooks/stored-webhook.ts'
import { Subscriptions } from '#webhooks/subscriptions.ts'
import { openAccess } from '#test/support/access.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

async function openRoom() {
  const directory = await temporaryDirectory()
  const { store, lifecycle, now, pass } = await openAccess({ directory })
  await lifecycle.create('acc_1', { slug: 'docs' })
  const changed: string[] = []
  const lookup = (): Promise<readonly string[]> => Promise.resolve(['93.184.215.14'])
  const guard = new Guard({
    allowHosts: [],
    ownHost: 'platform.example',
    previewDomain: 'preview.example',
    lookup,
    systemLookup: lookup,
  })
  const keyring = new Keyring([Buffer.alloc(32, 'a key')])
  const options = {
    store,
    guard,
    keyring,
    documentOf: projectDocument,
    now,
    onChange: (slug: string) => void changed.push(slug),
  }
  const stored = async () => (await store.read<WebhookDocument>(projectDocument('docs')))?.webhooks ?? []
  return { subscriptions: new Subscriptions(options), store, stored, keyring, changed, pass, now, directory }
}

const url = 'https://hooks.example/x'

describe('a webhook', () => {
  it('listens to both ends of a deploy unless it says otherwise', async () => {
    const { subscriptions, changed } = await openRoom()
    const created = await subscriptions.create('docs', { url })
    expect(created).toMatchObject({ url, kind: 'generic', events: ['deploy.success', 'deploy.failed'], enabled: true })
    const chosen = await subscriptions.create('docs', { url, events: ['preview.failed'] })
    expect(chosen.events).toEqual(['preview.failed'])
    expect(changed).toEqual(['docs', 'docs'])
  })

  it('shows its secret once, and keeps it sealed', async () => {
    const { subscriptions, stored, keyring, directory } = await openRoom()
    const { secret, ...created } = await subscriptions.create('docs', { url })
    expect(secret).toMatch(/^whsec_/)
    expect(await subscriptions.read('docs', created.id)).toEqual(created)
    expect(await subscriptions.list('docs')).toEqual({ items: [created] })
    expect(JSON.stringify(await subscriptions.update('docs', created.id, { enabled: false }))).not.toContain('whsec_')
    const value = (await stored())[0]?.secrets[0]?.value ?? ''
    expect(keyring.open(value, created.id)).toBe(secret)
    const text = await readFile(join(directory, 'docs.json'), 'utf8')
    expect(text).toContain(value)
    expect(text).not.toContain('whsec_')
  })

  it('signs with two secrets for a day after a rotation, never with three', async () => {
    const { subscriptions, stored, keyring, pass, now } = await openRoom()
    const { id, secret } = await subscriptions.create('docs', { url })
    const second = await subscriptions.rotate('docs', id)
    const valid = async (): Promise<readonly string[]> =>
      (await stored()).flatMap((webhook) =>
        validSecrets(webhook, now()).map((value) => keyring.open(value, webhook.id)),
      )
    expect(await valid()).toEqual([second.secret, secret])
    expect(Date.parse(second.previousExpiresAt) - now().getTime()).toBe(24 * 3600 * 1000)
    const third = await subscriptions.rotate('docs', id)
    expect(await valid()).toEqual([third.secret, second.secret])
    pass(24 * 3600 * 1000)
    expect(await valid()).toEqual([third.secret])
  })

  it('changes what is sent, and its kind with its URL', async () => {
    const { subscriptions, pass } = await openRoom()
    const { id } = await subscriptions.create('docs', { url })
    pass(1000)
    const slack = await subscriptions.update('docs', id, { url: 'https://hooks.slack.com/services/T/B/x' })
    expect(slack).toMatchObject({ kind: 'slack', events: ['deploy.success', 'deploy.failed'] })
    expect(slack.updatedAt > slack.createdAt).toBe(true)
    expect(await subscriptions.update('docs', id, { events: ['deploy.failed'] })).toMatchObject({
      kind: 'slack',
      events: ['deploy.failed'],
    })
    expect((await refusalOf(subscriptions.update('docs', id, { url: 'https://10.0.0.1/' }))).code).toBe(
      'webhook_url_private',
    )
  })

  it('does not bear for another receiver what the one before did', async () => {
    const { subscriptions, store } = await openRoom()
    const { id } = await subscriptions.create('docs', { url })
    await store.mutate<WebhookDocument, void>(projectDocument('docs'), (draft) => {
      for (const webhook of draft?.webhooks ?? []) webhook.failingSince = '2026-11-01T00:00:00.000Z'
      return { document: draft, result: undefined }
    })
    expect(await subscriptions.update('docs', id, { url, events: ['deploy.failed'] })).toHaveProperty('failingSince')
    expect(await subscriptions.update('docs', id, { url: `${url}y` })).not.toHaveProperty('failingSince')
  })

  it('says why it is disabled, and forgets it when it is enabled', async () => {
    const { subscriptions } = await openRoom()
    const { id } = await subscriptions.create('docs', { url })
    const disabled = await subscriptions.update('docs', id, { enabled: false })
    expect(disabled).toMatchObject({ enabled: false, disabledReason: expect.stringContaining('member') })
    expect(await subscriptions.list('docs')).toEqual({ items: [disabled] })
    const enabled = await subscriptions.update('docs', id, { enabled: true })
    expect(enabled.enabled).toBe(true)
    expect(enabled).not.toHaveProperty('disabledReason')
    expect(enabled).not.toHaveProperty('disabledAt')
  })

  it('is one of 50 at most, and makes room when it is deleted', async () => {
    const { subscriptions } = await openRoom()
    const ids: string[] = []
    while (ids.length < webhookLimits.ofProject) ids.push((await subscriptions.create('docs', { url })).id)
    expect((await refusalOf(subscriptions.create('docs', { url }))).message).toContain('50 webhooks')
    const [removed = ''] = ids.splice(20, 1)
    await subscriptions.remove('docs', removed)
    const { items } = await subscriptions.list('docs', { limit: 200 })
    expect(items.map(({ id }) => id).sort()).toEqual(ids.sort())
    await subscriptions.create('docs', { url })
  })

  it('that is not there, or of a project that is not there, is not found', async () => {
    const { subscriptions } = await openRoom()
    for (const work of [
      subscriptions.read('docs', 'wh_x'),
      subscriptions.update('docs', 'wh_x', { enabled: true }),
      subscriptions.remove('docs', 'wh_x'),
      subscriptions.rotate('docs', 'wh_x'),
      subscriptions.list('none'),
      subscriptions.create('none', { url }),
    ]) {
      expect((await refusalOf(work)).code).toBe('not_found')
    }
  })
})
