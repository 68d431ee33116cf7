import { describe, expect, it } from 'vitest'
import { Retention } from '#deploying/retention.ts'
import { emptyState, maxLive, putLive, putSummary, summarise, type StoredDeploy } from '#deploying/state.ts'
import { openHosting } from '#test/support/hosting/support.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'

function deploy(number: number, status: StoredDeploy['status']): StoredDeploy {
  return {
    id: `d${String(number).padStart(8, '0')}`,
    number,
    status,
    kind: 'deploy',
    release: `r${number}`,
    pages: { total: 1, built: 1, reused: 0 },
    errors: [],
    warnings: [],
    counts: { errors: 0, warnings: 0 },
    stages: {},
    createdAt: '2026-01-01T00:00:00.000Z',
  }
}

describe('cleaning up behind deploys', () => {
  it('keeps the last releases that were live, also after a hundred deploys that failed', async () => {
    const { hosting } = await openHosting()
    const store = await hosting.open('docs')
    const state = emptyState()
    for (let number = 1; number <= maxLive + 2; number++) {
      const live = deploy(number, 'live')
      const { release, blobs } = makeRelease({ id: live.release, pages: { '/': `Version ${number}` } })
      await store.publish(release, blobs)
      putSummary(state, live)
      putLive(state, live)
      state.live = summarise(live)
    }
    for (let number = 101; number <= 250; number++) putSummary(state, deploy(number, 'failed'))
    const retention = new Retention({
      ports: {
        hosting,
        previews: { releases: () => Promise.resolve([]) },
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
        // Long after what a running request might still read.
        now: () => new Date('2100-01-01T00:00:00.000Z'),
      },
      records: { state: () => Promise.resolve(state) },
      reports: { prune: () => Promise.resolve() },
    })
    await retention.collect('docs')
    const kept: number[] = []
    for (let number = 1; number <= maxLive + 2; number++)
      if ((await store.read(`r${number}`)) !== null) kept.push(number)
    expect(kept).toEqual(Array.from({ length: maxLive }, (_, index) => index + 3))
  })
})
