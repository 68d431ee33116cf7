import { afterEach, describe, expect, it, vi } from 'vitest'
import { readEnvironment } from '#cli/environment.ts'
import { Output } from '#cli/output.ts'
import { followDeploy } from '#cli/deploying/progress.ts'
import type { Client } from '#client/client.ts'
import type { Deploy, DeployEvent } from '#contract/deploys.ts'

const deploy = (status: Deploy['status']): Deploy => ({
  id: 'd1',
  project: 'docs',
  number: 1,
  status,
  url: 'https://docs.example.com',
  kind: 'deploy',
  errors: [],
  warnings: [],
  counts: { errors: 0, warnings: 0 },
  pages: { total: 0, built: 0, reused: 0 },
  stages: {},
  createdAt: '2026-01-01T00:00:00.000Z',
})

/** A service whose only deploy is under way until `end` is called. */
function serviceWithDeploy(): { client: Client; end: () => void } {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  async function* events(): AsyncGenerator<DeployEvent, void, undefined> {
    yield { type: 'stage', stage: 'build', at: '2026-01-01T00:00:00.000Z' }
    await ended
    yield { type: 'done', deploy: deploy('live') }
  }
  return { client: { events } as unknown as Client, end: () => end() }
}

describe('following a deploy', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('tells who interrupts it that the service goes on, and nobody afterwards', async () => {
    let told = ''
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      told += String(text)
      return true
    })
    const { client, end } = serviceWithDeploy()
    const before = process.listeners('SIGINT')
    const policy = { tries: 1, contentionMs: 0 }
    const output = new Output(readEnvironment({ color: false, input: false }), false)
    const followed = followDeploy(client, 'docs', deploy('building'), output, policy)
    const added = process.listeners('SIGINT').filter((listener) => !before.includes(listener))
    expect(added).toHaveLength(1)
    expect(process.listeners('SIGINT')[0]).toBe(added[0])
    added[0]?.('SIGINT')
    end()
    expect((await followed).status).toBe('live')
    expect(told).toContain('The deploy goes on without you; quire deploys says how it went.')
    expect(process.listeners('SIGINT')).toEqual(before)
  })
})
