import type { Browser, Page } from 'playwright-core'
import RssParser from 'rss-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { deskOf, type Desk } from '#test/support/branching/support.ts'
import type { NewEntry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { hasBrowser, launchBrowser, onPageError } from '#test/support/browser.ts'
import { createProject } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'

const docs = { name: 'Acme', colors: { primary: '#7c3aed' }, navigation: { pages: ['index', 'guide'] } }
const files = { 'docs.json': JSON.stringify(docs), 'index.mdx': '# Home', 'guide.mdx': '# Guide' }

let service: TestService
let count = 0

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

async function open(more: Readonly<Record<string, string>> = {}): Promise<Desk> {
  const desk = deskOf(service, await createProject(service.url, `log${++count}`))
  await desk.deploy({ ...files, ...more })
  return desk
}

let hour = 0
/** Writes an entry, newer than all before. */
async function write({ client, slug }: Desk, entry: Pick<NewEntry, 'title' | 'content' | 'tags' | 'version'>) {
  const published_at = new Date(Date.UTC(2026, 9, 1, ++hour)).toISOString()
  const body = { ...entry, is_draft: false, published_at }
  return client.call(contract.changelog.create, { params: { slug }, body })
}

describe('the changelog of a site', () => {
  it('is a page of it, newest entry first, as soon as there is something to see', async () => {
    const desk = await open()
    expect((await desk.site('/changelog')).status).toBe(404)
    await write(desk, { title: 'First', content: 'Text of the **first**.' })
    const { id } = await write(desk, { title: 'Second', content: 'Text of the second.', version: '2.0' })
    const { status, text, headers } = await desk.site('/changelog')
    expect(status).toBe(200)
    expect(text).toMatch(/Second[\s\S]*2\.0[\s\S]*First[\s\S]*Text of the <strong>first<\/strong>/)
    expect(text).toContain('<title>Changelog - Acme</title>')
    expect(text).toContain(`<a href="#log-${id}">Second (2.0)</a>`)
    expect(text).toContain('href="/guide"')
    expect(headers['etag']).toBeDefined()
    const host = `${desk.slug}.localhost`
    expect((await getSite(service.port, host, '/changelog', { 'if-none-match': String(headers['etag']) })).status).toBe(
      304,
    )
    expect((await desk.site('/')).text).toContain('<link rel="alternate" type="application/rss+xml"')
  })

  it('has a page for each entry, which is what the API and the feeds call its address', async () => {
    const desk = await open()
    const { id, url } = await write(desk, { title: 'Keys', content: '## New\n\nText.', tags: ['api'] })
    const own = `http://${desk.slug}.localhost:${service.port}`
    expect(url).toBe(`${own}/changelog/${id}`)
    const page = await desk.site(`/changelog/${id}`)
    expect(page.text).toContain('<h1 class="q-title">Keys</h1>')
    expect(page.text).toContain(`<link rel="canonical" href="${url}"`)
    const feed = await new RssParser().parseString((await desk.site('/changelog/rss.xml')).text)
    expect([feed.link, feed.items[0]?.link]).toEqual([`${own}/changelog`, url])
    expect((await desk.site('/changelog/atom.xml')).headers['content-type']).toContain('application/atom+xml')
    expect(JSON.parse((await desk.site('/changelog/feed.json')).text)).toMatchObject({
      home_page_url: `${own}/changelog`,
    })
    // The page of before shows the same, and names this one as the address.
    const before = await (await fetch(`${service.url}/dashboard/${desk.slug}/changelog/${id}`)).text()
    expect(before).toContain(`<link rel="canonical" href="${url}"`)
    expect((await desk.site('/changelog/nothing')).status).toBe(404)
    expect((await desk.site('/changelog?page=2')).status).toBe(404)
    expect((await desk.site('/changelog?page=x')).status).toBe(404)
  })

  inDepth('leads below the base path of its site, also from the text of entries', async () => {
    const desk = await open({ 'docs.json': JSON.stringify({ ...docs, basePath: '/docs' }) })
    const content = '## New\n\n[A guide](/guide), [elsewhere](https://example.com/guide), ![a picture](/a.png)'
    const { id } = await write(desk, { title: 'Keys', content, tags: ['api'] })
    for (const path of ['/docs/changelog', `/docs/changelog/${id}`]) {
      const { text } = await desk.site(path)
      const main = text.slice(text.indexOf('class="log-site"'))
      const ways = [...main.matchAll(/ (?:href|src)="([^"#]+)/g)].map(([, way = '']) => way)
      expect(ways).toEqual(expect.arrayContaining(['/docs/guide', 'https://example.com/guide', '/docs/a.png']))
      expect(ways.filter((way) => !/^(?:\/docs\b|https:\/\/example\.com\/guide$)/.test(way))).toEqual([])
    }
  })

  inDepth('has feeds that name their addresses there, wherever they are asked for, and keep their id', async () => {
    const project = await createProject(service.url, `log${++count}`)
    const desk = deskOf(service, project)
    const api = `http://localhost:${service.port}/api/projects/${desk.slug}/changelog`
    const atApi = async (feed: string): Promise<string> =>
      (await fetch(`${service.url}${new URL(api).pathname}/${feed}`)).text()
    const selfOf = (xml: string): string | undefined => /<(?:atom:)?link rel="self"[^>]* href="([^"]+)"/.exec(xml)?.[1]
    const feedUrlOf = (json: string): unknown => (JSON.parse(json) as { feed_url: unknown }).feed_url
    const idsOf = (xml: string): readonly string[] => [...xml.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id = '']) => id)
    const { id } = await write(desk, { title: 'Keys', content: 'Text.' })
    // Without a site there is no other address.
    expect([selfOf(await atApi('rss')), selfOf(await atApi('atom'))]).toEqual([`${api}/rss`, `${api}/atom`])
    expect(feedUrlOf(await atApi('feed.json'))).toBe(`${api}/feed.json`)
    const ids = idsOf(await atApi('atom'))
    expect(ids).toEqual([`${api}/atom`, `urn:uuid:${id}`])

    await desk.deploy(files)
    const own = `http://${desk.slug}.localhost:${service.port}/changelog`
    const onSite = async (feed: string): Promise<string> => (await desk.site(`/changelog/${feed}`)).text
    for (const xml of [await onSite('rss.xml'), await atApi('rss')]) expect(selfOf(xml)).toBe(`${own}/rss.xml`)
    for (const json of [await onSite('feed.json'), await atApi('feed.json')])
      expect(feedUrlOf(json)).toBe(`${own}/feed.json`)
    for (const xml of [await onSite('atom.xml'), await atApi('atom')]) {
      expect(selfOf(xml)).toBe(`${own}/atom.xml`)
      expect(idsOf(xml)).toEqual(ids)
    }
  })

  inDepth('speaks the language of its site, from right to left where that does', async () => {
    const inLanguage = (language: string) => ({ 'docs.json': JSON.stringify({ ...docs, language }) })
    const desk = await open(inLanguage('de'))
    for (let number = 0; number < 21; number++)
      await write(desk, { title: `Entry ${number}`, content: 'Text.', tags: ['api'] })
    const { text } = await desk.site('/changelog')
    expect(text).toContain('<html lang="de"')
    expect(text).toMatch(/aria-label="Einträge nach Schlagwort"[^]*Alle[^]*Oktober 2026[^]*1 von 2[^]*Ältere →/)
    expect((await desk.site('/changelog?page=2')).text).toContain('Seite 2')
    for (const word of ['Changelog: ', 'newest first', 'Older', 'All entries']) expect(text).not.toContain(word)

    await desk.deploy({ ...files, ...inLanguage('ar') })
    const { text: arabic } = await desk.site('/changelog')
    expect(arabic).toMatch(/dir="rtl"[^]*الأقدم ←/)
    const id = /id="log-([\w-]+)"/.exec(arabic)?.[1] ?? ''
    expect((await desk.site(`/changelog/${id}`)).text).toContain('→ كل المدخلات')
  })

  inDepth('is found by programs, misspelt and as soon as it is published, and bounded in what it costs', async () => {
    const desk = await open({ 'guide.mdx': '# Guide\n\nText of it.' })
    const search = async (query: string) =>
      JSON.parse((await desk.site(`/search.json?q=${encodeURIComponent(query)}`)).text) as {
        results: { path: string }[]
        changelog?: { path: string; title: string; excerpt: string }[]
      }
    expect(await search('guide')).not.toHaveProperty('changelog')
    const { id } = await write(desk, {
      title: 'Webhooks',
      content: `Deliveries are **signed** by a platypus.\n\n${'Filler words. '.repeat(5000)} Unreachable.`,
      version: '2.0',
    })
    expect((await search('platipus')).changelog).toMatchObject([
      { path: `/changelog/${id}`, title: 'Webhooks (2.0)', excerpt: expect.stringContaining('signed by a platypus') },
    ])
    expect(await search('unreachable')).toMatchObject({ results: [], changelog: [] })
    expect(await search('guide')).toMatchObject({ results: [{ path: '/guide' }], changelog: [] })
    const index = await desk.site('/changelog/search.json')
    expect([index.status, index.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(index.body.length).toBeLessThan(10_000)

    const params = { slug: desk.slug }
    await desk.client.call(contract.changelog.update, { params, body: { id, is_draft: true } })
    expect((await desk.site('/changelog/search.json')).text).not.toContain('platypus')
    for (let number = 0; number < 40; number++)
      await write(desk, { title: `Entry ${number}`, content: `Note ${number}. ${'Many other words. '.repeat(400)}` })
    expect((await search('entry 39')).changelog?.[0]?.title).toBe('Entry 39')
    expect((await desk.site('/changelog/search.json')).body.length).toBeLessThan(200_000)
  })

  inDepth('shows those with a tag, the most frequent tags first', async () => {
    const desk = await open()
    await write(desk, { title: 'One', content: 'a', tags: ['api', 'editor'] })
    await write(desk, { title: 'Two', content: 'b', tags: ['api'] })
    await write(desk, { title: 'Three', content: 'c', tags: ['c&a'] })
    const all = (await desk.site('/changelog')).text
    expect(
      [...all.matchAll(/<a class="log-tag" href="\/changelog\?tag=([^"]+)">[^<]+<\/a>(?!<\/li>)/g)].map(
        ([, tag]) => tag,
      ),
    ).toEqual(['api', 'c%26a', 'editor'])
    const { text } = await desk.site('/changelog?tag=c%26a')
    expect(text).toContain('Three')
    expect(text).not.toContain('>Two<')
    expect(text).toMatch(/<a class="log-tag" href="\/changelog\?tag=c%26a" aria-current="true">c&amp;a<\/a>/)
  })

  inDepth('follows a deploy and a change of an entry at once', async () => {
    const desk = await open()
    const { id } = await write(desk, { title: 'Old title', content: 'Text' })
    expect((await desk.site('/changelog')).text).toContain('Acme')
    await desk.deploy({ ...files, 'docs.json': JSON.stringify({ ...docs, name: 'Renamed' }) })
    expect((await desk.site('/changelog')).text).toContain('<title>Changelog - Renamed</title>')
    const params = { slug: desk.slug }
    await desk.client.call(contract.changelog.update, { params, body: { id, title: 'New title' } })
    expect((await desk.site('/changelog')).text).toContain('New title')
    await desk.client.call(contract.changelog.update, { params, body: { id, is_draft: true } })
    expect((await desk.site('/changelog')).status).toBe(404)
  })

  inDepth('gives way to what the site has at its address', async () => {
    const navigation = { pages: ['index', 'guide', 'changelog'] }
    const desk = await open({
      'docs.json': JSON.stringify({ ...docs, navigation }),
      'changelog.mdx': '# What we wrote ourselves',
    })
    const { id } = await write(desk, { title: 'Entry', content: 'Text' })
    expect((await desk.site('/changelog')).text).toContain('What we wrote ourselves')
    expect((await desk.site(`/changelog/${id}`)).text).toContain('Entry')
    const redirecting = await open({
      'docs.json': JSON.stringify({ ...docs, redirects: [{ source: '/changelog', destination: '/guide' }] }),
    })
    await write(redirecting, { title: 'Entry', content: 'Text' })
    expect((await redirecting.site('/changelog')).headers['location']).toBe('/guide')
  })

  inDepth('is only read, and by no service worker', async () => {
    const desk = await open()
    await write(desk, { title: 'Entry', content: 'Text' })
    const host = `${desk.slug}.localhost`
    const posted = await fetch(`http://127.0.0.1:${service.port}/changelog`, { method: 'POST', headers: { host } })
    expect(posted.status).not.toBe(200)
    expect((await getSite(service.port, host, '/changelog', { 'service-worker': 'script' })).status).toBe(403)
  })
})

