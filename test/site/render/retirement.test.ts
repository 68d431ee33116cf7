import { describe, expect, it } from 'vitest'
import {
  workersToRetire,
  workerToRefresh,
  workerToReplace,
  type RetirableWorker,
} from '../../../src/site/render/eviction.ts'

const now = 1_000_000
const none: ReadonlySet<string> = new Set()

function child(project: string | undefined, given: Partial<RetirableWorker> = {}): RetirableWorker {
  return { retiring: false, project, idleSince: now - 1000, usage: undefined, tasks: [], ...given }
}

describe('an idle child', () => {
  it('makes room for another project when it has been idle longest', () => {
    const oldest = child('a', { idleSince: now - 9000 })
    expect(workerToReplace([child('b'), oldest, child('c', { tasks: [{}] })], 'd')).toBe(oldest)
    expect(workerToReplace([child('d'), child(undefined), child('e', { retiring: true })], 'd')).toBeUndefined()
  })

  it('makes room for a fresh one unless one is fresh, coming, or all have work', () => {
    const oldest = child('a', { idleSince: now - 9000 })
    expect(workerToRefresh([child('b'), oldest], none)).toBe(oldest)
    expect(workerToRefresh([oldest, child(undefined)], none)).toBeUndefined()
    expect(workerToRefresh([oldest, child('b', { retiring: true })], none)).toBeUndefined()
    expect(workerToRefresh([oldest], new Set(['a']))).toBeUndefined()
  })

  it('ends after a minute without a build of its project, a second one of it after less', () => {
    const first = child('a', { idleSince: now - 59_000 })
    const second = child('a', { idleSince: now - 59_000 })
    expect(workersToRetire([first, second], none, now)).toEqual([second])
    expect(workersToRetire([first, second], new Set(['a']), now)).toEqual([])
    expect(workersToRetire([child('a', { idleSince: now - 61_000 })], none, now)).toHaveLength(1)
  })

  it('ends when it has done much, or holds much memory', () => {
    const usage = { cpuMs: 0, rssBytes: 0 }
    expect(workersToRetire([child('a', { usage })], none, now)).toEqual([])
    expect(workersToRetire([child('a', { usage: { ...usage, cpuMs: 31_000 } })], none, now)).toHaveLength(1)
    expect(workersToRetire([child('a', { usage: { ...usage, rssBytes: 300 * 1024 * 1024 } })], none, now)).toHaveLength(
      1,
    )
  })
})
