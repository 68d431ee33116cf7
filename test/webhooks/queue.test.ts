import { appendFile, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DeliveryQueue, queuePath } from '../../src/webhooks/queue.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { eventOf } from './support-events.ts'

const pathOf = async (): Promise<string> => queuePath(await temporaryDirectory(), 'docs')
const entryOf = (number: number, webhooks: string[] = ['one', 'two']) => ({ event: eventOf(number), webhooks })
const waiting = (queue: DeliveryQueue): string[] =>
  [...queue.pending()].map(({ event, webhook, attempts }) => `${event.id} ${webhook} ${attempts}`)

describe('a queue', () => {
  it('holds what was added, and lets go of what is settled, over a restart', async () => {
    const path = await pathOf()
    const queue = await DeliveryQueue.open(path)
    const added = await queue.add([entryOf(1), entryOf(2)], 5)
    expect(added).toHaveLength(4)
    const [first, second] = added
    if (first === undefined || second === undefined) throw new Error('nothing was added')
    await queue.settle(first)
    await queue.keep(Object.assign(second, { attempts: 3, dueAt: 12_345 }))
    // Not closed: as after kill -9.
    const again = await DeliveryQueue.open(path)
    expect(waiting(again)).toEqual(['evt_1 two 3', 'evt_2 one 0', 'evt_2 two 0'])
    expect([...again.pending()][0]?.dueAt).toBe(12_345)
    await again.close()
    await queue.close()
  })

  it('takes an event over once, also when the process died before the outbox knew', async () => {
    const path = await pathOf()
    const queue = await DeliveryQueue.open(path)
    for (const pending of await queue.add([entryOf(1)], 5)) await queue.settle(pending)
    expect(await queue.add([entryOf(1)], 5)).toEqual([])
    const again = await DeliveryQueue.open(path)
    expect(await again.add([entryOf(1)], 5)).toEqual([])
    again.confirm()
    await again.close()
    await queue.close()
  })

  it('forgets a line that a crash cut off', async () => {
    const path = await pathOf()
    const queue = await DeliveryQueue.open(path)
    await queue.add([entryOf(1)], 5)
    await queue.close()
    await appendFile(path, '{"type":"done","event":"evt_1","web')
    const again = await DeliveryQueue.open(path)
    expect(waiting(again)).toEqual(['evt_1 one 0', 'evt_1 two 0'])
    await again.close()
  })

  it('goes on without a line that a disk did not keep, and says so', async () => {
    const path = await pathOf()
    await (await DeliveryQueue.open(path)).close()
    const lines = [
      { type: 'event', since: 5, ...entryOf(1, ['one']) },
      { type: 'event', since: 5, ...entryOf(2, ['one']) },
    ]
    const [first, second] = lines.map((line) => JSON.stringify(line))
    await writeFile(path, `${first}\n\0\0\0\0\n${second}\n`)
    const queue = await DeliveryQueue.open(path)
    expect(waiting(queue)).toEqual(['evt_1 one 0', 'evt_2 one 0'])
    expect(queue.damaged).toBe(1)
    await queue.close()
  })

  it('stays small, however much went through it, and keeps what waits', async () => {
    const path = await pathOf()
    const queue = await DeliveryQueue.open(path)
    const [stays] = await queue.add([entryOf(0, ['one'])], 5)
    if (stays === undefined) throw new Error('nothing was added')
    await queue.keep(Object.assign(stays, { attempts: 2, dueAt: 7 }))
    for (let number = 1; number <= 1500; number++) {
      const added = await queue.add([entryOf(number, ['one'])], 5)
      queue.confirm()
      await Promise.all(added.map((pending) => queue.settle(pending)))
    }
    expect((await readFile(path, 'utf8')).split('\n').length).toBeLessThan(1200)
    const again = await DeliveryQueue.open(path)
    expect(waiting(again)).toEqual(['evt_0 one 2'])
    expect(await again.add([entryOf(0, ['one'])], 5)).toEqual([])
    await again.close()
    await queue.close()
  })

  it('keeps appends that come while the file is written anew', async () => {
    const path = await pathOf()
    const queue = await DeliveryQueue.open(path)
    const added = await queue.add(
      Array.from({ length: 1200 }, (_, number) => entryOf(number, ['one'])),
      5,
    )
    queue.confirm()
    const [, ...most] = added
    const during = most.map((pending, index) =>
      index % 10 === 0 ? queue.keep(Object.assign(pending, { attempts: 1 })) : queue.settle(pending),
    )
    await Promise.all(during)
    const before = waiting(queue)
    const again = await DeliveryQueue.open(path)
    expect(waiting(again)).toEqual(before)
    expect(before).toHaveLength(121)
    await again.close()
    await queue.close()
  })

  it('leaves no file when nothing waits, and sweeps what a killed process was writing', async () => {
    const path = await pathOf()
    const queue = await DeliveryQueue.open(path)
    const added = await queue.add([entryOf(1)], 5)
    queue.confirm()
    await writeFile(join(dirname(path), '.queue.jsonl.0123456789abcdef.tmp'), 'half')
    await queue.close()
    const again = await DeliveryQueue.open(path)
    expect(await readdir(dirname(path))).toEqual(['queue.jsonl'])
    for (const pending of added) await again.settle(pending)
    again.confirm()
    await again.close()
    await expect(stat(path)).rejects.toThrow('ENOENT')
  })
})
