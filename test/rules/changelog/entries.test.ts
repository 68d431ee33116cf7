import { readFile, readdir, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entriesStream, type ProjectEntries } from '#changelog/entries.ts'
import type { EntryRecord, EntryTexts } from '#changelog/entry.ts'
import { FileRecords, type FileRecordsOptions } from '#storage/records/file-records.ts'
import { failingFileSystem } from '#test/rules/storage/failing-file-system.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const record = (id: string, more: Partial<EntryRecord> = {}): EntryRecord => ({
  id,
  number: 1,
  tags: [],
  isDraft: false,
  publishedAt: 1000,
  createdAt: 1000,
  updatedAt: 1000,
  pending: false,
  ...more,
})
const texts = (content: string): EntryTexts => ({ title: 'Title', content, html: content, renderer: '1' })

interface Opened {
  readonly records: FileRecords
  readonly entries: ProjectEntries
  readonly close: () => Promise<void>
}

async function open(directory: string, options: Partial<FileRecordsOptions> = {}): Promise<Opened> {
  const onError = (_project: string, error: unknown): void => {
    throw error
  }
  const records = new FileRecords({ directory, onError, ...options })
  onTestFinished(() => records.close())
  const { view } = await records.open('docs', entriesStream)
  return { records, entries: view, close: () => records.close() }
}

const folderOf = (directory: string): string => join(directory, 'docs', 'changelog')

/** Everything that the files hold. */
async function filesOf(directory: string): Promise<string> {
  const names = (await readdir(folderOf(directory))).sort()
  return (await Promise.all(names.map((name) => readFile(join(folderOf(directory), name), 'utf8')))).join('\n')
}