describeInDepth.skipIf(!hasBrowser)('the changelog of a site in a browser', () => {
  let browser: Browser
  let desk: Desk
  const problems: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser()
    desk = await open()
    const code = '```sh title="Terminal"\nquire deploy docs --at 2026-12-01T09:00:00Z\n```'
    await write(desk, {
      title: 'Components',
      content: `<Note>Keys keep working.</Note>\n\n<Tabs>\n<Tab title="npm">\`npm i\`</Tab>\n<Tab title="pnpm">\`pnpm i\`</Tab>\n</Tabs>`,
      tags: ['api'],
    })
    await write(desk, {
      title: 'Scheduled deploys',
      content: `Text.\n\n## What is new\n\n- One\n- Two\n\n${code}`,
      tags: ['deploys', 'api'],
      version: 'v2.2.0',
    })
  })
  afterAll(() => browser?.close())

  async function show(path: string, width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme })
    const page = await context.newPage()
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    onPageError(page, (error) => void problems.push(error.message))
    await page.goto(`http://${desk.slug}.localhost:${service.port}${path}`)
    return page
  }

  it('is found in the search box, beside pages', async () => {
    const page = await show('/', 1280, 'light')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.keyboard.press('/')
    await page.locator('.q-search input').fill('scheduled')
    const found = page.locator('.q-search [role=group]', { hasText: 'Changelog › Scheduled deploys' })
    await found.waitFor()
    await page.locator('.q-search input').fill('schedul')
    await found.waitFor()
    expect(asked.filter((path) => path === '/changelog/search.json')).toHaveLength(1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Scheduled deploys' }).waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })

  it.each([
    [390, 'light'],
    [1440, 'dark'],
  ] as const)('has its shell, filter, anchors and copy buttons, %i wide and %s', async (width, colorScheme) => {
    const page = await show('/changelog', width, colorScheme)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    await page.getByRole('button', { name: /copy/i }).first().waitFor({ state: 'attached' })
    await page.locator('.log-filter a', { hasText: 'deploys' }).click()
    await expect.poll(() => page.locator('article.log-entry').count()).toBe(1)
    await page.locator('.log-name a').click()
    await page.getByRole('heading', { level: 1, name: 'Scheduled deploys' }).waitFor()
    await page.getByText('All entries').click()
    await page.getByRole('tab', { name: 'pnpm' }).click()
    await page.getByText('pnpm i').waitFor()
    expect(problems).toEqual([])
    await page.context().close()
  })
})
