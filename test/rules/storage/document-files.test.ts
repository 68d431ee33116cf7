import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openInventory } from '#storage/directory/survey.ts'
import { openStore } from '#storage/documents/document-files.ts'
import type { Store } from '#storage/store.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { failingFileSystem } from './failing-file-system.ts'

async function openIn(
  directory: string,
  fs = failingFileSystem(),
): Promise<{ store: Store; fs: ReturnType<typeof failingFileSystem> }> {
  await mkdir(directory, { recursive: true })
  // As `lockDirectory` gives it; the lock has tests of its own.
  return { store: await openStore({ directory, release: async () => undefined }, { fs }), fs }
}

const set = (store: Store, value: unknown): Promise<void> =>
  store.mutate<unknown, void>('project/leaves', () => ({ document: { value }, result: undefined }))

describe('files of the store', () => {
  test('a project is <slug>.json beside its repository; other documents begin with _', async () => {
    const directory = await temporaryDirectory()
    const { store } = await openIn(directory)
    for (const name of ['project/leaves', 'project/service', 'service'])
      await store.mutate(name, () => ({ document: { name }, result: null }))
    const files = (await readdir(directory)).filter((file) => file.endsWith('.json'))
    expect(files.sort()).toEqual(['_service.json', 'leaves.json', 'service.json'])
    expect(JSON.parse(await readFile(join(directory, 'leaves.json'), 'utf8'))).toEqual({
      sum: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      schema: 2,
      revision: 1,
      document: { name: 'project/leaves' },
      meters: {},
    })
  })

  test('the file of a private project is one that a service of before refuses, until the project is public', async () => {
    const directory = await temporaryDirectory()
    const { store } = await openIn(directory)
    const schemaWith = async (document: object): Promise<unknown> => {
      await store.mutate('project/leaves', () => ({ document, result: null }))
      return (JSON.parse(await readFile(join(directory, 'leaves.json'), 'utf8')) as { schema: unknown }).schema
    }
    expect(await schemaWith({ slug: 'leaves' })).toBe(2)
    expect(await schemaWith({ slug: 'leaves', visibility: { privateSince: '2026-11-26T00:00:00.000Z' } })).toBe(3)
    expect(await schemaWith({ slug: 'leaves' })).toBe(2)
  })

  test('files of others are left alone, leavings of a killed writer are swept', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'leaves.git'))
    for (const file of ['notes.txt', 'Backup.json', '.leaves.json.0123456789abcdef.tmp'])
      await writeFile(join(directory, file), '{')
    const { store } = await openIn(directory)
    expect(await store.list()).toEqual([])
    expect((await readdir(directory)).sort()).toEqual(['.starts', 'Backup.json', 'leaves.git', 'notes.txt'])
  })

  test('a file of a newer version stops the start, naming both versions', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'leaves.json'), '{"schema":99,"document":{},"meters":{}}')
    await expect(openIn(directory)).rejects.toThrow(/leaves\.json has schema 99; .* up to 3/)
  })

  test.each([
    ['{"schema":1,"document":{"a"', 'is not JSON'],
    ['{"document":{},"meters":{}}', 'no schema number'],
    ['{"schema":1}', 'a part of it is missing'],
    ['[]', 'not a JSON object'],
    ['', 'is not JSON'],
    ['{"schema":2,"revision":1,"document":{},"meters":{}}', 'no checksum'],
    ['{"sum":"00000000","schema":2,"revision":1,"document":{},"meters":{}}', 'checksum does not agree'],
  ])('the file %s is set aside and left as it is, and the others are there', async (text, reason) => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'leaves.json'), text)
    await writeFile(join(directory, 'roots.json'), '{"schema":1,"document":{"value":1},"meters":{}}')
    const { store } = await openIn(directory)
    expect(await store.list()).toEqual(['project/roots'])
    const [aside] = store.setAside('project/')
    expect(aside).toMatchObject({ document: 'project/leaves', previous: undefined })
    expect(aside?.problem).toContain(reason)
    expect(aside?.problem).toContain('leaves.json')
    const refused = { code: 'unavailable', message: expect.stringContaining('set aside') as string }
    await expect(store.read('project/leaves')).rejects.toMatchObject(refused)
    await expect(set(store, 'new')).rejects.toMatchObject(refused)
    await expect(store.used('project/leaves', 'deploys', '2026-11-21')).rejects.toMatchObject(refused)
    expect(await readFile(join(directory, 'leaves.json'), 'utf8')).toBe(text)
  })

  test('the version before the last one is kept, and put back when an operator asks for it', async () => {
    const directory = await temporaryDirectory()
    const { store } = await openIn(directory)
    for (const value of ['first', 'second', 'third']) await set(store, value)
    await writeFile(join(directory, 'leaves.json'), 'damaged')
    const { store: next } = await openIn(directory)
    expect(next.setAside()).toMatchObject([{ document: 'project/leaves', previous: { value: 'second' } }])
    await next.putBack('project/leaves')
    expect(await readFile(join(directory, 'leaves.json.damaged'), 'utf8')).toBe('damaged')
    const { store: last } = await openIn(directory)
    expect(await last.read('project/leaves')).toEqual({ value: 'second' })
    await expect(last.putBack('project/leaves')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('what need not stop anybody begins anew, with nothing or with the version before', async () => {
    const directory = await temporaryDirectory()
    const { store } = await openIn(directory)
    for (const name of ['empty/a', 'kept/a'])
      for (const value of [1, 2]) await store.mutate(name, () => ({ document: { value }, result: undefined }))
    for (const file of ['_empty.a.json', '_kept.a.json']) await writeFile(join(directory, file), '{')
    const next = await openStore(
      { directory, release: async () => undefined },
      { anew: (name) => (name.startsWith('kept/') ? 'previous' : 'empty') },
    )
    expect(next.setAside()).toEqual([])
    expect(await next.list()).toEqual(['kept/a'])
    expect(await next.read('kept/a')).toEqual({ value: 1 })
    expect(await next.read('empty/a')).toBeUndefined()
    expect(await readFile(join(directory, '_empty.a.json.damaged'), 'utf8')).toBe('{')
  })

  test('a document that is gone is missed; one that was deleted is not', async () => {
    const directory = await temporaryDirectory()
    const lock = { directory, release: async () => undefined }
    const inventory = await openInventory(directory)
    const store = await openStore(lock, { inventory })
    for (const name of ['project/lost', 'project/deleted'])
      await store.mutate(name, () => ({ document: { name }, result: undefined }))
    await store.mutate('project/deleted', () => ({ document: undefined, result: undefined }))
    await inventory.close()
    await rm(join(directory, 'lost.json'))
    const next = await openStore(lock, { inventory: await openInventory(directory) })
    expect(next.setAside()).toMatchObject([{ document: 'project/lost', problem: expect.stringContaining('missing') }])
    expect(await next.read('project/deleted')).toBeUndefined()
  })
})

describe('a disk that fails', () => {
  test.each(['open', 'write', 'short', 'sync', 'rename'] as const)(
    'at %s leaves memory and disk as they were, and the next change works',
    async (step) => {
      const directory = await temporaryDirectory()
      const { store, fs } = await openIn(directory)
      await set(store, 'kept')
      const before = await readFile(join(directory, 'leaves.json'), 'utf8')
      fs.failAt(step)
      const results = await Promise.allSettled([set(store, 'lost'), set(store, 'lost too')])
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(results[0]).toMatchObject({ reason: { code: 'unavailable' } })
      expect(await store.read('project/leaves')).toEqual({ value: 'kept' })
      expect(await readFile(join(directory, 'leaves.json'), 'utf8')).toBe(before)
      expect((await readdir(directory)).filter((file) => file.endsWith('.tmp'))).toEqual([])
      fs.failAt(null)
      await set(store, 'after')
      expect(await store.read('project/leaves')).toEqual({ value: 'after' })
    },
  )

  test('after the rename puts the old file back', async () => {
    const directory = await temporaryDirectory()
    const { store, fs } = await openIn(directory)
    await set(store, 'kept')
    fs.failAt('directory', 1)
    await expect(set(store, 'lost')).rejects.toMatchObject({ code: 'unavailable' })
    expect(await store.read('project/leaves')).toEqual({ value: 'kept' })
    expect(await readFile(join(directory, 'leaves.json'), 'utf8')).toContain('kept')
    await set(store, 'after')
    expect(await readFile(join(directory, 'leaves.json'), 'utf8')).toContain('after')
  })

  test('keeps no reservation: one is given back at once, and what was held is asked for after the next start', async () => {
    const directory = await temporaryDirectory()
    const { store, fs } = await openIn(directory)
    await set(store, 'kept')
    const day = { meter: 'deploys', period: '2026-11-21', amount: 1, limit: 2 }
    const used = (of: Store): Promise<number> => of.used('project/leaves', day.meter, day.period)
    const [held, early] = [await store.reserve('project/leaves', day), await store.reserve('project/leaves', day)]
    if (held === null || early === null) throw new Error('not reserved')
    await store.hold(held, 'deploy')
    fs.failAt('write')
    await expect(store.hold(early, 'deploy')).rejects.toMatchObject({ code: 'unavailable' })
    await expect(store.settle(early, 1)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await used(store)).toBe(2)
    await store.settle(early, 0)
    await expect(store.settle(held, 0)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await used(store)).toBe(0)
    const { store: next } = await openIn(directory)
    expect(await next.held('project/leaves')).toEqual([expect.objectContaining({ id: held.id, subject: 'deploy' })])
    expect(await used(next)).toBe(1)
    await next.settle(held, 0)
    expect(await used(next)).toBe(0)
    expect(await next.held('project/leaves')).toEqual([])
  })

  test('and goes on failing stops all writes until a start has read what is there', async () => {
    const directory = await temporaryDirectory()
    const { store, fs } = await openIn(directory)
    await set(store, 'kept')
    fs.failAt('directory')
    await expect(set(store, 'lost')).rejects.toMatchObject({ code: 'unavailable' })
    fs.failAt(null)
    await expect(set(store, 'uncertain')).rejects.toThrow('uncertain')
    expect(await store.read('project/leaves')).toEqual({ value: 'kept' })
    const { store: next } = await openIn(directory)
    await set(next, 'after')
  })

  test('a failed settlement stays open and may be tried again', async () => {
    const directory = await temporaryDirectory()
    const { store, fs } = await openIn(directory)
    await set(store, 'kept')
    const meter = { meter: 'deploys', period: '2026-11-21' }
    const reservation = await store.reserve('project/leaves', { ...meter, amount: 1, limit: 1 })
    if (reservation === null) throw new Error('not reserved')
    fs.failAt('sync')
    await expect(store.settle(reservation, 1)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await store.used('project/leaves', meter.meter, meter.period)).toBe(1)
    fs.failAt(null)
    await store.settle(reservation, 1)
    const { store: next } = await openIn(directory)
    expect(await next.used('project/leaves', meter.meter, meter.period)).toBe(1)
  })
})

test('writers of a document that come together share its writes', async () => {
  const { store, fs } = await openIn(await temporaryDirectory())
  await set(store, [])
  const before = fs.renames()
  await Promise.all(
    Array.from({ length: 64 }, (_, index) =>
      store.mutate<{ value: number[] }, void>('project/leaves', (draft) => {
        draft?.value.push(index)
        return { document: draft, result: undefined }
      }),
    ),
  )
  expect(fs.renames() - before).toBe(1)
})

test('a change that changes nothing writes nothing', async () => {
  const { store, fs } = await openIn(await temporaryDirectory())
  await set(store, 1)
  const before = fs.renames()
  await store.mutate('project/leaves', (draft) => ({ document: draft, result: null }))
  expect(fs.renames()).toBe(before)
})
