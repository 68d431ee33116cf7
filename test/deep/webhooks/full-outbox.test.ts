import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { maxOutbox } from '#webhooks/queue.ts'
import { FakeTexts } from '#test/support/changelog/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const got: string[] = []
let service: TestService

beforeAll(async () => {
  service = await startTestService(
    { WEBHOOK_ALLOW_HOSTS: 'localhost:9', RATE_CHANGELOG: '10000' },
    {
      builder: new FakeBuilder(),
      texts: new FakeTexts(),
      send: ({ body }) => {
        got.push((JSON.parse(body) as { event: string }).event)
        return Promise.resolve({ status: 204, headers: {}, body: '', truncated: false })
      },
    },
  )
})
afterAll(() => service.close())

it('a deploy whose end could not be told is refused, costs nothing, and goes on when the queue can be written', async () => {
  const { client } = await createProject(service.url, 'docs')
  const params = { slug: 'docs' }
  // Where the queue’s folder would be.
  const queue = join(service.directory, 'docs', 'webhooks')
  await writeFile(queue, '')
  const deploy = () =>
    client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: 'Text' }] } })
  const events = ['deploy.success', 'changelog.published'] as const
  const body = { url: 'http://localhost:9/', events: [...events] }
  const { id } = await client.call(contract.webhooks.create, { params, body })
  const entries = Array.from({ length: maxOutbox }, (_, index) => ({
    title: `${index}`,
    content: 'Text',
    is_draft: false,
  }))
  for (const entry of entries) await client.call(contract.changelog.create, { params, body: entry })

  const refusal = await refusalOf(deploy())
  expect(refusal).toMatchObject({ code: 'unavailable', status: 503, retryAfter: 30 })
  const { deploys } = await client.call(contract.usage.read, { params })
  expect(deploys.used).toBe(0)
  expect((await client.call(contract.deploys.list, { params, query: {} })).items).toEqual([])

  // Who does not listen any more is in nobody’s way.
  await client.call(contract.webhooks.update, { params: { ...params, id }, body: { enabled: false } })
  expect(await deploy()).toMatchObject({ status: 'live' })
  await client.call(contract.webhooks.update, { params: { ...params, id }, body: { enabled: true } })
  expect(await refusalOf(deploy())).toMatchObject({ code: 'unavailable' })

  await unlink(queue)
  await expect.poll(() => got).toHaveLength(maxOutbox)
  expect(await deploy()).toMatchObject({ status: 'live' })
  await expect.poll(() => got.at(-1)).toBe('deploy.success')
  expect(got).toHaveLength(maxOutbox + 1)
})
