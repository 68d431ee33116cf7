import { open, readFile, readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EntryLog } from '../../src/changelog/entry-log.ts'
import type { EntryRecord, EntryTexts } from '../../src/changelog/entry.ts'
import { failingFileSystem } from '../storage/failing-file-system.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { openLog } from './support.ts'

const record = (id: string, more: Partial<EntryRecord> = {}): Omit<EntryRecord, 'place'> => ({
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

/** Everything that the files hold. */
async function filesOf(directory: string): Promise<string> {
  const names = (await readdir(directory)).sort()
  return (await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))).join('\n')
}

describe('the log of entries', () => {
  it('looking at a project without a changelog writes nothing', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(join(directory, 'changelog'))
    expect(log.index.size).toBe(0)
    expect(await log.read('a')).toBeUndefined()
    await log.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('has after a new start what it had before', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    await log.put(record('a'), texts('first'))
    await log.put(record('b', { number: 2, tags: ['api'] }), texts('second'))
    await log.put(record('a', { isDraft: true }))
    await log.close()
    const again = await openLog(directory)
    expect(await again.read('a')).toMatchObject({ record: { isDraft: true }, texts: { content: 'first' } })
    expect(await again.read('b')).toMatchObject({ record: { tags: ['api'] }, texts: { content: 'second' } })
    expect(again.index.next).toBe(3)
    await again.close()
  })

  it('a deleted text and a replaced one are in no file any more', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    await log.put(record('a'), texts('secret of the first'))
    await log.put(record('a'), texts('secret of the second'))
    expect(await filesOf(directory)).not.toContain('secret of the first')
    await log.put(record('b'), texts('public'))
    await log.delete('a')
    expect(await filesOf(directory)).not.toContain('secret')
    expect(await log.read('b')).toMatchObject({ texts: { content: 'public' } })
    await log.close()
  })

  it('a crash between a deletion and its erasing is made good at the next start', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    const { place } = await log.put(record('a'), texts('secret'))
    await log.put(record('b'), texts('public'))
    const saved = await readFile(join(directory, 'texts-1.jsonl'), 'utf8')
    await log.delete('a')
    await log.close()
    // As if the blanks had not been written.
    const file = await open(join(directory, 'texts-1.jsonl'), 'r+')
    await file.write(saved.slice(place.offset, place.offset + place.length), place.offset)
    await file.close()
    expect(await filesOf(directory)).toContain('secret')
    const again = await openLog(directory)
    expect(await filesOf(directory)).not.toContain('secret')
    expect(await again.read('b')).toMatchObject({ texts: { content: 'public' } })
    await again.close()
  })

  it('a text whose record a crash cut off is erased, and the next ones are read', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    await log.put(record('a'), texts('kept'))
    const size = (await readFile(join(directory, 'entries-1.jsonl'))).length
    await log.put(record('b'), texts('never acknowledged'))
    await log.close()
    await truncate(join(directory, 'entries-1.jsonl'), size + 20)
    const again = await openLog(directory)
    expect(again.index.get('b')).toBeUndefined()
    expect(await filesOf(directory)).not.toContain('never')
    await again.put(record('c'), texts('next'))
    expect(await again.read('a')).toMatchObject({ texts: { content: 'kept' } })
    expect(await again.read('c')).toMatchObject({ texts: { content: 'next' } })
    await again.close()
  })

  it('files that are mostly garbage are written anew, while readers read', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    const long = 'x'.repeat(100_000)
    for (let index = 0; index < 10; index++)
      await log.put(record(`e${index}`, { number: index }), texts(`${index}${long}`))
    const reading: Promise<unknown>[] = []
    for (let turn = 0; turn < 3; turn++) {
      for (let index = 0; index < 10; index++) {
        await log.put(record(`e${index}`, { number: index }), texts(`${index} ${turn}${long}`))
        reading.push(log.read(`e${index}`))
        await log.compact()
      }
    }
    for (const found of await Promise.all(reading)) expect(found).toBeDefined()
    const names = (await readdir(directory)).sort()
    expect(names).toHaveLength(2)
    expect(names).not.toContain('texts-1.jsonl')
    const again = await openLog(directory)
    for (let index = 0; index < 10; index++)
      expect((await again.read(`e${index}`))?.texts.content.startsWith(`${index} 2x`)).toBe(true)
    await again.close()
    await log.close()
    expect((await filesOf(directory)).length).toBeLessThan(5_000_000)
  })

  it('small records that change often do not grow for ever', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    await log.put(record('a'), texts('text'))
    for (let turn = 0; turn < 2500; turn++) {
      await log.put(record('a', { updatedAt: turn }))
      await log.compact()
    }
    expect(log.index.get('a')?.updatedAt).toBe(2499)
    expect((await filesOf(directory)).length).toBeLessThan(300 * 1024)
    expect((await readdir(directory)).sort()).toEqual(['entries-2.jsonl', 'texts-1.jsonl'])
    expect(await log.read('a')).toMatchObject({ texts: { content: 'text' } })
    await log.close()
  })

  it('what an interrupted compaction left does not count', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    await log.put(record('a'), texts('text'))
    await log.close()
    await writeFile(join(directory, 'entries-2.jsonl.new'), '{"format":1,"texts":2}\n')
    await writeFile(join(directory, 'texts-2.jsonl'), 'half')
    const again = await openLog(directory)
    expect(await again.read('a')).toMatchObject({ texts: { content: 'text' } })
    expect((await readdir(directory)).sort()).toEqual(['entries-1.jsonl', 'texts-1.jsonl'])
    await again.close()
  })

  it('tags of a deleted entry are in no file any more, and its deletion is', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    await log.put(record('a', { tags: ['first-secret'] }), texts('one'))
    await log.put(record('b', { tags: ['public'] }), texts('two'))
    await log.put(record('a', { tags: ['second-secret'] }))
    await log.delete('a')
    const found = await filesOf(directory)
    expect(found).not.toContain('secret')
    expect(found).toContain('{"delete":"a"}')
    await log.close()
    const again = await openLog(directory)
    expect([...again.index.values()]).toMatchObject([{ id: 'b', tags: ['public'] }])
    expect(await again.read('b')).toMatchObject({ texts: { content: 'two' } })
    await again.close()
  })

  it('a line that a power cut half erased does not count, and is erased', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    await log.put(record('a', { tags: ['secret'] }), texts('one'))
    await log.put(record('b'), texts('two'))
    const path = join(directory, 'entries-1.jsonl')
    const saved = await readFile(path, 'utf8')
    await log.delete('a')
    await log.close()
    const from = saved.indexOf('{"put":{"id":"a"')
    const file = await open(path, 'r+')
    await file.write(saved.slice(from + 1, saved.indexOf('\n', from) - 9), from + 1)
    await file.close()
    expect(await filesOf(directory)).toContain('secret')
    const again = await openLog(directory)
    expect([...again.index.values()].map(({ id }) => id)).toEqual(['b'])
    expect(await filesOf(directory)).not.toContain('secret')
    await again.close()
  })

  it('a change is done when only its erasing fails, and the next one erases that too', async () => {
    const directory = await temporaryDirectory()
    const fs = failingFileSystem()
    const errors: unknown[] = []
    const log = await EntryLog.open(directory, { fs, onError: (error) => errors.push(error) })
    for (const id of ['a', 'b', 'c']) await log.put(record(id), texts(`secret of ${id}`))
    // Files that are open go on.
    fs.failAt('open')
    await log.delete('a')
    await log.put(record('b'), texts('public'))
    expect(errors).toHaveLength(2)
    expect(log.index.get('a')).toBeUndefined()
    expect(await log.read('b')).toMatchObject({ texts: { content: 'public' } })
    expect(await filesOf(directory)).toContain('secret of a')
    fs.failAt(null)
    await log.put(record('c'), texts('public'))
    expect(await filesOf(directory)).not.toContain('secret')
    expect(errors).toHaveLength(2)
    await log.close()
  })

  it('a start erases all that nothing refers to', async () => {
    const directory = await temporaryDirectory()
    const fs = failingFileSystem()
    const log = await EntryLog.open(directory, { fs, onError: () => undefined })
    for (const id of ['a', 'b', 'c']) await log.put(record(id, { tags: [`secret-${id}`] }), texts(`secret ${id}`))
    fs.failAt('open')
    for (const id of ['a', 'b']) await log.put(record(id), texts(`public ${id}`))
    await log.delete('c')
    await log.close()
    expect(await filesOf(directory)).toMatch(/secret a.*secret b.*secret c/s)
    const again = await openLog(directory)
    expect(await filesOf(directory)).not.toMatch(/secret [abc]|secret-c/)
    for (const id of ['a', 'b']) expect(await again.read(id)).toMatchObject({ texts: { content: `public ${id}` } })
    await again.close()
  })

  it('while it is held its files only grow, and what was put off is done afterwards', async () => {
    const directory = await temporaryDirectory()
    const log = await openLog(directory)
    const long = 'x'.repeat(200_000)
    for (let index = 0; index < 6; index++) await log.put(record(`e${index}`), texts(`secret ${index} ${long}`))
    const before = await filesOf(directory)
    const names = await readdir(directory)
    log.hold()
    log.hold()
    for (let index = 0; index < 5; index++) {
      await log.delete(`e${index}`)
      await log.compact()
    }
    await log.put(record('e5'), texts('kept'))
    await log.release()
    expect(await readdir(directory)).toEqual(names)
    for (const part of before.split('\n')) expect(await filesOf(directory)).toContain(part)
    await log.release()
    expect(await filesOf(directory)).not.toContain('secret')
    expect(await readdir(directory)).not.toEqual(names)
    expect(await log.read('e5')).toMatchObject({ texts: { content: 'kept' } })
    await log.close()
  })
})
