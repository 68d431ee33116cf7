import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { projectDocument } from '#projects/document.ts'
import type { ChangelogDocument } from '#changelog/ports.ts'
import { announceDue, openRoom, start } from '#test/support/changelog/support.ts'

const hour = 60 * 60 * 1000
const minute = 60_000
const at = (offset: number): string => new Date(start + offset).toISOString()
const text = { title: 'Faster builds', content: 'Twice as fast.' }
const published = { ...text, is_draft: false }

describe('scheduled publication', () => {
  it('an entry appears at its time, without anybody writing', async () => {
    const { changelog, pass } = await openRoom()
    const { id } = await changelog.create('docs', { ...published, published_at: at(hour) })
    const before = await changelog.snapshot('docs')
    expect((await changelog.newest50('docs')).entries).toEqual([])
    expect(changelog.hasAppeared('docs')).toBe(false)
    await expect(changelog.read('docs', id, 'public')).rejects.toMatchObject({ code: 'not_found' })
    pass(hour)
    expect((await changelog.newest50('docs')).entries.map((entry) => entry.id)).toEqual([id])
    expect(changelog.hasAppeared('docs')).toBe(true)
    expect(await changelog.snapshot('docs')).not.toEqual(before)
    expect(await changelog.read('docs', id, 'public')).toMatchObject({ status: 'published' })
  })

  it('going back to draft, and deletion, end it at once', async () => {
    const { changelog } = await openRoom()
    const first = await changelog.create('docs', published)
    const second = await changelog.create('docs', published)
    await changelog.update('docs', { id: first.id, is_draft: true })
    expect((await changelog.newest50('docs')).entries.map(({ id }) => id)).toEqual([second.id])
    await changelog.remove('docs', second.id)
    expect(await changelog.newest50('docs')).toEqual({ entries: [], total: 0 })
    expect(changelog.hasAppeared('docs')).toBe(false)
  })
})

describe('announcements', () => {
  it('an entry is announced once when it is published, not when it is changed', async () => {
    const { changelog, events, woken, store } = await openRoom()
    const { id, url } = await changelog.create('docs', { ...text, version: '2' })
    expect(events).toEqual([])
    await changelog.update('docs', { id, is_draft: false })
    await changelog.update('docs', { id, title: 'Other' })
    await announceDue(changelog)
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      type: 'changelog.published',
      at: at(0),
      data: { url, entry: { id, title: 'Faster builds', version: '2' } },
    })
    expect(woken).toEqual(['docs'])
    const document = await store.read<ChangelogDocument>(projectDocument('docs'))
    expect(document?.changelog).toEqual({ since: at(0) })
  })

  it('published again it is announced again, but not with its date of before', async () => {
    const { changelog, events, pass } = await openRoom()
    const { id, published_at: first = '' } = await changelog.create('docs', published)
    pass(2 * hour)
    await changelog.update('docs', { id, is_draft: true })
    await changelog.update('docs', { id, is_draft: false, published_at: first })
    expect(events).toHaveLength(1)
    await changelog.update('docs', { id, is_draft: true })
    await changelog.update('docs', { id, is_draft: false })
    expect(events).toHaveLength(2)
  })

  it('entries brought from elsewhere with their dates are not announced', async () => {
    const { changelog, events } = await openRoom()
    await changelog.create('docs', { ...published, published_at: at(-48 * hour) })
    expect(events).toEqual([])
  })

  it('a scheduled entry is announced when it is due, also after a new start', async () => {
    const room = await openRoom()
    await room.changelog.create('docs', { ...published, published_at: at(hour) })
    await announceDue(room.changelog)
    expect(room.events).toEqual([])
    room.pass(2 * hour)
    // The start arms the timer, whose time has come.
    const again = await room.reopen()
    await announceDue(again.changelog)
    await announceDue(again.changelog)
    expect(again.events).toHaveLength(1)
    expect(again.events[0]).toMatchObject({ at: at(hour) })
    const third = await again.reopen()
    await announceDue(third.changelog)
    expect(third.events).toEqual([])
  })

  it('of many that are due at once the document holds one id at a time', async () => {
    const held: (readonly string[])[] = []
    const { changelog, events, pass } = await openRoom({
      announcer: {
        record: (document, event) => {
          held.push([...(document.changelog?.announced ?? [])])
          events.push(event)
        },
        wake: () => undefined,
      },
    })
    for (let i = 0; i < 20; i++) await changelog.create('docs', { ...published, published_at: at(hour) })
    pass(2 * hour)
    await announceDue(changelog)
    expect(new Set(events.map(({ id }) => id)).size).toBe(20)
    expect(Math.max(...held.map(({ length }) => length))).toBeLessThanOrEqual(1)
  })

  it('what could not be recorded is recorded later; the entry is there meanwhile', async () => {
    let failing = true
    const { changelog, events, errors, pass } = await openRoom({ failing: () => failing })
    const { id } = await changelog.create('docs', published)
    expect((await changelog.newest50('docs')).entries.map((entry) => entry.id)).toEqual([id])
    expect(events).toEqual([])
    expect(errors).toHaveLength(1)
    // Nor is it tried again at once.
    await sleep(50)
    expect(events).toEqual([])
    expect(errors).toHaveLength(1)
    failing = false
    pass(hour)
    await announceDue(changelog)
    expect(events.map(({ data }) => data.entry.id)).toEqual([id])
    expect(errors).toHaveLength(1)
  })

  it('an event that is in the document is not recorded again, though the entry’s record missed it', async () => {
    const room = await openRoom()
    const { id } = await room.changelog.create('docs', { ...published, published_at: at(hour) })
    await room.store.mutate<ChangelogDocument, void>(projectDocument('docs'), (draft) => {
      if (draft?.changelog === undefined) throw new Error('there is no state')
      draft.changelog.announced = [id]
      return { document: draft, result: undefined }
    })
    room.pass(2 * hour)
    const again = await room.reopen()
    await announceDue(again.changelog)
    expect(again.events).toEqual([])
    const document = await again.store.read<ChangelogDocument>(projectDocument('docs'))
    expect(document?.changelog).toEqual({ since: at(hour) })
  })
})

