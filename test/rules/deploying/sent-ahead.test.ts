import { describe, expect, it } from 'vitest'
import { maxSentAhead, SentAhead } from '#deploying/uploads.ts'
import { refusalOf } from '#test/support/refusal.ts'

const at = (hour: number): Date => new Date(Date.UTC(2026, 0, 1, hour, 30))
/** Counted by its length alone: nobody reads it. */
const half = [new Uint8Array(maxSentAhead / 2)]
const one = [new Uint8Array(1)]

describe('content sent ahead of deploys', () => {
  it('is bounded for each project, until what it sent first is a day old', async () => {
    const sent = new SentAhead()
    sent.count('docs', half, at(0))
    sent.count('docs', half, at(2))
    const failure = await refusalOf(Promise.resolve().then(() => sent.count('docs', one, at(3))))
    expect(failure).toMatchObject({ code: 'rate_limited', retryAfter: 20.5 * 3600 })
    expect(() => sent.count('other', half, at(3))).not.toThrow()
    expect(() => sent.count('docs', one, at(23))).toThrow('within a day')
    expect(() => sent.count('docs', one, new Date(at(3).getTime() + 20.5 * 3_600_000))).not.toThrow()
    expect(() => sent.count('docs', half, at(24))).toThrow('within a day')
  })

  it('counts small objects for what they take on disk', () => {
    const sent = new SentAhead()
    const many = Array.from({ length: maxSentAhead / 4096 }, () => new Uint8Array(1))
    sent.count('docs', many, at(0))
    expect(() => sent.count('docs', one, at(0))).toThrow('within a day')
  })

  it('is not counted when it was refused or could not be stored', () => {
    const sent = new SentAhead()
    const takeBack = sent.count('docs', half, at(0))
    expect(() => sent.count('docs', [...half, ...half], at(0))).toThrow('within a day')
    takeBack()
    expect(() => sent.count('docs', [...half, ...half], at(0))).not.toThrow()
  })
})
