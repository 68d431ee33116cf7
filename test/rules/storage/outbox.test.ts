import { expect, test } from 'vitest'
import { openDocuments } from '#storage/documents/document-store.ts'
import { Outbox, type OutboxDocument } from '#storage/outbox.ts'
import type { RecordTable } from '#storage/records.ts'
import type { Store } from '#storage/store.ts'
import { MemoryDocuments } from '#test/support/memory-documents.ts'
import { MemoryRecords } from '#test/support/memory-records.ts'

interface Entry {
  readonly id: string
  readonly text: string
}
type Table = RecordTable<object, string>

const document = 'project/docs'
const outbox = new Outbox<Entry, object, string>({
  keyOf: ({ id }) => id,
  changeOf: ({ text }) => ({ head: {}, body: text }),
  most: 3,
})

/** A document with an outbox and a table, and how the next process finds both. */
async function open(documents = new MemoryDocuments(), records = new MemoryRecords()) {
  const store = await openDocuments(documents)
  const spec = { name: 'webhooks' as const, open: ({ table }: { table: () => Promise<Table> }) => table() }
  const { view: table } = await records.open('docs', spec)
  const move = (into: Table = table): Promise<void> => outbox.move(store, document, { table: into, now: 0 })
  return { store, table, move, nextProcess: () => open(documents.afterDeath(), records.afterDeath()) }
}

const record = (store: Store, ...entries: readonly Entry[]): Promise<void> =>
  store.mutate<OutboxDocument<Entry>, void>(document, (draft = {}) => {
    for (const entry of entries) outbox.put(draft, entry)
    return { document: draft, result: undefined }
  })

async function waiting(store: Store): Promise<string[]> {
  const { outbox: entries = [] } = (await store.read<OutboxDocument<Entry>>(document)) ?? {}
  return entries.map(({ id }) => id)
}

const keysOf = (table: Table): string[] => [...table.heads()].map(([key]) => key)

/** The table; something is done when a write to it is on the disk, and before whoever wrote learns of it. */
function afterWrite(table: Table, work: () => Promise<void>): Table {
  return {
    size: table.size,
    damaged: table.damaged,
    head: (key) => table.head(key),
    heads: () => table.heads(),
    bodyBytes: (key) => table.bodyBytes(key),
    read: (key) => table.read(key),
    write: async (changes) => {
      await table.write(changes)
      await work()
    },
  }
}

test('what was recorded is moved into the table, once, and taken out of the document', async () => {
  const { store, table, move } = await open()
  await record(store, { id: 'a', text: 'first' }, { id: 'b', text: 'second' })
  await move()
  await move()
  expect(keysOf(table)).toEqual(['a', 'b'])
  expect(await table.read('b')).toMatchObject({ body: 'second' })
  expect(await store.read(document)).toEqual({})
})

test('an event that is recorded while the outbox is being moved stays, and is moved once', async () => {
  const { store, table, move } = await open()
  await record(store, { id: 'a', text: 'first' })
  const written: string[][] = []
  await move(
    afterWrite(table, async () => {
      await record(store, { id: 'b', text: 'meanwhile' })
      written.push(keysOf(table))
    }),
  )
  expect(written).toEqual([['a']])
  expect(await waiting(store)).toEqual(['b'])
  await move()
  await move()
  expect(keysOf(table)).toEqual(['a', 'b'])
  expect(await waiting(store)).toEqual([])
})

test('a process that dies between the table and the document leaves both, and the next one moves nothing twice', async () => {
  const { store, table, move, nextProcess } = await open()
  await record(store, { id: 'a', text: 'first' })
  const died = new Error('kill -9')
  await expect(move(afterWrite(table, () => Promise.reject(died)))).rejects.toBe(died)
  const next = await nextProcess()
  expect(await waiting(next.store)).toEqual(['a'])
  const writes: unknown[] = []
  const counting: Table = {
    ...afterWrite(next.table, async () => undefined),
    write: async (changes) => void writes.push(...changes),
  }
  await next.move(counting)
  expect(writes).toEqual([])
  expect(keysOf(next.table)).toEqual(['a'])
  expect(await waiting(next.store)).toEqual([])
})

test('a table that cannot be written leaves the outbox as it was', async () => {
  const { store, table, move } = await open()
  await record(store, { id: 'a', text: 'first' })
  const full = new Error('The disk is full.')
  await expect(move({ ...afterWrite(table, async () => undefined), write: () => Promise.reject(full) })).rejects.toBe(
    full,
  )
  expect(await waiting(store)).toEqual(['a'])
  expect(table.size).toBe(0)
})

test('is full at its bound; one of what is under way still finds room', async () => {
  const { store } = await open()
  await record(store, { id: 'a', text: '' }, { id: 'b', text: '' }, { id: 'c', text: '' }, { id: 'd', text: '' })
  expect(await waiting(store)).toEqual(['a', 'b', 'c', 'd'])
  expect(outbox.isFull((await store.read<OutboxDocument<Entry>>(document)) ?? {})).toBe(true)
})
