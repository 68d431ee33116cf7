import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eachInTurns, forOwner, inSlices, sorted, type Steps } from '#lib/slices.ts'
import { atOnce } from '#test/support/at-once.ts'
import { cases } from '#test/support/properties.ts'

/** Steps that take a few milliseconds each. */
function* slow(steps: number, done: () => void = () => undefined): Steps<string> {
  for (let step = 0; step < steps; step++) {
    for (const until = performance.now() + 4; performance.now() < until;);
    done()
    yield 'large'
  }
  return 'finished'
}

/** Tells of each turn of the event loop until the work is done. */
async function watchTurns(work: Promise<unknown>, turn: () => void): Promise<void> {
  const watched = new AbortController()
  const end = (): void => watched.abort()
  work.then(end, end)
  while (!watched.signal.aborted) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    turn()
  }
  await work
}

describe('work in slices', () => {
  it('comes to its result', async () => {
    expect(await inSlices(slow(3))).toBe('finished')
  })

  it('leaves turns of the event loop to others', async () => {
    let turns = 0
    await watchTurns(inSlices(slow(30)), () => (turns += 1))
    // Thirty steps of four milliseconds are at least ten slices.
    expect(turns).toBeGreaterThanOrEqual(10)
  })

  it('shares one slice a turn among all works, so that many stall others no longer than one', async () => {
    let steps = 0
    let most = 0
    const works = Array.from({ length: 10 }, () => inSlices(slow(10, () => (steps += 1))))
    await watchTurns(Promise.all(works), () => {
      most = Math.max(most, steps)
      steps = 0
    })
    // A slice has room for three or four steps, and each work may have begun with one; without turns it is a hundred.
    expect(most).toBeLessThanOrEqual(20)
  })

  it('takes works by turns', async () => {
    const order: string[] = []
    const work = (name: string) => inSlices(slow(12, () => order.push(name)))
    await Promise.all([work('one'), work('other')])
    expect(order.indexOf('other')).toBeLessThan(order.lastIndexOf('one'))
  })

  it('divides the turns among owners, however many works one of them has', async () => {
    const order: string[] = []
    const work = (name: string) => forOwner(name, () => inSlices(slow(10, () => order.push(name))))
    const many = Array.from({ length: 20 }, () => work('many'))
    await work('one')
    const between = order.join(' ').split('one').slice(1, -1)
    expect(between).toHaveLength(9)
    // A turn of the other owner, and a step of a work that has not begun yet.
    for (const others of between) expect(others.trim().split(' ').filter(Boolean).length).toBeLessThanOrEqual(2)
    await Promise.all(many)
  })

  it('is for the owner of what led to it, whatever it waited for', async () => {
    const order: string[] = []
    const many = Array.from({ length: 20 }, () => forOwner('many', () => inSlices(slow(10, () => order.push('many')))))
    await forOwner('one', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.length = 0
      await inSlices(slow(10, () => order.push('one')))
    })
    expect(order.length).toBeLessThan(40)
    await Promise.all(many)
  })

  it('ends with the reason of its signal', async () => {
    const abort = new AbortController()
    const work = inSlices(slow(1000), abort.signal)
    abort.abort(new Error('nobody waits'))
    await expect(work).rejects.toThrow('nobody waits')
  })

  it('gives on what the work throws', async () => {
    const work = inSlices(
      (function* (): Steps<never> {
        yield
        throw new Error('broken')
      })(),
    )
    await expect(work).rejects.toThrow('broken')
  })
})

describe('work for each of many items', () => {
  it('is done for all, some of them at a time', async () => {
    let running = 0
    let most = 0
    const done = new Set<number>()
    // Nobody goes on before eight are under way: they may begin in different turns.
    let letGo: () => void = () => undefined
    const eight = new Promise<void>((resolve) => {
      letGo = resolve
    })
    await eachInTurns(
      Array.from({ length: 100 }, (_, index) => index),
      async (index) => {
        most = Math.max(most, ++running)
        if (running === 8) letGo()
        await eight
        running -= 1
        done.add(index)
      },
      8,
    )
    expect(done.size).toBe(100)
    expect(most).toBe(8)
  })

  it('leaves turns to others, also where it never waits for the outside', async () => {
    let turns = 0
    const work = eachInTurns(Array.from({ length: 30 }), async () => {
      for (const until = performance.now() + 4; performance.now() < until;);
    })
    await watchTurns(work, () => (turns += 1))
    expect(turns).toBeGreaterThanOrEqual(10)
  })

  it('ends with the first failure, and begins no more', async () => {
    let begun = 0
    const work = eachInTurns(
      Array.from({ length: 1000 }),
      async () => {
        begun += 1
        await Promise.resolve()
        throw new Error('broken')
      },
      4,
    )
    await expect(work).rejects.toThrow('broken')
    const atFailure = begun
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    // The others that may be under way beside it may begin in later turns.
    expect(atFailure).toBeLessThanOrEqual(4)
    expect(begun).toBe(atFailure)
  })
})

it('sorts as Array.sort does, stably', () => {
  const items = fc.array(fc.record({ key: fc.integer({ min: 0, max: 50 }), at: fc.nat() }), {
    maxLength: 5000,
    size: 'max',
  })
  const byKey = (one: { key: number }, other: { key: number }): number => one.key - other.key
  fc.assert(
    fc.property(items, (list) => {
      expect(atOnce(sorted(list, byKey))).toEqual(list.toSorted(byKey))
    }),
    { numRuns: cases(20) },
  )
})

it('a long sort pauses again and again, however its halves go together', () => {
  // Each half has every other one of what comes out: the left ones are always at odd places.
  const halves = [
    ...Array.from({ length: 8000 }, (_, at) => at * 2),
    ...Array.from({ length: 8000 }, (_, at) => at * 2 + 1),
  ]
  let compared = 0
  let most = 0
  const steps = sorted(halves, (one, other) => {
    compared += 1
    return one - other
  })
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    most = Math.max(most, compared)
    compared = 0
  }
  expect(Math.max(most, compared)).toBeLessThan(4000)
})
