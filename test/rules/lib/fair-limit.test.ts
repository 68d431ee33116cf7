import { describe, expect, it } from 'vitest'
import { FairLimit } from '#lib/fair-limit.ts'

/** Work that ends when the test says so. */
class Works {
  readonly begun: string[] = []
  readonly #ends = new Map<string, () => void>()
  readonly #limit: FairLimit

  constructor(limit: FairLimit) {
    this.#limit = limit
  }

  /** Work of an owner; its name begins with the owner's. */
  start(name: string, signal?: AbortSignal): Promise<void> {
    const work = (): Promise<void> => {
      this.begun.push(name)
      return new Promise<void>((resolve) => this.#ends.set(name, resolve))
    }
    return this.#limit.run(name.slice(0, 1), work, signal)
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settled()
  }
}

/** What is settled now has been told to everybody. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a fair limit', () => {
  it('gives all that is free to one owner, but for what is kept for others', async () => {
    const works = new Works(new FairLimit({ slots: 4, share: 1, reserve: 1, firsts: 0 }))
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void works.start(name)
    await settled()
    expect(works.begun).toEqual(['a1', 'a2', 'a3'])
    void works.start('b1')
    await settled()
    expect(works.begun.slice(3)).toEqual(['b1'])
    await works.end('b1')
    expect(works.begun).toHaveLength(4)
    await works.end('a1')
    expect(works.begun.slice(4)).toEqual(['a4'])
  })

  it('lets an owner who has nothing begin beyond the slots, so that a few owners cannot stop another', async () => {
    const limit = new FairLimit({ slots: 4, firsts: 2, share: 2, reserve: 2 })
    const works = new Works(limit)
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'd1', 'e1']) void works.start(name)
    await settled()
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1'])
    expect(['a', 'e', 'f'].map((owner) => limit.isStarving(owner))).toEqual([false, true, false])
    await works.end('a1')
    expect(works.begun.slice(6)).toEqual(['e1'])
    // Beyond the slots nobody has a second one.
    await works.end('b1')
    expect(works.begun).toHaveLength(7)
    for (const name of ['a2', 'b2', 'd1', 'e1']) await works.end(name)
    expect(works.begun.slice(7).sort()).toEqual(['a3', 'b3', 'c2'])
  })

  it('gives a free place to the owner with the fewest, whoever came first', async () => {
    const works = new Works(new FairLimit({ slots: 3, share: 3, reserve: 0, firsts: 0 }))
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) void works.start(name)
    await settled()
    expect(works.begun).toEqual(['a1', 'a2', 'a3'])
    for (const name of ['a1', 'a2', 'a3']) await works.end(name)
    expect(works.begun.slice(3)).toEqual(['b1', 'c1', 'a4'])
    await works.end('a4')
    expect(works.begun.slice(6)).toEqual(['a5'])
  })

  it('serves owners by turns', async () => {
    const works = new Works(new FairLimit({ slots: 1, share: 1, reserve: 0, firsts: 0 }))
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) void works.start(name)
    for (let round = 0; round < 5; round++) {
      await settled()
      await works.end(works.begun.at(-1) ?? '')
    }
    expect(works.begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  })

  it('passes on what is thrown, and frees the place', async () => {
    const limit = new FairLimit({ slots: 1, share: 1, reserve: 0, firsts: 0 })
    await expect(limit.run('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(await limit.run('a', async () => 1)).toBe(1)
  })

  it('drops who does not wait any more, and throws why', async () => {
    const works = new Works(new FairLimit({ slots: 1, share: 1, reserve: 0, firsts: 0 }))
    void works.start('a1')
    const leaving = new AbortController()
    const left = works.start('b1', leaving.signal)
    void works.start('c1')
    leaving.abort(new Error('gone'))
    await expect(left).rejects.toThrow('gone')
    await works.end('a1')
    expect(works.begun).toEqual(['a1', 'c1'])
  })

  it('says when as much of one owner waits as may wait', async () => {
    const limit = new FairLimit({ slots: 1, share: 1, reserve: 0, firsts: 0, queue: 2 })
    const works = new Works(limit)
    for (const name of ['a1', 'a2', 'a3']) void works.start(name)
    await settled()
    expect([limit.isFull('a'), limit.isFull('b')]).toEqual([true, false])
    await works.end('a1')
    expect(limit.isFull('a')).toBe(false)
  })
})
