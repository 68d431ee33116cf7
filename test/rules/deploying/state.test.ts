import { describe, expect, it } from 'vitest'
import { Progress } from '#deploying/run.ts'
import {
  emptyState,
  maxKeys,
  maxLive,
  maxSummaries,
  newDeployId,
  present,
  pruneKeys,
  putLive,
  putSummary,
  type StoredDeploy,
  liveReleases,
} from '#deploying/state.ts'
import type { DeployEvent } from '#contract/deploys.ts'

const longMessage = 'x'.repeat(5000)

function deploy(number: number, change: Partial<StoredDeploy> = {}): StoredDeploy {
  const details = Array.from({ length: 50 }, () => ({
    path: 'a/b.md',
    line: 1,
    column: 1,
    message: longMessage,
    frame: longMessage,
  }))
  return {
    id: newDeployId(new Date(1e12 + number)),
    number,
    status: 'failed',
    kind: 'deploy',
    message: longMessage,
    commit: 'c'.repeat(40),
    tree: 'd'.repeat(40),
    release: 'r',
    pages: { total: 5000, built: 5000, reused: 0 },
    errors: details,
    warnings: details,
    counts: { errors: 50, warnings: 50 },
    stages: { receive: 1, commit: 1, build: 1, release: 1, point: 1 },
    createdAt: new Date(1e12 + number).toISOString(),
    ...change,
  }
}

describe('deploys in a project’s document', () => {
  it('stay few and short, however many there were', () => {
    const state = emptyState()
    for (let number = 1; number <= 400; number++) {
      putSummary(state, deploy(number))
      putLive(state, deploy(number, { release: newDeployId(new Date(1e12 + number)) }))
    }
    // As many keys as are kept, and as long as they are.
    const at = '2026-01-01T13:00:00.000Z'
    const entry = { key: 'k'.repeat(22), body: 'b'.repeat(22), deploy: newDeployId(new Date(at)), at }
    state.idempotency = Array.from({ length: 3000 }, (_, index) => ({ ...entry, key: `${index}`.padEnd(22, 'k') }))
    pruneKeys(state, new Date(at))
    expect(state.idempotency).toHaveLength(maxKeys)
    expect(state.idempotency.at(-1)?.key).toMatch(/^2999/)
    expect(state.deploys).toHaveLength(maxSummaries)
    expect(state.deploys[0]?.number).toBe(400)
    expect(JSON.stringify(state).length).toBeLessThan(256 * 1024)
  })

  it('hold nothing that a store refuses', () => {
    const state = emptyState()
    putSummary(state, deploy(1, { errors: [{ message: 'a\0b\uD800c' }] }))
    expect(state.deploys[0]?.errors).toEqual([{ message: 'a\uFFFDb\uFFFDc' }])
  })

  it('are superseded when another one is live', () => {
    const stored = deploy(1, { status: 'live' })
    const context = { project: 'p', url: 'u' }
    expect(present(stored, { ...context, live: stored.id }).status).toBe('live')
    expect(present(stored, { ...context, live: 'another' }).status).toBe('superseded')
    expect(present(stored, { ...context, live: null })).not.toHaveProperty('release')
  })

  it('have ids that sort by time', () => {
    const ids = [1, 2, 3].map((second) => newDeployId(new Date(1.7e12 + second * 1000)))
    expect(ids.toSorted()).toEqual(ids)
  })

  it('remember the releases that were live, however many deploys fail', () => {
    const state = emptyState()
    for (let number = 1; number <= 60; number++) putLive(state, deploy(number, { release: `r${number}` }))
    for (let number = 61; number <= 300; number++) putSummary(state, deploy(number))
    const kept = liveReleases(state).map(({ release }) => release)
    expect(kept).toEqual(Array.from({ length: maxLive }, (_, index) => `r${60 - index}`))
    putLive(state, deploy(301, { release: 'r30' }))
    expect(liveReleases(state).map(({ release }) => release)).toEqual(['r30', ...kept.filter((name) => name !== 'r30')])
  })

  it('tell the releases that were live where a document of before has no list of them', () => {
    const state = emptyState()
    for (let number = 1; number <= 4; number++) {
      putSummary(state, deploy(number, { status: number === 3 ? 'failed' : 'live', release: `r${number}` }))
    }
    expect(liveReleases(state).map(({ release }) => release)).toEqual(['r4', 'r2', 'r1'])
  })

  it('forget idempotency keys after a day', () => {
    const state = emptyState()
    const now = new Date('2026-01-02T12:00:00Z')
    state.idempotency = ['2026-01-01T11:00:00Z', '2026-01-01T13:00:00Z'].map((at) => ({
      key: at,
      body: 'b',
      deploy: 'd',
      at,
    }))
    pruneKeys(state, now)
    expect(state.idempotency.map(({ at }) => at)).toEqual(['2026-01-01T13:00:00Z'])
  })
})

describe('progress of a deploy', () => {
  it('is replayed to those who come later, up to the end', () => {
    const progress = new Progress()
    const seen: DeployEvent[][] = [[], [], []]
    const watch = (index: number) => progress.watch((event) => seen[index]?.push(event))
    watch(0)
    progress.stage('receive')
    progress.pages(1, 9)
    progress.pages(2, 9)
    watch(1)
    progress.stage('commit')
    const { release: _release, builder: _builder, ...rest } = deploy(1)
    progress.finish({ ...rest, project: 'p', url: 'u' })
    watch(2)
    const types = seen.map((events) => events.map((event) => event.type).join(' '))
    expect(types).toEqual([
      'stage progress progress stage done',
      'stage progress stage done',
      'stage stage progress done',
    ])
  })
})
