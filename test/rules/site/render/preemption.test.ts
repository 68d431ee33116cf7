import { describe, expect, it } from 'vitest'
import { preemptions, type PreemptableWorker } from '#site/render/preemption.ts'

const now = 100_000

function child(project: string, given: Partial<PreemptableWorker> = {}): PreemptableWorker {
  return {
    isReady: true,
    isEnding: false,
    retiring: false,
    project,
    servesSince: now - 5000,
    pageSince: now - 3000,
    pageCpuMs: 300,
    idleSince: now - 5000,
    tasks: [{ preemptions: 0 }],
    ...given,
  }
}

/** The children that are preempted when so many projects of other owners have none. */
function workersToPreempt(workers: readonly PreemptableWorker[], starved: number): readonly PreemptableWorker[] {
  const waiting = new Set(Array.from({ length: starved }, (_, index) => `starved${index}`))
  return preemptions(workers, { waiting, surplus: 0, ownerOf: (project) => project }, now).map(({ worker }) => worker)
}

describe('for a project without a child', () => {
  it('an idle child is preempted first', () => {
    const idle = child('a', { tasks: [] })
    expect(workersToPreempt([child('b'), child('b'), idle], 1)).toEqual([idle])
  })

  it('else one of a project with several: the one that loses the least work', () => {
    const late = child('b', { pageSince: now - 1000 })
    expect(workersToPreempt([child('a'), child('b'), late], 1)).toEqual([late])
    const begunAnew = child('b', { pageSince: now - 500, tasks: [{ preemptions: 1 }] })
    expect(workersToPreempt([child('a'), begunAnew, late], 1)).toEqual([late])
  })

  it('an only child is preempted when it has served for a second', () => {
    expect(workersToPreempt([child('a', { servesSince: now - 900 })], 1)).toEqual([])
    expect(workersToPreempt([child('a')], 1)).toHaveLength(1)
  })

  it('none is preempted while another starts, ends, or ends its page', () => {
    for (const coming of [
      child('a', { isReady: false }),
      child('a', { isEnding: true }),
      child('a', { retiring: true, pageSince: now - 100, pageCpuMs: 100 }),
      child('a', { retiring: true, tasks: [{ preemptions: 2 }] }),
    ])
      expect(workersToPreempt([coming, child('b'), child('b')], 1)).toEqual([])
  })

  it('one that was left to end its page is preempted when that takes long', () => {
    const slow = child('a', { retiring: true })
    expect(workersToPreempt([child('b', { pageSince: now - 300 }), child('b'), slow], 1)).toEqual([slow])
  })

  it('one of several always is, however often its page lost its child: the others go on', () => {
    const worn = child('a', { tasks: [{ preemptions: 7 }] })
    const fresh = child('a', { tasks: [{ preemptions: 2 }] })
    const given = { waiting: new Set(['b']), surplus: 0, ownerOf: (project: string) => project }
    expect(preemptions([worn, fresh], given, now)).toEqual([{ worker: fresh, takesPage: true }])
    // The page of an only child is left to end then.
    expect(preemptions([worn], given, now)).toEqual([{ worker: worn, takesPage: false }])
  })

  it('none of another owner is, when its own owner has one', () => {
    const ownerOf = (project: string) => project.slice(0, 1)
    const own = [child('a1'), child('a1')]
    const needs = { waiting: new Set(['a2']), surplus: 0, ownerOf }
    expect(preemptions([child('b1'), child('b1'), ...own], needs, now).map(({ worker }) => worker)).toEqual([own[0]])
  })

  it('those that are more than should be at work go back', () => {
    const needs = { waiting: new Set<string>(), surplus: 1, ownerOf: (project: string) => project }
    const crowd = [child('a'), child('a'), child('b', { servesSince: now - 500 })]
    expect(preemptions(crowd, needs, now).map(({ worker }) => worker.project)).toEqual(['a'])
  })

  it('each gets one', () => {
    expect(workersToPreempt([child('a'), child('a'), child('a'), child('b')], 2).map((one) => one.project)).toEqual([
      'a',
      'a',
    ])
  })
})
