import { describe, expect, it, onTestFinished } from 'vitest'
import { entriesStream } from '#changelog/entries.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { openRoom, start, type ChangelogRoom } from '#test/support/changelog/support.ts'

const minute = 60_000
const at = (offset: number): string => new Date(start + offset).toISOString()

/** Entries of each kind by title: published 1 to 5 (2 and 3 in the same moment), two drafts, one to come. */
async function filled(): Promise<ChangelogRoom> {
  const room = await openRoom()
  const put = (title: string, offset: number, tags: string[] = []): Promise<unknown> =>
    room.changelog.create('docs', { title, content: 'Text', is_draft: false, published_at: at(offset), tags })
  await put('1', -50 * minute)
  await put('2', -40 * minute, ['api'])
  await put('3', -40 * minute)
  await put('5', -20 * minute, ['api', 'cli'])
  await put('4', -30 * minute, ['api'])
  await put('to come', minute, ['api'])
  await room.changelog.create('docs', { title: 'draft', content: 'Text', tags: ['api'] })
  return room
}
const titles = (items: readonly { title: string }[]): string[] => items.map(({ title }) => title)

describe('lists', () => {
  it('everybody sees what is published, newest first; members see all', async () => {
    const { changelog } = await filled()
    expect(titles((await changelog.list('docs', {}, 'public')).items)).toEqual(['5', '4', '3', '2', '1'])
    expect(titles((await changelog.list('docs', {}, 'members')).items)).toEqual([
      'to come',
      'draft',
      '5',
      '4',
      '3',
      '2',
      '1',
    ])
  })

  it('by tag and by state, and nobody finds out more with them', async () => {
    const { changelog } = await filled()
    const list = async (query: object, audience: 'public' | 'members'): Promise<string[]> =>
      titles((await changelog.list('docs', query, audience)).items)
    expect(await list({ tag: 'api' }, 'public')).toEqual(['5', '4', '2'])
    expect(await list({ tag: 'api' }, 'members')).toEqual(['to come', 'draft', '5', '4', '2'])
    expect(await list({ tag: 'none' }, 'members')).toEqual([])
    expect(await list({ status: 'draft' }, 'members')).toEqual(['draft'])
    expect(await list({ status: 'scheduled', tag: 'api' }, 'members')).toEqual(['to come'])
    expect(await list({ status: 'draft' }, 'public')).toEqual([])
    expect(await list({ status: 'scheduled' }, 'public')).toEqual([])
  })

  it.each(['public', 'members'] as const)('pages of any size make the whole list: %s', async (audience) => {
    const { changelog } = await filled()
    const whole = titles((await changelog.list('docs', {}, audience)).items)
    for (let limit = 1; limit <= whole.length + 1; limit++) {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await changelog.list('docs', { limit, ...(cursor === undefined ? {} : { cursor }) }, audience)
        seen.push(...titles(page.items))
        cursor = page.nextCursor
      } while (cursor !== undefined)
      expect(seen).toEqual(whole)
    }
  })

  it('a search finds words in title, version, tags and text, in capitals or not, of what its reader may see', async () => {
    const { changelog } = await openRoom()
    const put = (title: string, more: object): Promise<unknown> =>
      changelog.create('docs', { title, content: 'Text', is_draft: false, ...more })
    await put('By title: Straße', {})
    await put('By version', { version: '2.0-STRASSE-straße' })
    await put('By tag', { tags: ['straße'] })
    await put('By text', { content: 'On the STRAẞE and **beyond**' })
    await put('A draft', { content: 'straße', is_draft: true })
    await put('Another one', {})
    const found = async (q: string, audience: 'public' | 'members'): Promise<string[]> =>
      titles((await changelog.list('docs', { q }, audience)).items).toSorted()
    expect(await found('straße', 'public')).toEqual(['By tag', 'By text', 'By title: Straße', 'By version'])
    expect(await found('STRAẞE', 'members')).toContain('A draft')
    expect(await found('**BEYOND', 'members')).toEqual(['By text'])
    expect(await found('.*', 'members')).toEqual([])
    expect(titles((await changelog.list('docs', { q: 'straße', status: 'draft' }, 'members')).items)).toEqual([
      'A draft',
    ])
  })

  it('a search looks through all entries by pages: none is left out, and none read without end', async () => {
    const { changelog } = await openRoom()
    for (let index = 0; index < 10; index++) {
      const title = index < 3 ? `needle ${index}` : String(index)
      await changelog.create('docs', { title, content: 'x'.repeat(1_000_000), published_at: at(index) })
    }
    const first = await changelog.list('docs', { q: 'needle' }, 'members')
    expect(first.items).toEqual([])
    const seen: string[] = []
    for (let cursor = first.nextCursor; cursor !== undefined;) {
      const page = await changelog.list('docs', { q: 'needle', limit: 2, cursor }, 'members')
      seen.push(...titles(page.items))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(['needle 2', 'needle 1', 'needle 0'])
  })

  it('a search reads no further than to where its page is full, and the next one goes on there', async () => {
    const { changelog, records } = await openRoom()
    for (let index = 0; index < 6; index++)
      await changelog.create('docs', {
        title: `needle ${index}`,
        content: 'x'.repeat(400_000),
        published_at: at(index),
      })
    const read: string[] = []
    await records.use('docs', entriesStream, (entries) => {
      const whole = entries.read.bind(entries)
      entries.read = (id) => {
        read.push(id)
        return whole(id)
      }
    })
    const first = await changelog.list('docs', { q: 'NEEDLE', limit: 1 }, 'members')
    expect(titles(first.items)).toEqual(['needle 5'])
    expect(read).toHaveLength(1)
    const second = await changelog.list('docs', { q: 'needle', cursor: first.nextCursor ?? '' }, 'members')
    expect(titles(second.items)).toEqual(['needle 4', 'needle 3', 'needle 2', 'needle 1', 'needle 0'])
    expect(second.nextCursor).toBeUndefined()
  })

  it('a search ends when nobody waits for it any more', async () => {
    const { changelog } = await filled()
    const gone = AbortSignal.abort(new Error('gone'))
    await expect(changelog.list('docs', { q: 'needle' }, 'members', gone)).rejects.toThrow('gone')
  })

  // Of a letter whose lower case is longer, all are folded one by one.
  it('a search through a text of 1 MB lets others be answered meanwhile', async () => {
    const { changelog } = await openRoom()
    await changelog.create('docs', { title: 'Long', content: `${'İ'.repeat(490_000)}needle` })
    const search = (q: string) => changelog.list('docs', { q }, 'members')
    expect(titles((await search('NEEDLE')).items)).toEqual(['Long'])
    let turns = 0
    const counting = setInterval(() => (turns += 1))
    onTestFinished(() => clearInterval(counting))
    await search('nowhere')
    expect(turns).toBeGreaterThan(10)
  })

  it('a cursor of nobody is refused', async () => {
    const { changelog } = await filled()
    expect(await refusalOf(changelog.list('docs', { cursor: 'x' }, 'public'))).toMatchObject({
      code: 'invalid_request',
    })
  })

  it('a page ends early rather than hold more than 8 MB', async () => {
    const { changelog } = await openRoom()
    for (let index = 0; index < 6; index++)
      await changelog.create('docs', { title: String(index), content: 'x'.repeat(1_000_000) })
    const first = await changelog.list('docs', {}, 'members')
    expect(first.items.length).toBeLessThan(6)
    const second = await changelog.list('docs', { cursor: first.nextCursor ?? '' }, 'members')
    expect(titles([...first.items, ...second.items])).toEqual(['5', '4', '3', '2', '1', '0'])
    expect(second.nextCursor).toBeUndefined()
  })

  it('published entries by offset, with how many there are', async () => {
    const { changelog } = await filled()
    const page = await changelog.published('docs', { limit: 2, offset: 1 })
    expect([titles(page.entries), page.total]).toEqual([['4', '3'], 5])
    const tagged = await changelog.published('docs', { limit: 2, offset: 2, tag: 'api' })
    expect([titles(tagged.entries), tagged.total]).toEqual([['2'], 3])
    expect((await changelog.published('docs', { limit: 2, offset: 9 })).entries).toEqual([])
  })

  it('entries move with their dates', async () => {
    const { changelog } = await filled()
    const [newest] = (await changelog.list('docs', {}, 'public')).items
    await changelog.update('docs', { id: newest?.id ?? '', published_at: at(-60 * minute), tags: ['cli'] })
    expect(titles((await changelog.list('docs', {}, 'public')).items)).toEqual(['4', '3', '2', '1', '5'])
    expect(titles((await changelog.list('docs', { tag: 'api' }, 'public')).items)).toEqual(['4', '2'])
    expect(titles((await changelog.list('docs', { tag: 'cli' }, 'public')).items)).toEqual(['5'])
  })
})
