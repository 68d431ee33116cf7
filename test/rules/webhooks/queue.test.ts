import { appendFile, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openStore } from '#storage/documents/document-files.ts'
import { FileRecords } from '#storage/records/file-records.ts'
import { type OutboxDocument, type OutboxEntry, queueStream, type DeliveryQueue } from '#webhooks/queue.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { eventOf } from './support-events.ts'

const name = 'project/docs'
const entryOf = (number: number, webhooks: string[] = ['one', 'two']): OutboxEntry => ({
  event: eventOf(number),
  webhooks,
})
const waiting = (queue: DeliveryQueue): string[] =>
  [...queue.pending()].map(({ event, webhook, attempts }) => `${event.id} ${webhook} ${attempts}`)

/** The queue of a project, beside a store with its document. */
async function openDirectory() {
  const directory = await temporaryDirectory()
  const store = await openStore({ directory, release: async () => undefined })
  onTestFinished(() => store.close())
  const setOutbox = (entries: readonly OutboxEntry[]): Promise<void> =>
    store.mutate<OutboxDocument, void>(name, (draft) => ({
      document: { ...(draft ?? { slug: 'docs', title: 'Docs' }), outbox: [...entries] },
      result: undefined,
    }))
  return {
    /** Where its records are. */
    folder: join(directory, 'docs', 'webhooks'),
    setOutbox,
    store,
    /** Opens it, without closing what was opened before: as after kill -9. */
    open: async () => {
      const records = new FileRecords({
        directory,
        onError: (_project, error) => {
          throw error
        },
      })
      onTestFinished(() => records.close())
      const { view: queue } = await records.open('docs', queueStream)
      const takeOver = () => queue.takeOver(store, name, 5)
      const add = async (...entries: OutboxEntry[]) => {
        await setOutbox(entries)
        return takeOver()
      }
      return { records, queue, takeOver, add }
    },
    outbox: async () => (await store.read<OutboxDocument>(name))?.outbox,
  }
}

describe('a queue', () => {
  it('holds what was added, and lets go of what is settled, over a restart', async () => {
    const { open, outbox } = await openDirectory()
    const { queue, add } = await open()
    const added = await add(entryOf(1), entryOf(2))
    expect(added).toHaveLength(4)
    expect(await outbox()).toBeUndefined()
    const [first, second] = added
    if (first === undefined || second === undefined) throw new Error('nothing was added')
    await queue.settle(first)
    await queue.keep(Object.assign(second, { attempts: 3, dueAt: 12_345 }))
    const again = await open()
    expect(waiting(again.queue)).toEqual(['evt_1 two 3', 'evt_2 one 0', 'evt_2 two 0'])
    expect([...again.queue.pending()][0]?.dueAt).toBe(12_345)
  })

  it('takes an event over once, also when the process died before the outbox knew', async () => {
    const { open, setOutbox, outbox } = await openDirectory()
    const { queue, add } = await open()
    await add(entryOf(1))
    await setOutbox([entryOf(1)])
    const again = await open()
    expect(waiting(again.queue)).toEqual(['evt_1 one 0', 'evt_1 two 0'])
    // Done before anybody looked at the outbox.
    for (const pending of again.queue.pending()) await again.queue.settle(pending)
    expect(again.queue.empty).toBe(true)
    const third = await open()
    expect(await third.takeOver()).toEqual([])
    expect(third.queue.empty).toBe(true)
    expect(await outbox()).toBeUndefined()
    expect(waiting(queue)).toHaveLength(2)
  })

  it('leaves in the outbox what is recorded while it is emptied, and takes that over the next time', async () => {
    const { open, store, setOutbox, outbox } = await openDirectory()
    const { add, takeOver } = await open()
    const mutate = store.mutate.bind(store)
    await setOutbox([entryOf(1, ['one'])])
    vi.spyOn(store, 'mutate').mockImplementationOnce(async (...request) => {
      await setOutbox([entryOf(1, ['one']), entryOf(2, ['one'])])
      return mutate(...request)
    })
    expect((await takeOver()).map(({ event }) => event.id)).toEqual(['evt_1'])
    expect((await outbox())?.map(({ event }) => event.id)).toEqual(['evt_2'])
    expect((await takeOver()).map(({ event }) => event.id)).toEqual(['evt_2'])
    expect(await outbox()).toBeUndefined()
    expect(await add(entryOf(2, ['one']))).toEqual([])
  })

  it('forgets what a crash cut off', async () => {
    const { open, folder } = await openDirectory()
    const { records, add } = await open()
    await add(entryOf(1))
    await records.close()
    const [file = ''] = await readdir(folder)
    await appendFile(join(folder, file), '[{"delete":"evt_1"')
    expect(waiting((await open()).queue)).toEqual(['evt_1 one 0', 'evt_1 two 0'])
  })

  it('goes on without a record that a disk did not keep, and says so', async () => {
    const { open, folder } = await openDirectory()
    const { records, add } = await open()
    await add(entryOf(1, ['one']))
    await add(entryOf(2, ['one']))
    await records.close()
    const path = join(folder, (await readdir(folder))[0] ?? '')
    const [first, ...others] = (await readFile(path, 'utf8')).split('\n')
    await writeFile(path, [first, '\0\0\0\0', ...others].join('\n'))
    const { queue } = await open()
    expect(waiting(queue)).toEqual(['evt_1 one 0', 'evt_2 one 0'])
    expect(queue.damaged).toBe(1)
  })

  it('stays small, however much went through it, and keeps what waits', async () => {
    const { open, folder } = await openDirectory()
    const { queue, add, takeOver } = await open()
    const [stays] = await add(entryOf(0, ['one']))
    if (stays === undefined) throw new Error('nothing was added')
    await queue.keep(Object.assign(stays, { attempts: 2, dueAt: 7 }))
    for (let round = 0; round < 15; round++) {
      const entries = Array.from({ length: 100 }, (_, index) => entryOf(1 + round * 100 + index, ['one']))
      const added = await add(...entries)
      await Promise.all(added.map((pending) => queue.settle(pending)))
    }
    expect(await takeOver()).toEqual([])
    const texts = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')))
    expect(texts.join('').split('\n').length).toBeLessThan(1200)
    const again = await open()
    expect(waiting(again.queue)).toEqual(['evt_0 one 2'])
    expect(await again.add(entryOf(0, ['one']))).toEqual([])
  })

  it('keeps what is written while others are', async () => {
    const { open } = await openDirectory()
    const { queue, add } = await open()
    const [, ...most] = await add(...Array.from({ length: 1200 }, (_, number) => entryOf(number, ['one'])))
    await Promise.all(
      most.map((pending, index) =>
        index % 10 === 0 ? queue.keep(Object.assign(pending, { attempts: 1 })) : queue.settle(pending),
      ),
    )
    const before = waiting(queue)
    expect(waiting((await open()).queue)).toEqual(before)
    expect(before).toHaveLength(121)
  })

  it('leaves no file when nothing waits', async () => {
    const { open, folder } = await openDirectory()
    const { records, queue, add } = await open()
    for (const pending of await add(entryOf(1))) await queue.settle(pending)
    await records.close()
    expect(await readdir(folder)).toEqual([])
  })
})
