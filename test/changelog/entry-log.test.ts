import { open, readFile, readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EntryLog } from '../../src/changelog/entry-log.ts'
import type { EntryRecord, EntryTexts } from '../../src/changelog/record.ts'
import { temporaryDirectory } from '../support/temporary.ts'

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
    const log = await EntryLog.open(join(directory, 'changelog'))
    expect(log.index.size).toBe(0)
    expect(await log.read('a')).toBeUndefined()
    await log.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('has after a new start what it had before', async () => {
    const directory = await temporaryDirectory()
    const log = await EntryLog.open(directory)
    await log.put(record('a'), texts('first'))
    await log.put(record('b', { number: 2, tags: ['api'] }), texts('second'))
    await log.put(record('a', { isDraft: true }))
    await log.close()
    const again = await EntryLog.open(directory)
    expect(await again.read('a')).toMatchObject({ record: { isDraft: true }, texts: { content: 'first' } })
    expect(await again.read('b')).toMatchObject({ record: { tags: ['api'] }, texts: { content: 'second' } })
    expect(again.index.next).toBe(3)
    await again.close()
  })

  it('a deleted text and a replaced one are in no file any more', async () => {
    const directory = await temporaryDirectory()
    const log = await EntryLog.open(directory)
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
    const log = await EntryLog.open(directory)
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
    const again = await EntryLog.open(directory)
    expect(await filesOf(directory)).not.toContain('secret')
    expect(await again.read('b')).toMatchObject({ texts: { content: 'public' } })
    await again.close()
  })

  it('a text whose record a crash cut off is erased, and the next ones are read', async () => {
    const directory = await temporaryDirectory()
    const log = await EntryLog.open(directory)
    await log.put(record('a'), texts('kept'))
    const size = (await readFile(join(directory, 'entries-1.jsonl'))).length
    await log.put(record('b'), texts('never acknowledged'))
    await log.close()
    await truncate(join(directory, 'entries-1.jsonl'), size + 20)
    const again = await EntryLog.open(directory)
    expect(again.index.get('b')).toBeUndefined()
    expect(await filesOf(directory)).not.toContain('never')
    await again.put(record('c'), texts('next'))
    expect(await again.read('a')).toMatchObject({ texts: { content: 'kept' } })
    expect(await again.read('c')).toMatchObject({ texts: { content: 'next' } })
    await again.close()
  })

  it('files that are mostly garbage are written anew, while readers read', async () => {
    const directory = await temporaryDirectory()
    const log = await EntryLog.open(directory)
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
    const again = await EntryLog.open(directory)
    for (let index = 0; index < 10; index++)
      expect((await again.read(`e${index}`))?.texts.content.startsWith(`${index} 2x`)).toBe(true)
    await again.close()
    await log.close()
    expect((await filesOf(directory)).length).toBeLessThan(5_000_000)
  })

  it('small records that change often do not grow for ever', async () => {
    const directory = await temporaryDirectory()
    const log = await EntryLog.open(directory)
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
    const log = await EntryLog.open(directory)
    await log.put(record('a'), texts('text'))
    await log.close()
    await writeFile(join(directory, 'entries-2.jsonl.new'), '{"format":1,"texts":2}\n')
    await writeFile(join(directory, 'texts-2.jsonl'), 'half')
    const again = await EntryLog.open(directory)
    expect(await again.read('a')).toMatchObject({ texts: { content: 'text' } })
    expect((await readdir(directory)).sort()).toEqual(['entries-1.jsonl', 'texts-1.jsonl'])
    await again.close()
  })
})
