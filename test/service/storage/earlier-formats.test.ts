import { execFile } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '#lib/paths.ts'
import { FileRecords } from '#storage/records/file-records.ts'
import type { RecordTable, StreamName, StreamSpec } from '#storage/records.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

type Table = RecordTable<Record<string, unknown>, Record<string, unknown>>

const archive = join(root, 'test/fixtures/data-0.1/data.tar.gz')
const stream = (name: StreamName): StreamSpec<Table> => ({ name, open: ({ table }) => table({ erases: true }) })

async function openFixture(): Promise<{ directory: string; records: FileRecords }> {
  const directory = await temporaryDirectory()
  await promisify(execFile)('tar', ['xzf', archive, '-C', directory])
  const records = new FileRecords({
    directory,
    onError: (_project, error) => {
      throw error
    },
  })
  onTestFinished(() => records.close())
  return { directory, records }
}

test('entries of a changelog of version 0.1 come with their texts, without those that were deleted', async () => {
  const { directory, records } = await openFixture()
  await records.use('handbook', stream('changelog'), async (table) => {
    expect(table.size).toBe(34)
    const numbers = [...table.heads()].map(([, { number }]) => Number(number))
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
    const titles = new Map<unknown, unknown>()
    for (const [key] of table.heads()) {
      const read = await table.read(key)
      titles.set(read?.body?.['title'], read?.head['isDraft'])
    }
    expect(titles.get('First release')).toBe(false)
    expect(titles.get('A draft')).toBe(true)
    expect(titles.has('To be edited')).toBe(false)
    expect(titles.has('Edited')).toBe(true)
  })
  expect(await readdir(join(directory, 'handbook', 'changelog'))).toEqual(['00000001.jsonl'])
})

test('events that waited in the queue of version 0.1 wait with their attempts', async () => {
  const { records } = await openFixture()
  await records.use('handbook', stream('webhooks'), async (table) => {
    const heads = [...table.heads()].filter(([, { waiting }]) => Object.keys(waiting as object).length > 0)
    expect(heads).toHaveLength(9)
    const [key = '', head] = heads[0] ?? []
    expect(Object.values(head?.['waiting'] as object)).toMatchObject([{ attempts: 2 }])
    expect((await table.read(key))?.body).toMatchObject({ id: key, type: 'deploy.success' })
  })
})

test('reports of deploys of version 0.1 are there by id', async () => {
  const { directory, records } = await openFixture()
  const before = (await readdir(join(directory, 'handbook', 'deploys'))).map((name) => name.replace('.json', ''))
  await records.use('handbook', stream('deploys'), async (table) => {
    expect([...table.heads()].map(([key]) => key)).toEqual(before.sort())
    expect((await table.read(before[0] ?? ''))?.body).toMatchObject({ id: before[0], message: 'Release 1' })
  })
})
