import { describe, expect, it } from 'vitest'
import { ListCache, type Audience } from '#changelog/response-cache.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { openRoom, type ChangelogRoom } from '#test/support/changelog/support.ts'

const text = { content: 'Text', is_draft: false }

interface Counted {
  readonly room: ChangelogRoom
  readonly lists: ListCache
  /** Lists that were read from the changelog. */
  readonly reads: () => number
}

async function opened(): Promise<Counted> {
  const room = await openRoom()
  let reads = 0
  const lists = new ListCache({
    changelog: {
      snapshot: (slug) => room.changelog.snapshot(slug),
      list: (slug, query, audience) => {
        reads += 1
        return room.changelog.list(slug, query, audience)
      },
    },
  })
  return { room, lists, reads: () => reads }
}

const as = (audience: Audience) => ({ audience, signal: new AbortController().signal })

const titlesOf = ({ body }: { readonly body: Buffer }): string[] =>
  (JSON.parse(body.toString('utf8')) as { items: { title: string }[] }).items.map(({ title }) => title)

describe('lists from memory', () => {
  it('a hundred clients at once cause one reading, and the next ones none', async () => {
    const { room, lists, reads } = await opened()
    await room.changelog.create('docs', { title: 'One', ...text })
    const answers = await Promise.all(Array.from({ length: 100 }, () => lists.read('docs', {}, as('public'))))
    expect(new Set(answers.map(({ tag }) => tag)).size).toBe(1)
    expect(titlesOf(await lists.read('docs', {}, as('public')))).toEqual(['One'])
    expect(reads()).toBe(1)
  })

  it('show every change at once: new, changed, withdrawn and deleted entries', async () => {
    const { room, lists } = await opened()
    const titles = async (): Promise<string[]> => titlesOf(await lists.read('docs', {}, as('public')))
    expect(await titles()).toEqual([])
    const { id } = await room.changelog.create('docs', { title: 'One', ...text })
    expect(await titles()).toEqual(['One'])
    await room.changelog.update('docs', { id, title: 'Uno' })
    expect(await titles()).toEqual(['Uno'])
    await room.changelog.update('docs', { id, is_draft: true })
    expect(await titles()).toEqual([])
    await room.changelog.update('docs', { id, is_draft: false })
    expect(await titles()).toEqual(['Uno'])
    await room.changelog.remove('docs', id)
    expect(await titles()).toEqual([])
  })

  it('show what was scheduled when its time has come, without any change', async () => {
    const { room, lists } = await opened()
    const at = new Date(room.now().getTime() + 60_000).toISOString()
    await room.changelog.create('docs', { title: 'To come', ...text, published_at: at })
    expect(titlesOf(await lists.read('docs', {}, as('public')))).toEqual([])
    expect(titlesOf(await lists.read('docs', { status: 'scheduled' }, as('members')))).toEqual(['To come'])
    room.pass(60_000)
    expect(titlesOf(await lists.read('docs', {}, as('public')))).toEqual(['To come'])
    expect(titlesOf(await lists.read('docs', { status: 'scheduled' }, as('members')))).toEqual([])
  })

  it('never give to everybody what members see, nor one question’s answer to another', async () => {
    const { room, lists } = await opened()
    await room.changelog.create('docs', { title: 'Draft', content: 'Text', tags: ['a'] })
    await room.changelog.create('docs', { title: 'One', ...text, tags: ['b'] })
    expect(titlesOf(await lists.read('docs', {}, as('members')))).toEqual(expect.arrayContaining(['Draft', 'One']))
    expect(titlesOf(await lists.read('docs', {}, as('public')))).toEqual(['One'])
    expect(titlesOf(await lists.read('docs', { tag: 'a' }, as('public')))).toEqual([])
    expect(titlesOf(await lists.read('docs', { tag: 'a' }, as('members')))).toEqual(['Draft'])
    expect(titlesOf(await lists.read('docs', { status: 'draft' }, as('members')))).toEqual(['Draft'])
    expect(titlesOf(await lists.read('docs', { status: 'draft' }, as('public')))).toEqual([])
  })

  it('show nothing of a project that was removed to the next one of its name', async () => {
    const { room, lists } = await opened()
    await room.changelog.create('docs', { title: 'One', ...text })
    expect(titlesOf(await lists.read('docs', {}, as('public')))).toEqual(['One'])
    const { id } = (await room.changelog.list('docs', {}, 'public')).items[0] ?? { id: '' }
    await room.changelog.remove('docs', id)
    room.changelog.forget('docs')
    await room.records.leave('docs')
    expect(titlesOf(await lists.read('docs', {}, as('public')))).toEqual([])
  })

  it('a cursor of nobody is refused each time', async () => {
    const { lists } = await opened()
    for (let time = 0; time < 2; time++)
      expect(await refusalOf(lists.read('docs', { cursor: 'x' }, as('public')))).toMatchObject({
        code: 'invalid_request',
      })
  })
})

describe('searches', () => {
  it('are few at a time, and end with who waits for them', async () => {
    let under = 0
    let most = 0
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const lists = new ListCache({
      changelog: {
        snapshot: () => Promise.resolve({ version: '1' }),
        list: async () => {
          most = Math.max(most, ++under)
          await held
          under -= 1
          return { items: [] }
        },
      },
    })
    const gone = new AbortController()
    const leaving = [1, 2, 3, 4].map(() => lists.read('docs', { q: 'zz' }, { audience: 'public', signal: gone.signal }))
    const waiting = [1, 2, 3, 4].map(() => lists.read('docs', { q: 'zz' }, as('public')))
    const more = Promise.allSettled(Array.from({ length: 40 }, () => lists.read('docs', { q: 'zz' }, as('public'))))
    gone.abort(new Error('gone'))
    release()
    expect((await Promise.allSettled(leaving)).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0)
    await Promise.allSettled(waiting)
    expect((await more).at(-1)).toMatchObject({ status: 'rejected', reason: { code: 'rate_limited' } })
    expect(most).toBeLessThanOrEqual(4)
  })
})