describe('the entries of a project', () => {
  it('that nobody wrote leave nothing on the disk', async () => {
    const directory = await temporaryDirectory()
    const { entries, close } = await open(directory)
    expect(entries.index.size).toBe(0)
    expect(await entries.read('a')).toBeUndefined()
    await close()
    expect(await readdir(directory)).toEqual([])
  })

  it('are after a new start what they were before', async () => {
    const directory = await temporaryDirectory()
    const { entries, close } = await open(directory)
    await entries.put(record('a'), texts('first'))
    await entries.put(record('b', { number: 2, tags: ['api'] }), texts('second'))
    await entries.put(record('a', { isDraft: true }))
    await close()
    const again = await open(directory)
    expect(await again.entries.read('a')).toMatchObject({ record: { isDraft: true }, texts: { content: 'first' } })
    expect(await again.entries.read('b')).toMatchObject({ record: { tags: ['api'] }, texts: { content: 'second' } })
    expect(again.entries.index.next).toBe(3)
  })

  it('leave no text and no tag in any file when they are deleted or replaced', async () => {
    const directory = await temporaryDirectory()
    const { entries, close } = await open(directory)
    await entries.put(record('a', { tags: ['first-secret'] }), texts('secret of the first'))
    await entries.put(record('a', { tags: ['second-secret'] }), texts('secret of the second'))
    expect(await filesOf(directory)).not.toMatch(/first-secret|secret of the first/)
    await entries.put(record('b', { tags: ['public'] }), texts('public'))
    await entries.delete('a')
    expect(await filesOf(directory)).not.toContain('secret')
    await close()
    const again = await open(directory)
    expect([...again.entries.index.all.backwards(9)]).toMatchObject([{ id: 'b', tags: ['public'] }])
    expect(await again.entries.read('b')).toMatchObject({ texts: { content: 'public' } })
  })

  it('that a crash cut off are gone, and the next ones are read', async () => {
    const directory = await temporaryDirectory()
    const { entries, close } = await open(directory)
    await entries.put(record('a'), texts('kept'))
    const [name = ''] = await readdir(folderOf(directory))
    const path = join(folderOf(directory), name)
    const size = (await readFile(path)).length
    await entries.put(record('b'), texts('never acknowledged'))
    await close()
    await truncate(path, size + 120)
    const again = await open(directory)
    expect(again.entries.index.get('b')).toBeUndefined()
    expect(await filesOf(directory)).not.toContain('never')
    await again.entries.put(record('c'), texts('next'))
    expect(await again.entries.read('a')).toMatchObject({ texts: { content: 'kept' } })
    expect(await again.entries.read('c')).toMatchObject({ texts: { content: 'next' } })
  })

  it('are read while they are replaced, and do not grow for ever', async () => {
    const directory = await temporaryDirectory()
    const { entries } = await open(directory)
    const long = 'x'.repeat(100_000)
    const reading: Promise<unknown>[] = []
    for (let round = 0; round < 4; round++) {
      for (let index = 0; index < 10; index++) {
        await entries.put(record(`e${index}`, { number: index }), texts(`${index} ${round}${long}`))
        reading.push(entries.read(`e${index}`))
      }
    }
    for (const found of await Promise.all(reading)) expect(found).toBeDefined()
    for (let index = 0; index < 10; index++)
      expect((await entries.read(`e${index}`))?.texts.content.startsWith(`${index} 3x`)).toBe(true)
    expect((await filesOf(directory)).length).toBeLessThan(5_000_000)
    for (let change = 0; change < 100; change++) await entries.put(record('e0', { updatedAt: change }))
    expect((await filesOf(directory)).length).toBeLessThan(5_000_000)
    expect(entries.index.get('e0')?.updatedAt).toBe(99)
  })

  it('are changed when only the erasing fails, and the next change erases that too', async () => {
    const directory = await temporaryDirectory()
    const fs = failingFileSystem()
    const errors: unknown[] = []
    const { entries } = await open(directory, { fs, onError: (_project, error) => errors.push(error) })
    for (const id of ['a', 'b', 'c']) await entries.put(record(id), texts(`secret of ${id}`))
    fs.failAt('rename')
    await entries.delete('a')
    await entries.put(record('b'), texts('public'))
    expect(errors).toHaveLength(2)
    expect(entries.index.get('a')).toBeUndefined()
    expect(await entries.read('b')).toMatchObject({ texts: { content: 'public' } })
    expect(await filesOf(directory)).toContain('secret of a')
    fs.failAt(null)
    await entries.put(record('c'), texts('public'))
    expect(await filesOf(directory)).not.toContain('secret')
    expect(errors).toHaveLength(2)
  })

  it('are erased at a start where a process died before it', async () => {
    const directory = await temporaryDirectory()
    const fs = failingFileSystem()
    const { entries, close } = await open(directory, { fs, onError: () => undefined })
    for (const id of ['a', 'b', 'c']) await entries.put(record(id, { tags: [`secret-${id}`] }), texts(`secret ${id}`))
    fs.failAt('rename')
    for (const id of ['a', 'b']) await entries.put(record(id), texts(`public ${id}`))
    await entries.delete('c')
    await close()
    expect(await filesOf(directory)).toMatch(/secret a.*secret b.*secret c/s)
    const again = await open(directory)
    expect(await filesOf(directory)).not.toMatch(/secret [abc]|secret-c/)
    for (const id of ['a', 'b'])
      expect(await again.entries.read(id)).toMatchObject({ texts: { content: `public ${id}` } })
  })

  it('only grow on the disk while they are held, and what was put off is done afterwards', async () => {
    const directory = await temporaryDirectory()
    const { entries, records } = await open(directory)
    const long = 'x'.repeat(200_000)
    for (let index = 0; index < 6; index++) await entries.put(record(`e${index}`), texts(`secret ${index} ${long}`))
    const before = await filesOf(directory)
    const [first, second] = [await records.hold('docs'), await records.hold('docs')]
    for (let index = 0; index < 5; index++) await entries.delete(`e${index}`)
    await entries.put(record('e5'), texts('kept'))
    first.release()
    for (const part of before.split('\n')) expect(await filesOf(directory)).toContain(part)
    second.release()
    await expect.poll(() => filesOf(directory), { timeout: 5000 }).not.toContain('secret')
    expect(await entries.read('e5')).toMatchObject({ texts: { content: 'kept' } })
  })
})
