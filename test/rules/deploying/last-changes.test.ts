import { describe, expect, it } from 'vitest'
import { Failure } from '#contract/failure.ts'
import { timesOf } from '#deploying/last-changes.ts'
import { Rooms } from '#test/support/rooms.ts'

const record = (oid: string) => ({
  oid,
  builder: '',
  dependencies: [],
  artifact: '',
  markdown: '',
  markdownSize: 0,
  summary: null,
})
const at = '2026-03-09T12:00:00Z'
const seconds = Date.parse(at) / 1000

describe('when pages of a deploy were last changed', () => {
  it('is now for what one commit changed, and what the history says for the rest', async () => {
    const rooms = await Rooms.open()
    const { commit = '' } = await rooms.deploy({ 'a.md': 'a', 'b.md': 'b' })
    const oids = new Map([...(await rooms.repository.readTree(commit))].map(([path, { oid }]) => [path, oid]))
    const live = { pages: { 'a.md': record('another'), 'b.md': record(oids.get('b.md') ?? '') } }
    const times = await timesOf(live, oids, { repository: rooms.repository, commit, at })(['a.md', 'b.md'])
    const committed = Math.floor(Date.parse((await rooms.repository.readCommit(commit)).committedAt) / 1000)
    expect(Object.fromEntries(times)).toEqual({ 'a.md': seconds, 'b.md': committed })
  })

  it('is left out where git is too busy to tell', async () => {
    const busy = { lastChanges: () => Promise.reject(new Failure('unavailable', 'Too much work.')) }
    const oids = new Map([['a.md', '1']])
    const times = await timesOf(null, oids, { repository: busy, commit: '1', at: undefined })(['a.md'])
    expect(times.size).toBe(0)
  })
})
