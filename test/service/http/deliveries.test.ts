import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import type { CreatedWebhook, WebhookEventType } from '#contract/webhooks.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startReceiver, type TestReceiver } from '#test/support/receiver.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
beforeAll(async () => {
  const settings = { WEBHOOK_ALLOW_HOSTS: '127.0.0.1', WEBHOOK_RETRY_SCHEDULE: '0,0.05,0.05' }
  service = await startTestService(settings, { builder: new FakeBuilder() })
})
afterAll(() => service.close())

interface Desk {
  readonly receiver: TestReceiver
  readonly project: ProjectAccess
  readonly webhook: CreatedWebhook
  readonly params: { readonly slug: string; readonly id: string }
  readonly deploy: (path?: string) => Promise<unknown>
}

async function openDesk(events?: WebhookEventType[]): Promise<Desk> {
  const receiver = await startReceiver()
  const project = await createProject(service.url, `p${randomUUID().slice(0, 8)}`)
  const { slug, client } = project
  const body = { url: receiver.url, ...(events === undefined ? {} : { events }) }
  const webhook = await client.call(contract.webhooks.create, { params: { slug }, body })
  const deploy = (path = 'index.md'): Promise<unknown> =>
    client.call(contract.deploys.create, { body: { files: [{ path, content: 'text' }] } })
  return { receiver, project, webhook, params: { slug, id: webhook.id }, deploy }
}

describe('a deploy', () => {
  it('is told to the webhooks of its project, signed', async () => {
    const { receiver, webhook, project, deploy } = await openDesk()
    await deploy()
    await refusalOf(deploy('broken.md'))
    await expect.poll(() => receiver.arrived).toHaveLength(2)
    const payloads = receiver.arrived.map(({ body, headers }) =>
      new Webhook(webhook.secret).verify(body, headers as Record<string, string>),
    )
    expect(payloads).toMatchObject([
      {
        event: 'deploy.success',
        message: 'Deploy 1 is live: 1 page.',
        title: project.slug,
        project: { slug: project.slug },
      },
      {
        event: 'deploy.failed',
        message: 'Deploy 2 failed: broken.md:3: It is broken. What was live still is.',
        url: expect.stringContaining(`//${project.slug}.`),
      },
    ])
  })

  it('is in the log with request and answer, for who may write', async () => {
    const { receiver, project, params, deploy } = await openDesk()
    receiver.status = 418
    await deploy()
    const { client } = project
    const list = () => client.call(contract.webhooks.deliveries, { params, query: {} })
    await expect.poll(async () => (await list()).items.length).toBe(3)
    const [last, , first] = (await list()).items
    expect(first).toMatchObject({ attempt: 1, status: 'failed', responseStatus: 418, trigger: 'event' })
    expect(first).toHaveProperty('nextAttemptAt')
    expect(last).toMatchObject({ attempt: 3 })
    expect(last).not.toHaveProperty('nextAttemptAt')
    const whole = await client.call(contract.webhooks.delivery, { params: { ...params, delivery: last?.id ?? '' } })
    expect(whole.request).toMatchObject({ body: receiver.arrived[2]?.body, headers: { 'webhook-id': last?.event.id } })
    expect(whole.response).toMatchObject({ status: 418, body: 'status 418', truncated: false })

    const owner = createClient({ baseUrl: service.url, token: project.session })
    const { key } = await owner.call(contract.keys.create, {
      params: { slug: params.slug },
      body: { name: 'reader', scopes: ['read'] },
    })
    const reader = createClient({ baseUrl: service.url, token: key })
    const refused = await refusalOf(reader.call(contract.webhooks.deliveries, { params, query: {} }))
    expect(refused.code).toBe('forbidden')
  })
})

describe('the build of a preview', () => {
  it('is told to webhooks that ask for it, and to no others', async () => {
    const { receiver, project, deploy } = await openDesk(['preview.success', 'preview.failed'])
    await deploy()
    const { slug, client } = project
    const branch = await client.call(contract.branches.create, { params: { slug }, body: { name: 'new' } })
    const save = (path: string) =>
      client.call(contract.branches.saveFile, { params: { slug, id: branch.id, path }, body: { content: 'x' } })
    await save('more.md')
    const types = () => receiver.arrived.map(({ body }) => (JSON.parse(body) as { event: string }).event)
    await expect.poll(() => types().at(-1)).toBe('preview.success')
    await save('broken.md')
    await expect.poll(() => types().at(-1)).toBe('preview.failed')
    expect(JSON.parse(receiver.arrived.at(-1)?.body ?? '')).toMatchObject({
      message: 'The preview of new does not build: broken.md:3: It is broken.',
      url: branch.previewUrl,
      deploy: { kind: 'preview', branch: 'new' },
    })
    expect(types().filter((type) => type.startsWith('deploy.'))).toEqual([])
  })
})

describe('a webhook that answered 410', () => {
  it('goes on with what waited when it is enabled again', async () => {
    const { receiver, project, params, deploy } = await openDesk()
    receiver.status = 410
    await deploy()
    const read = () => project.client.call(contract.webhooks.read, { params })
    await expect.poll(async () => (await read()).enabled).toBe(false)
    expect((await read()).disabledReason).toContain('410')
    receiver.status = 200
    await project.client.call(contract.webhooks.update, { params, body: { enabled: true } })
    await expect.poll(() => receiver.arrived.length).toBe(2)
    expect(receiver.arrived[1]?.headers['webhook-id']).toBe(receiver.arrived[0]?.headers['webhook-id'])
  })
})

describe('deliveries', () => {
  it('survive a restart, and are gone with their webhook and their project', async () => {
    const { receiver, project, params, deploy } = await openDesk()
    const pending = async (): Promise<string | undefined> =>
      /^quire_webhook_pending .*$/m.exec(await (await fetch(`${service.url}/metrics`)).text())?.[0]
    await expect.poll(pending).toBe('quire_webhook_pending 0')
    receiver.status = 410
    await deploy()
    await expect.poll(() => receiver.arrived).toHaveLength(1)
    await expect.poll(async () => (await project.client.call(contract.webhooks.read, { params })).enabled).toBe(false)
    await service.restart()
    const { items } = await project.client.call(contract.webhooks.deliveries, { params, query: {} })
    expect(items).toMatchObject([{ responseStatus: 410 }])
    expect(await pending()).toBe('quire_webhook_pending 1')

    await project.client.call(contract.webhooks.remove, { params: { slug: params.slug }, query: { id: params.id } })
    const listed = project.client.call(contract.webhooks.deliveries, { params, query: {} })
    expect((await refusalOf(listed)).code).toBe('not_found')
    await expect.poll(pending).toBe('quire_webhook_pending 0')

    const owner = createClient({ baseUrl: service.url, token: project.session })
    await owner.call(contract.projects.remove, { params: { slug: params.slug } })
    expect(existsSync(join(service.directory, params.slug))).toBe(false)
  })
})
