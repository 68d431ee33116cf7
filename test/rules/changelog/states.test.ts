import { projectDocument } from '#projects/document.ts'
import type { ChangelogDocument } from '#changelog/ports.ts'
import { describe, expect, it } from 'vitest'
import type { EntryChange, NewEntry } from '#contract/changelog.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { openRoom, start } from '#test/support/changelog/support.ts'

const hour = 60 * 60 * 1000
const at = (offset: number): string => new Date(start + offset).toISOString()
const text = { title: 'Faster builds', content: 'Twice as fast.' }

type Publication = { is_draft: boolean; status: string; published_at: string | undefined }

describe('the state table: a new entry', () => {
  const rows: [what: string, request: Partial<NewEntry>, expected: Publication][] = [
    ['without is_draft is a draft', {}, { is_draft: true, status: 'draft', published_at: undefined }],
    ['with is_draft true is a draft', { is_draft: true }, { is_draft: true, status: 'draft', published_at: undefined }],
    [
      'with is_draft false is published now',
      { is_draft: false },
      { is_draft: false, status: 'published', published_at: at(0) },
    ],
    [
      'with is_draft false and a date of the past is published then',
      { is_draft: false, published_at: at(-hour) },
      { is_draft: false, status: 'published', published_at: at(-hour) },
    ],
    [
      'with is_draft false and a date to come is scheduled',
      { is_draft: false, published_at: at(hour) },
      { is_draft: false, status: 'scheduled', published_at: at(hour) },
    ],
    [
      'that is a draft keeps the date that it is given',
      { published_at: at(hour) },
      { is_draft: true, status: 'draft', published_at: at(hour) },
    ],
  ]
  it.each(rows)('%s', async (_what, request, expected) => {
    const { changelog } = await openRoom()
    const { is_draft, status, published_at } = await changelog.create('docs', { ...text, ...request })
    expect({ is_draft, status, published_at }).toEqual(expected)
  })
})

it('a new entry has a UUID', async () => {
  const { changelog } = await openRoom()
  const version4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  expect((await changelog.create('docs', text)).id).toMatch(version4)
})

describe('the state table: a change, an hour later', () => {
  const published: Partial<NewEntry> = { is_draft: false }
  const rows: [what: string, before: Partial<NewEntry>, change: Partial<EntryChange>, expected: Publication][] = [
    [
      'a draft with is_draft false is published now',
      {},
      { is_draft: false },
      { is_draft: false, status: 'published', published_at: at(hour) },
    ],
    [
      'a draft with is_draft false and a date is published then',
      {},
      { is_draft: false, published_at: at(-2 * hour) },
      { is_draft: false, status: 'published', published_at: at(-2 * hour) },
    ],
    [
      'a draft with is_draft false and a date to come is scheduled',
      {},
      { is_draft: false, published_at: at(5 * hour) },
      { is_draft: false, status: 'scheduled', published_at: at(5 * hour) },
    ],
    [
      'a draft that has a date is published now all the same',
      { published_at: at(9 * hour) },
      { is_draft: false },
      { is_draft: false, status: 'published', published_at: at(hour) },
    ],
    ['a draft stays a draft', {}, { title: 'Other' }, { is_draft: true, status: 'draft', published_at: undefined }],
    [
      'a published entry keeps its date',
      published,
      { is_draft: false, title: 'Other' },
      { is_draft: false, status: 'published', published_at: at(0) },
    ],
    [
      'a published entry takes another date',
      published,
      { published_at: at(-hour) },
      { is_draft: false, status: 'published', published_at: at(-hour) },
    ],
    [
      'a published entry goes back to draft and keeps its date',
      published,
      { is_draft: true },
      { is_draft: true, status: 'draft', published_at: at(0) },
    ],
    [
      'a scheduled entry is published with the date of now',
      { is_draft: false, published_at: at(5 * hour) },
      { published_at: at(hour) },
      { is_draft: false, status: 'published', published_at: at(hour) },
    ],
    [
      'a scheduled entry keeps its date when it is published again',
      { is_draft: false, published_at: at(5 * hour) },
      { is_draft: false },
      { is_draft: false, status: 'scheduled', published_at: at(5 * hour) },
    ],
  ]
  it.each(rows)('%s', async (_what, before, change, expected) => {
    const { changelog, pass } = await openRoom()
    const { id } = await changelog.create('docs', { ...text, ...before })
    pass(hour)
    const { is_draft, status, published_at } = await changelog.update('docs', { id, ...change })
    expect({ is_draft, status, published_at }).toEqual(expected)
    expect(await changelog.read('docs', id, 'members')).toMatchObject({ is_draft, status, id })
  })
})