describe('rendering', () => {
  it('a newer renderer renders anew what is looked at, before anybody sees it', async () => {
    const { changelog, texts } = await openRoom()
    const { id } = await changelog.create('docs', published)
    await changelog.create('docs', { ...text, title: 'Not looked at' })
    texts.fingerprint = 'second'
    texts.renders = 0
    expect(await changelog.read('docs', id, 'public')).toMatchObject({ html: '<p>Twice as fast.</p>' })
    await changelog.newest50('docs')
    expect(texts.renders).toBe(1)
  })

  it('a newer renderer that refuses a text shows it as it was written, and is asked again, ever more rarely', async () => {
    const { changelog, texts, pass } = await openRoom()
    const { id } = await changelog.create('docs', { ...published, content: '<b>fine' })
    const versions = new Set<string>()
    const htmlNow = async (): Promise<string> => {
      versions.add((await changelog.snapshot('docs')).version)
      return (await changelog.read('docs', id, 'public')).html
    }
    const works = texts.render.bind(texts)
    let asked = 0
    texts.fingerprint = 'second'
    texts.render = () => {
      asked += 1
      return Promise.resolve({ ok: false, errors: [{ message: 'It took too long.' }], isMdx: false })
    }
    const asWritten = '<pre>&lt;b&gt;fine</pre>'
    expect(await Promise.all([htmlNow(), htmlNow(), htmlNow()])).toEqual([asWritten, asWritten, asWritten])
    expect([asked, versions.size]).toEqual([1, 1])
    pass(10 * minute)
    expect([await htmlNow(), await htmlNow(), asked]).toEqual([asWritten, asWritten, 2])
    pass(10 * minute)
    expect([await htmlNow(), asked]).toEqual([asWritten, 2])
    pass(10 * minute)
    texts.render = works
    versions.clear()
    // Whoever keeps what was shown hears that it may be another text, before and after it is one.
    expect([await htmlNow(), await htmlNow()]).toEqual(['<p><b>fine</p>', '<p><b>fine</p>'])
    expect(versions.size).toBe(2)
    texts.renders = 0
    expect([await htmlNow(), texts.renders]).toEqual(['<p><b>fine</p>', 0])
  })

  it('an entry that was refused is rendered when somebody changes it', async () => {
    const { changelog, texts } = await openRoom()
    const { id } = await changelog.create('docs', { ...published, content: 'fine' })
    const works = texts.render.bind(texts)
    texts.fingerprint = 'second'
    texts.render = () => Promise.resolve({ ok: false, errors: [{ message: 'no' }], isMdx: false })
    expect(await changelog.read('docs', id, 'public')).toMatchObject({ html: '<pre>fine</pre>' })
    texts.render = works
    await changelog.update('docs', { id, version: '2' })
    expect(await changelog.read('docs', id, 'public')).toMatchObject({ html: '<p>fine</p>' })
  })
})
