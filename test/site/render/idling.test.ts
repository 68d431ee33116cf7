import { describe, expect, it } from 'vitest'
import { finished, roomFor, spare, type Idler } from '../../../src/site/render/replacing.ts'

const now = 1_000_000
const none: ReadonlySet<string> = new Set()

function child(project: string | undefined, given: Partial<Idler> = {}): Idler {
  return { retiring: false, project, idleSince: now - 1000, usage: undefined, tasks: [], ...given }
}

describe('an idle child', () => {
  it('makes room for another project when it has been idle longest', () => {
    const oldest = child('a', { idleSince: now - 9000 })
    expect(roomFor([child('b'), oldest, child('c', { tasks: [{}] })], 'd')).toBe(oldest)
    expect(roomFor([child('d'), child(undefined), child('e', { retiring: true })], 'd')).toBeUndefined()
  })

  it('makes room for a fresh one unless one is fresh, coming, or all have work', () => {
    const oldest = child('a', { idleSince: now - 9000 })
    expect(spare([child('b'), oldest], none)).toBe(oldest)
    expect(spare([oldest, child(undefined)], none)).toBeUndefined()
    expect(spare([oldest, child('b', { retiring: true })], none)).toBeUndefined()
    expect(spare([oldest], new Set(['a']))).toBeUndefined()
  })

  it('ends after a minute without a build of its project, a second one of it after less', () => {
    const first = child('a', { idleSince: now - 59_000 })
    const second = child('a', { idleSince: now - 59_000 })
    expect(finished([first, second], none, now)).toEqual([second])
    expect(finished([first, second], new Set(['a']), now)).toEqual([])
    expect(finished([child('a', { idleSince: now - 61_000 })], none, now)).toHaveLength(1)
  })

  it('ends when it has done much, or holds much memory', () => {
    const usage = { cpuMs: 0, rssBytes: 0 }
    expect(finished([child('a', { usage })], none, now)).toEqual([])
    expect(finished([child('a', { usage: { ...usage, cpuMs: 31_000 } })], none, now)).toHaveLength(1)
    expect(finished([child('a', { usage: { ...usage, rssBytes: 300 * 1024 * 1024 } })], none, now)).toHaveLength(1)
  })
})
