import { describe, expect, it } from 'vitest'
import type { Deploy } from '#contract/deploys.ts'
import { eventOfDeploy, eventOfPreview } from '#webhooks/events.ts'

const deploy = (change: Partial<Deploy> = {}): Deploy => ({
  id: '0mi3k2x9q4f8a1c07',
  number: 7,
  project: 'docs',
  status: 'live',
  kind: 'deploy',
  url: 'https://docs.example.net',
  commit: 'c'.repeat(40),
  pages: { total: 1234, built: 1, reused: 1233 },
  errors: [],
  warnings: [],
  counts: { errors: 0, warnings: 0 },
  stages: {},
  durationMs: 41,
  createdAt: '2026-11-21T12:00:00.000Z',
  finishedAt: '2026-11-21T12:00:01.000Z',
  ...change,
})

describe('the event of a deploy', () => {
  it('has an id that follows from the deploy, and the time of its end', () => {
    const event = eventOfDeploy('deploy.success', deploy())
    expect(event).toMatchObject({ id: 'evt_0mi3k2x9q4f8a1c07', type: 'deploy.success', at: '2026-11-21T12:00:01.000Z' })
    expect(eventOfDeploy('deploy.success', deploy())).toEqual(event)
    expect(event.data.deploy).toEqual({
      id: '0mi3k2x9q4f8a1c07',
      kind: 'deploy',
      commit: 'c'.repeat(40),
      durationMs: 41,
    })
  })

  it.each([
    [{}, 'Deploy 7 is live: 1,234 pages.'],
    [{ kind: 'publish', branch: 'new' }, 'Publish 7 of new is live: 1,234 pages.'],
    [{ kind: 'rollback', pages: { total: 1, built: 0, reused: 1 } }, 'Rollback 7 is live: 1 page.'],
  ] as const)('says what happened: %o', (change, message) => {
    expect(eventOfDeploy('deploy.success', deploy(change)).data.message).toBe(message)
  })

  it.each([
    [[], 0, 'Push 7 failed: it did not build. What was live still is.'],
    [
      [{ message: 'Interrupted; nothing changed.' }],
      1,
      'Push 7 failed: Interrupted; nothing changed. What was live still is.',
    ],
    [
      [{ path: 'a.mdx', line: 3, message: 'It is broken' }],
      3,
      'Push 7 failed: a.mdx:3: It is broken. And 2 more errors. What was live still is.',
    ],
  ])('says where it failed first: %o', (errors, count, message) => {
    const failed = deploy({ kind: 'push', status: 'failed', errors, counts: { errors: count, warnings: 0 } })
    expect(eventOfDeploy('deploy.failed', failed).data.message).toBe(message)
  })
})

describe('the event of a preview', () => {
  it('names the branch and shows where the preview is', () => {
    const { id, pages, errors, counts, durationMs = 0, finishedAt = '' } = deploy()
    const build = { id, pages, errors, counts, durationMs, finishedAt, commit: 'c', status: 'live' as const }
    const url = 'https://docs--new.example.net'
    expect(eventOfPreview({ branch: 'new', url, build })).toMatchObject({
      type: 'preview.success',
      data: { message: 'The preview of new shows 1,234 pages.', url, deploy: { kind: 'preview', branch: 'new' } },
    })
    expect(eventOfPreview({ branch: 'new', url, build: { ...build, status: 'failed' } }).type).toBe('preview.failed')
  })
})
