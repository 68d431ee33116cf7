import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { RunningGeneration } from '#models/running.ts'
import { answer, reported } from '#test/support/memory-router.ts'
import { diedOf, fail, hang, heldIn, openRoom, type Disk } from './support.ts'

const prompt = { prompt: 'Describe' }
const key = 'once'
const dayMs = 24 * 60 * 60 * 1000

const contentOf = async (asked: Promise<RunningGeneration>): Promise<string> => (await (await asked).whole()).content

async function deltasOf(asked: Promise<RunningGeneration>): Promise<string[]> {
  const deltas: string[] = []
  for await (const text of (await asked).read()) deltas.push(text)
  return deltas
}

describe('requests with one key', () => {
  test('at once are one, and all of them get the whole', async () => {
    const { ask, router, usage } = await openRoom({ script: () => answer('One, ', 'two') })
    const all = await Promise.all(Array.from({ length: 20 }, () => deltasOf(ask(prompt, { key }))))
    for (const deltas of all) expect(deltas.join('')).toBe('One, two')
    expect(router.asked).toHaveLength(1)
    expect(await usage.read('leaves')).toMatchObject({ generations: { used: 1 }, models: reported })
  })

  test('one after the other are one for a day, also across a restart', async () => {
    const { ask, router, restart, world } = await openRoom()
    const first = await (await ask(prompt, { key })).whole()
    expect(await (await ask(prompt, { key })).whole()).toEqual(first)
    const next = await restart()
    expect(await (await next.ask(prompt, { key })).whole()).toEqual(first)
    expect(router.asked).toHaveLength(1)
    world.time += dayMs
    await contentOf(next.ask(prompt, { key }))
    expect(router.asked).toHaveLength(2)
  })

  test('and another body are refused, under way and after', async () => {
    const { ask } = await openRoom()
    const first = ask(prompt, { key })
    await expect(ask({ prompt: 'Other' }, { key })).rejects.toMatchObject({ code: 'idempotency_conflict' })
    await contentOf(first)
    await expect(ask({ prompt: 'Other' }, { key })).rejects.toMatchObject({ code: 'idempotency_conflict' })
  })

  test('may be repeated when they failed, and are one generation of the plan however far they came', async () => {
    const { ask, usage } = await openRoom({
      plan: 'free',
      script: (_request, index) => [fail(), fail('12345678'), answer('Done')][index] ?? answer('More'),
    })
    await expect(ask(prompt, { key })).rejects.toMatchObject({ code: 'generation_failed' })
    expect((await usage.read('leaves')).generations.used).toBe(0)
    await expect(contentOf(ask(prompt, { key }))).rejects.toMatchObject({ code: 'generation_failed' })
    expect((await usage.read('leaves')).generations.used).toBe(1)
    expect(await contentOf(ask(prompt, { key }))).toBe('Done')
    expect((await usage.read('leaves')).generations.used).toBe(1)
  })

  test('end upstream when all who wait have gone, not before', async () => {
    let ended: AbortSignal | undefined
    const { ask, store } = await openRoom({
      script: (_request, _index, signal) => {
        ended = signal
        return hang(signal, 'Hello')
      },
    })
    const gone = [new AbortController(), new AbortController()]
    const running = await Promise.all(gone.map(({ signal }) => ask(prompt, { key, signal })))
    gone[0]?.abort(new Error('gone'))
    await turn()
    expect(ended?.aborted).toBe(false)
    gone[1]?.abort(new Error('gone'))
    expect(ended?.aborted).toBe(true)
    for (const each of running) await expect(each.whole()).rejects.toThrow('gone')
    expect(await heldIn(store)).toBe(0)
  })
})

describe('a crash at any moment', () => {
  /** Every state of the disk while something is done, in order. */
  async function statesWhile(disk: Disk, work: Promise<unknown>): Promise<Disk[]> {
    const states = [diedOf(disk)]
    const end = { isOver: false }
    const done = work.then(() => (end.isOver = true))
    while (!end.isOver) {
      // All that a turn of the event loop leads to, step by step.
      for (let tick = 0; tick < 500 && !end.isOver; tick++) {
        await Promise.resolve()
        states.push(diedOf(disk))
      }
      await turn()
    }
    await done
    return states
  }

  test('and the same request again: one charge, nothing held', async () => {
    const { ask, disk, restart, router } = await openRoom({ plan: 'free', script: () => answer('One, ', 'two') })
    const states = await statesWhile(disk(), contentOf(ask(prompt, { key })))
    const repeated: number[] = []
    for (const state of states) {
      const before = router.asked.length
      const next = await restart(state)
      expect(await heldIn(next.store)).toBe(0)
      // What is on record is charged, whatever else had come to the disk; what is not has cost nothing.
      const left = (await next.usage.read('leaves')).generations.used
      expect(await contentOf(next.ask(prompt, { key }))).toBe('One, two')
      repeated.push(router.asked.length - before)
      expect(left).toBe(1 - (repeated.at(-1) ?? 0))
      expect(await next.usage.read('leaves')).toMatchObject({
        generations: { used: 1, remaining: 0 },
        models: reported,
      })
      expect(await heldIn(next.store)).toBe(0)
    }
    // There were states of both kinds.
    expect(new Set(repeated)).toEqual(new Set([0, 1]))
    expect(repeated.toSorted((a, b) => b - a)).toEqual(repeated)
  })

  test('the end is told only when a crash cannot undo it any more', async () => {
    const { ask, disk, restart, router } = await openRoom({ plan: 'free' })
    await contentOf(ask(prompt, { key }))
    const next = await restart(diedOf(disk()))
    expect((await next.usage.read('leaves')).generations.used).toBe(1)
    await contentOf(next.ask(prompt, { key }))
    expect(router.asked).toHaveLength(1)
  })
})
