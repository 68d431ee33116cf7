import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { failpoints, type FailpointName } from '#deploying/ports.ts'
import { FailingService } from '#test/support/failing-service.ts'
import { startReceiver } from '#test/support/receiver.ts'
import { createProject } from '#test/support/service-process.ts'

/** What there is to tell of a deploy that is killed at a step. */
const told: Readonly<Record<FailpointName, 'deploy.success' | 'deploy.failed' | null>> = {
  // It was never on record.
  'after-lease': null,
  'after-commit': null,
  'after-record': 'deploy.failed',
  'after-build': 'deploy.failed',
  'after-release': 'deploy.failed',
  'after-refs': 'deploy.success',
  'after-point': 'deploy.success',
}

const host = '127.0.0.1'
let service: FailingService

beforeAll(async () => {
  service = await FailingService.start({ WEBHOOK_ALLOW_HOSTS: host })
})
afterAll(() => service.close())

describe('a deploy that is killed', () => {
  it.each(failpoints)('%s is told of exactly as it ended, with one id', async (failpoint) => {
    const receiver = await startReceiver()
    const slug = `told-${failpoint}`
    const { client } = await createProject(service.url, slug)
    await client.call(contract.webhooks.create, { params: { slug }, body: { url: receiver.url } })
    const deploy = (content: string) =>
      client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content }] } })
    await deploy('# One')
    await service.killAt(failpoint, () => deploy('# Two'))
    await deploy('# Three')

    const events = () => {
      const seen = new Map<string, string>()
      for (const { body } of receiver.arrived) {
        const { id, event } = JSON.parse(body) as { id: string; event: string }
        seen.set(id, event)
      }
      return [...seen.values()]
    }
    const expected = ['deploy.success', ...(told[failpoint] === null ? [] : [told[failpoint]]), 'deploy.success']
    await expect.poll(events).toEqual(expected)
  })
})
