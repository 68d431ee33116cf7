import Parser from 'rss-parser'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Client } from '#client/client.ts'
import type { ReadEntry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { Projects } from '#projects/projects.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { createProject } from '#test/support/service-process.ts'

let service: TestService
let client: Client
let time = Date.UTC(2026, 10, 21, 9)
const slug = 'leaves'
const minute = 60_000

const add = (title: string, given: Record<string, unknown> = {}): Promise<ReadEntry> =>
  client.call(contract.changelog.create, {
    params: { slug },
    body: { title, content: `About ${title}.`, is_draft: false, ...given },
  })
const get = (format: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${service.url}/api/projects/${slug}/changelog/${format}`, { headers })
const titles = async (): Promise<(string | undefined)[]> => {
  const { items } = await new Parser().parseString(await (await get('rss')).text())
  return items.map(({ title }) => title)
}

beforeAll(async () => {
  service = await startTestService({}, { now: () => new Date(time) })
  client = (await createProject(service.url, slug)).client
})
afterAll(() => service.close())

describe('the feeds of a changelog', () => {
  it('are there before the first entry', async () => {
    const response = await get('rss')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    expect(await titles()).toEqual([])
  })

  it('cost one look for their project', async () => {
    const find = vi.spyOn(Projects.prototype, 'find')
    onTestFinished(() => find.mockRestore())
    await get('rss')
    expect(find).toHaveBeenCalledTimes(1)
    await client.call(contract.projects.read, { params: { slug } })
    expect(find).toHaveBeenCalledTimes(2)
  })

  it('date an entry by when it was published, not by when it was written', async () => {
    await add('Backdated', { published_at: '2026-10-01T08:00:00Z' })
    const { items } = await new Parser().parseString(await (await get('rss')).text())
    expect(items.find(({ title }) => title === 'Backdated')?.isoDate).toBe('2026-10-01T08:00:00.000Z')
  })

  it('are not there without a project', async () => {
    const response = await fetch(`${service.url}/api/projects/nobody/changelog/rss`)
    expect(response.status).toBe(404)
  })

  it.each([
    ['rss', 'application/rss+xml'],
    ['atom', 'application/atom+xml'],
    ['feed.json', 'application/feed+json'],
  ])('answer as %s, once: the second poll is a 304', async (format, type) => {
    time += minute
    await add(`One for ${format}`)
    const first = await get(format)
    expect(first.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
    expect(await first.text()).toContain(`One for ${format}`)
    const etag = first.headers.get('etag') ?? ''
    const modified = first.headers.get('last-modified') ?? ''
    expect(etag).toMatch(/^"[\w-]+"$/)

    const again = await get(format, { 'if-none-match': etag, 'if-modified-since': modified })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    expect((await get(format, { 'if-modified-since': modified })).status).toBe(304)
  })

  it('have another tag and date when an entry changes, and the same id', async () => {
    const entry = await add('Before')
    const first = await get('rss')
    const before = (await new Parser().parseString(await first.text())).items[0]
    time += minute
    await client.call(contract.changelog.update, { params: { slug }, body: { id: entry.id, title: 'After' } })
    const second = await get('rss', {
      'if-none-match': first.headers.get('etag') ?? '',
      'if-modified-since': first.headers.get('last-modified') ?? '',
    })
    expect(second.status).toBe(200)
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'))
    expect(second.headers.get('last-modified')).not.toBe(first.headers.get('last-modified'))
    const after = (await new Parser().parseString(await second.text())).items[0]
    expect(after).toMatchObject({ title: 'After', guid: `urn:uuid:${entry.id}`, pubDate: before?.pubDate })
    expect(after?.['guid']).toBe(before?.['guid'])
  })

  it('tell who asks by date that an entry is gone', async () => {
    const { id } = await add('Short-lived')
    const modified = (await get('rss')).headers.get('last-modified') ?? ''
    time += minute
    await client.call(contract.changelog.remove, { params: { slug }, query: { id } })
    const response = await get('rss', { 'if-modified-since': modified })
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('Short-lived')
  })

  it('tell who asks by date after a new start that an entry is gone which was not the newest', async () => {
    const { id } = await add('Short-lived')
    time += minute
    await add('Stays')
    const modified = (await get('rss')).headers.get('last-modified') ?? ''
    time += minute
    await client.call(contract.changelog.remove, { params: { slug }, query: { id } })
    await service.restart()
    const response = await get('rss', { 'if-modified-since': modified })
    expect(response.status).toBe(200)
    expect(await response.text()).not.toContain('Short-lived')
    const later = new Date(time + minute).toUTCString()
    expect((await get('rss', { 'if-modified-since': later })).status).toBe(200)
  })

  it('leave out drafts, and what is scheduled until its time has come', async () => {
    await add('A draft', { is_draft: true })
    await add('Tomorrow', { published_at: new Date(time + 60 * minute).toISOString() })
    expect(await titles()).not.toContain('A draft')
    expect(await titles()).not.toContain('Tomorrow')
    const etag = (await get('rss')).headers.get('etag') ?? ''
    time += 61 * minute
    const response = await get('rss', { 'if-none-match': etag })
    expect(response.status).toBe(200)
    expect((await titles())[0]).toBe('Tomorrow')
  })

  it('hold the 50 newest', async () => {
    for (let i = 1; i <= 51; i++) {
      time += minute
      await add(`Many ${i}`, { content: 'x' })
    }
    const all = await titles()
    expect(all).toHaveLength(50)
    expect([all[0], all[49]]).toEqual(['Many 51', 'Many 2'])
  })

  it('lead to the entry and have absolute addresses only', async () => {
    time += minute
    const { url } = await add('Links', { content: 'See the [guide](/guide) and ![a picture](/a.png).' })
    const [item] = (await new Parser().parseString(await (await get('rss')).text())).items
    expect(item?.link).toBe(url)
    const site = `http://${slug}.localhost:${service.port}`
    expect(item?.['content:encoded']).toContain(`href="${site}/guide"`)
    expect(item?.['content:encoded']).toContain(`src="${site}/a.png"`)
    expect(item?.content).toBe('See the guide and .')
  })

  it('describe an entry without words by its title', async () => {
    time += minute
    await add('A picture', { content: '![](/a.png)' })
    const [item] = (await new Parser().parseString(await (await get('rss')).text())).items
    expect(item?.content).toBe('A picture')
  })

  it('are compressed for who takes that', async () => {
    const plain = await (await get('rss', { 'accept-encoding': 'identity' })).text()
    for (const coding of ['br', 'gzip']) {
      const response = await get('rss', { 'accept-encoding': coding })
      expect(response.headers.get('content-encoding')).toBe(coding)
      expect(response.headers.get('etag')).toMatch(new RegExp(`-${coding}"$`))
      expect(await response.text()).toBe(plain)
    }
  })
})