describe('changes', () => {
  it('only what is present changes', async () => {
    const { changelog, pass } = await openRoom()
    const created = await changelog.create('docs', { ...text, version: '1.2', tags: ['api', 'cli'] })
    pass(1000)
    const changed = await changelog.update('docs', { id: created.id, title: 'Slower builds' })
    expect(changed).toEqual({ ...created, title: 'Slower builds', updated_at: at(1000) })
    const retold = await changelog.update('docs', { id: created.id, content: 'Half as fast.' })
    // In the same millisecond: no two states of an entry have the same `updated_at`.
    const other = { content: 'Half as fast.', html: '<p>Half as fast.</p>', updated_at: at(1001) }
    expect(retold).toEqual({ ...changed, ...other })
    const untagged = await changelog.update('docs', { id: created.id, tags: [] })
    expect(untagged).toEqual({ ...retold, tags: [], updated_at: at(1002) })
  })

  it('a request that changes nothing leaves the entry as it was', async () => {
    const { changelog, pass } = await openRoom()
    const created = await changelog.create('docs', { ...text, is_draft: false })
    pass(1000)
    expect(await changelog.update('docs', { id: created.id })).toEqual(created)
    // Members that nobody knows are no change either: feeds would show the entry as new.
    const unknown = { id: created.id, created_at: at(0) }
    expect(await changelog.update('docs', unknown)).toEqual(created)
  })

  it('a change that is made of another state than there is changes nothing', async () => {
    const { changelog } = await openRoom()
    const { id, updated_at: seen } = await changelog.create('docs', text)
    const theirs = await changelog.update('docs', { id, title: 'Theirs', if_updated_at: seen })
    for (const change of [{ title: 'Mine' }, { is_draft: false }, {}]) {
      expect(await refusalOf(changelog.update('docs', { id, ...change, if_updated_at: seen }))).toMatchObject({
        code: 'stale_entry',
        status: 412,
        extra: { updated_at: theirs.updated_at },
      })
    }
    expect(await changelog.read('docs', id, 'members')).toEqual(theirs)
    const mine = await changelog.update('docs', { id, title: 'Mine', if_updated_at: theirs.updated_at })
    expect(mine.title).toBe('Mine')
  })

  it('a deletion that is made of another state than there is deletes nothing', async () => {
    const { changelog } = await openRoom()
    const { id, updated_at: seen } = await changelog.create('docs', text)
    const theirs = await changelog.update('docs', { id, title: 'Theirs' })
    expect(await refusalOf(changelog.remove('docs', id, seen))).toMatchObject({
      code: 'stale_entry',
      message: expect.stringContaining('Nothing was deleted.'),
      extra: { updated_at: theirs.updated_at },
    })
    expect(await changelog.read('docs', id, 'members')).toEqual(theirs)
    await changelog.remove('docs', id, theirs.updated_at)
    expect(await refusalOf(changelog.read('docs', id, 'members'))).toMatchObject({ code: 'not_found' })
  })

  it('null takes the version away, and its absence leaves it', async () => {
    const { changelog } = await openRoom()
    const { id } = await changelog.create('docs', { ...text, version: '1.2' })
    expect(await changelog.update('docs', { id, title: 'Other' })).toMatchObject({ version: '1.2' })
    expect(await changelog.update('docs', { id, version: null })).not.toHaveProperty('version')
  })

  it('a change that does not render changes nothing', async () => {
    const { changelog } = await openRoom()
    const created = await changelog.create('docs', { ...text, is_draft: false })
    const refusal = await refusalOf(changelog.update('docs', { id: created.id, content: 'broken', title: 'Other' }))
    expect(refusal).toMatchObject({ code: 'invalid_content', errors: [{ pointer: '/content', line: 2, column: 5 }] })
    expect(await changelog.read('docs', created.id, 'public')).toEqual(created)
  })

  it('a refusal says what to do: about MDX only where there is some', async () => {
    const { changelog, texts } = await openRoom()
    const broken = { ...text, content: 'broken' }
    expect(await refusalOf(changelog.create('docs', broken))).toMatchObject({ hint: expect.stringContaining('MDX') })
    texts.render = () => Promise.resolve({ ok: false, errors: [{ message: 'It is too long.' }], isMdx: false })
    expect(await refusalOf(changelog.create('docs', broken))).toMatchObject({
      hint: expect.stringContaining('Make it shorter'),
    })
  })

  it('a deleted entry is gone for everybody', async () => {
    const { changelog } = await openRoom()
    const { id } = await changelog.create('docs', { ...text, is_draft: false })
    await changelog.remove('docs', id)
    for (const attempt of [
      changelog.read('docs', id, 'members'),
      changelog.update('docs', { id, title: 'Back' }),
      changelog.remove('docs', id),
    ])
      expect(await refusalOf(attempt)).toMatchObject({ code: 'not_found' })
    expect((await changelog.list('docs', {}, 'members')).items).toEqual([])
  })

  it('an entry does not land in another project that got the name while it was rendered', async () => {
    const { changelog, store, texts } = await openRoom()
    texts.render = async ({ text: content }) => {
      await store.mutate<ChangelogDocument, void>(projectDocument('docs'), (draft) => ({
        document: { ...draft, slug: 'docs', title: 'Docs', createdAt: at(1) },
        result: undefined,
      }))
      return { ok: true, html: content }
    }
    expect(await refusalOf(changelog.create('docs', text))).toMatchObject({ code: 'not_found' })
    expect((await changelog.list('docs', {}, 'members')).items).toEqual([])
  })

  it('an unknown id and an unknown project are not found', async () => {
    const { changelog } = await openRoom()
    const id = '00000000-0000-4000-8000-000000000000'
    expect(await refusalOf(changelog.update('docs', { id, title: 'x' }))).toMatchObject({ code: 'not_found' })
    expect(await refusalOf(changelog.remove('docs', id))).toMatchObject({ code: 'not_found' })
    expect(await refusalOf(changelog.create('nobody', text))).toMatchObject({ code: 'not_found' })
  })

  it('a date that cannot be kept and content over 1 MB are refused', async () => {
    const { changelog, texts } = await openRoom()
    const leap = changelog.create('docs', { ...text, published_at: '2026-12-31T23:59:60Z' })
    expect(await refusalOf(leap)).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/published_at' }] })
    const long = changelog.create('docs', { ...text, content: 'é'.repeat(500_001) })
    expect(await refusalOf(long)).toMatchObject({ code: 'request_too_large', errors: [{ pointer: '/content' }] })
    expect(texts.renders).toBe(0)
  })

  it.each([
    '9999-12-31T23:59:59-00:01',
    '0000-01-01T00:00:00+00:01',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+01:00',
  ])('the date %s is refused: feeds could not say it', async (published_at) => {
    const { changelog } = await openRoom()
    const created = await changelog.create('docs', text)
    for (const attempt of [
      changelog.create('docs', { ...text, published_at }),
      changelog.update('docs', { id: created.id, published_at }),
    ])
      expect(await refusalOf(attempt)).toMatchObject({ code: 'invalid_request' })
    expect(await changelog.read('docs', created.id, 'members')).toEqual(created)
  })

  it.each(['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])('the date %s is kept', async (published_at) => {
    const { changelog } = await openRoom()
    expect(await changelog.create('docs', { ...text, published_at })).toMatchObject({ published_at })
  })
})
