import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { analyticsLimits } from '#contract/analytics.ts'
import { contract } from '#contract/index.ts'
import { readerPaths } from '#contract/reader-paths.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite } from '#test/support/site.ts'
import {
  analyticsOf,
  answer,
  bothOn,
  notesOf,
  report,
  search,
  siteWith,
  view,
} from '#test/support/http/support-analytics.ts'

const day = 24 * 60 * 60 * 1000
let ahead = 0
let service: TestService
const now = (): Date => new Date(Date.now() + ahead)
beforeAll(async () => {
  service = await startTestService({ RATE_VIEWS: '100000', RATE_FEEDBACK: '100000', TRUST_PROXY: '127.0.0.1' }, { now })
})
afterAll(() => service.close())

async function open(on: object = bothOn): Promise<Desk> {
  const desk = await openDesk(service)
  await desk.deploy(siteWith(on))
  return desk
}

describe('a view of a page', () => {
  it('is counted by day and page, and by nothing of the reader', async () => {
    const desk = await open()
    for (const path of ['/', '/guide/keys', '/guide/keys']) expect((await view(desk, path)).status).toBe(204)
    const shown = await analyticsOf(desk)
    expect(shown).toMatchObject({ enabled: { analytics: true, feedback: true }, views: 3 })
    expect(shown.pages).toEqual([
      { path: '/guide/keys', views: 2, helpful: { yes: 0, no: 0 } },
      { path: '/', views: 1, helpful: { yes: 0, no: 0 } },
    ])
    expect(shown.days).toHaveLength(30)
    expect(shown.days.at(-1)).toMatchObject({ day: now().toISOString().slice(0, 10), views: 3 })
    expect(shown.days.at(-2)).toMatchObject({ views: 0 })
  })

  inDepth('is none of a page that the site does not have, of a file, or of another site', async () => {
    const desk = await open()
    for (const path of ['/nowhere', '/llms.txt', '/guide', '//evil.example/', '/%2e%2e/x', '', 'guide/keys'])
      expect({ path, status: (await view(desk, path)).status }).toEqual({ path, status: 404 })
    expect((await report(desk, readerPaths.views, {})).status).toBe(400)
    expect((await report(desk, readerPaths.views, { path: `/${'x'.repeat(5000)}` })).status).toBe(400)
    const origin = { origin: 'https://evil.example' }
    expect((await view(desk, '/', { headers: origin })).status).toBe(403)
    expect((await view(desk, '/', { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(403)
    expect((await view(desk, '/', { host: `127.0.0.1:${service.port}` })).status).toBe(404)
    expect((await analyticsOf(desk)).views).toBe(0)
  })

  it('is not counted of who asks not to be tracked, of what is fetched ahead, and of machines that say what they are', async () => {
    const desk = await open()
    const uncounted = [
      { dnt: '1' },
      { 'sec-gpc': '1' },
      { 'sec-purpose': 'prefetch' },
      { 'sec-purpose': 'prefetch;prerender' },
      { purpose: 'prefetch' },
      { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
      { 'user-agent': 'curl/8.5.0' },
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/140.0.0.0 Safari/537.36' },
    ]
    for (const headers of uncounted) {
      expect((await view(desk, '/', { headers })).status).toBe(204)
      expect((await search(desk, 'keys', 'yes', { headers })).status).toBe(204)
    }
    expect(await analyticsOf(desk)).toMatchObject({ views: 0, searches: 0 })
  })

  it('stays on record over a restart and a rename, and goes with the project', async () => {
    const desk = await open()
    await view(desk, '/')
    await answer(desk, { path: '/', helpful: 'no', note: 'Too short.' })
    await service.restart()
    expect(await analyticsOf(desk)).toMatchObject({ views: 1, helpful: { yes: 0, no: 1 } })
    const slug = `${desk.slug}-renamed`
    const owner = createClient({ baseUrl: service.url, token: desk.session })
    await owner.call(contract.projects.update, { params: { slug: desk.slug }, body: { slug } })
    const renamed = { ...desk, slug }
    await view(renamed, '/')
    expect((await analyticsOf(renamed)).views).toBe(2)
    expect((await notesOf(renamed)).items).toHaveLength(1)
    await view(renamed, '/')
    await owner.call(contract.projects.remove, { params: { slug } })
    await service.restart()
    expect(await readdir(service.directory)).not.toContain(desk.slug)
  })

  inDepth('is forgotten after as many days as is said', async () => {
    const desk = await open()
    await view(desk, '/')
    await answer(desk, { path: '/', helpful: 'yes', note: 'Good.' })
    await analyticsOf(desk)
    ahead += (analyticsLimits.days - 1) * day
    expect((await analyticsOf(desk, analyticsLimits.days)).views).toBe(1)
    expect((await notesOf(desk)).items).toHaveLength(1)
    ahead += day
    await view(desk, '/guide/keys')
    expect(await analyticsOf(desk, analyticsLimits.days)).toMatchObject({ views: 1, helpful: { yes: 0, no: 0 } })
    expect((await notesOf(desk)).items).toEqual([])
    const folder = join(service.directory, desk.slug, 'analytics')
    await service.restart()
    expect(await readdir(folder)).toHaveLength(1)
    ahead = 0
  })

  it('is counted on private sites of whom they let in, and of nobody else', async () => {
    const desk = await open()
    const owner = createClient({ baseUrl: service.url, token: desk.session })
    await owner.call(contract.visibility.set, { params: { slug: desk.slug }, body: { visibility: 'private' } })
    expect((await view(desk, '/')).status).toBe(401)
    expect((await answer(desk, { path: '/', helpful: 'yes' })).status).toBe(401)
    const { url } = await owner.call(contract.visibility.createLink, {
      params: { slug: desk.slug },
      body: { name: 'Reader' },
    })
    const entered = await getSite(desk.port, `${desk.slug}.localhost`, new URL(url).pathname + new URL(url).search)
    const cookie = String(entered.headers['set-cookie']).split(';', 1)[0] ?? ''
    expect((await view(desk, '/', { headers: { cookie } })).status).toBe(204)
    expect((await analyticsOf(desk)).views).toBe(1)
  })
})

describe('a search', () => {
  inDepth('is a term from the second time on, whatever came of it and however it is written', async () => {
    const desk = await open()
    await search(desk, 'Rate  limits', 'yes')
    await search(desk, 'secret of mine', 'yes')
    expect(await analyticsOf(desk)).toMatchObject({ searches: 2, withoutResults: 0, terms: [] })
    await search(desk, ' rate limits ', 'yes')
    for (let times = 0; times < 3; times++) await search(desk, 'graphql', 'no')
    const shown = await analyticsOf(desk)
    expect(shown).toMatchObject({ searches: 6, withoutResults: 3 })
    expect(shown.terms).toEqual([
      { term: 'graphql', searches: 3, withoutResults: 3 },
      { term: 'rate limits', searches: 2, withoutResults: 0 },
    ])
    expect(shown.termsWithoutResults).toEqual([{ term: 'graphql', searches: 3, withoutResults: 3 }])
    await service.restart()
    expect(await contentOf(join(service.directory, desk.slug, 'analytics'))).not.toContain('secret of mine')
  })

  it('is no term where it may be about somebody, or is no word', async () => {
    const desk = await open()
    const none = ['ada@example.com', '+49 151 2345 6789', 'x', 'a'.repeat(41), 'word '.repeat(30), '\u0000\u0007']
    for (const query of [...none, ...none]) expect((await search(desk, query, 'no')).status).toBe(204)
    expect(await analyticsOf(desk)).toMatchObject({ searches: 12, terms: [] })
    for (const query of ['__proto__', '__proto__', '<b>x</b>', '<b>x</b>']) await search(desk, query, 'yes')
    expect((await analyticsOf(desk)).terms.map(({ term }) => term)).toEqual(['<b>x</b>', '__proto__'])
    expect((await report(desk, readerPaths.searches, { query: 'x' })).status).toBe(400)
  })

  inDepth('of a client that invents terms fills no more than a day holds', async () => {
    const desk = await open()
    for (let index = 0; index < analyticsLimits.termsOfDay + 20; index++)
      for (let times = 0; times < 2; times++) await search(desk, `term ${index}`, 'no')
    await analyticsOf(desk)
    await service.restart()
    const stored = await contentOf(join(service.directory, desk.slug, 'analytics'))
    expect(new Set(stored.match(/term \d+/g)).size).toBe(analyticsLimits.termsOfDay)
  })
})

describe('an answer to whether a page was helpful', () => {
  it('is counted by page, with a note that comes at once or later', async () => {
    const desk = await open()
    expect((await answer(desk, { path: '/guide/keys', helpful: 'yes' })).status).toBe(204)
    const later = {
      path: '/guide/keys',
      helpful: 'no',
      note: '  Where are\r\nkeys\u0007 made? <script>alert(1)</script> ',
    }
    expect((await answer(desk, { path: '/guide/keys', helpful: 'no' })).status).toBe(204)
    expect((await answer(desk, { ...later, voted: 'yes' })).status).toBe(204)
    expect((await analyticsOf(desk)).pages).toEqual([{ path: '/guide/keys', views: 0, helpful: { yes: 1, no: 1 } }])
    const { items } = await notesOf(desk)
    expect(items).toMatchObject([
      {
        path: '/guide/keys',
        helpful: false,
        note: 'Where are\nkeys made? <script>alert(1)</script>',
      },
    ])
    expect(Object.keys(items[0] ?? {}).toSorted()).toEqual(['at', 'helpful', 'id', 'note', 'path'])
  })

  inDepth('of a browser without scripts is a form, and leads back to the page, which thanks', async () => {
    const desk = await open()
    const page = (await desk.site('/guide/keys')).text
    expect(page).toContain('<form class="q-feedback" method="post" action="/_quire/feedback"')
    const html = { accept: 'text/html,application/xhtml+xml', origin: `http://${desk.slug}.localhost:${desk.port}` }
    const reply = await answer(desk, { path: '/guide/keys', helpful: 'no', note: 'Hm.' }, { headers: html })
    expect(reply).toMatchObject({ status: 303, location: '/guide/keys#q-thanks' })
    expect(page).toContain('id="q-thanks"')
    expect((await notesOf(desk)).items).toHaveLength(1)
    const long = { path: '/guide/keys', helpful: 'no', note: 'x'.repeat(1001) }
    const refused = await answer(desk, long, { headers: html })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('<h1>A note is a text of at most 1000 characters</h1><p>Shorten it.</p>')
    expect((await answer(desk, long)).text).toContain('"code":"invalid_request"')
  })

  it('is refused for other pages, other answers, long notes, and from other sites', async () => {
    const desk = await open()
    expect((await answer(desk, { path: '/nowhere', helpful: 'yes' })).status).toBe(404)
    expect((await answer(desk, { path: '/nowhere', helpful: 'yes', voted: 'yes', note: 'x' })).status).toBe(404)
    expect((await answer(desk, { path: '/', helpful: 'maybe' })).status).toBe(400)
    expect((await answer(desk, { path: '/', helpful: 'no', note: 'x'.repeat(1001) })).status).toBe(400)
    expect((await answer(desk, { path: '/', helpful: 'no', note: 'x'.repeat(50_000) })).status).toBe(413)
    const headers = { origin: 'https://evil.example' }
    expect((await answer(desk, { path: '/', helpful: 'no', note: 'x' }, { headers })).status).toBe(403)
    expect((await analyticsOf(desk)).helpful).toEqual({ yes: 0, no: 0 })
    expect((await notesOf(desk)).items).toEqual([])
  })

  inDepth('has a note no more than so often a day for a page', async () => {
    const desk = await open()
    let last = 0
    const write = (path: string, note: string) => {
      const headers = { 'x-forwarded-for': `10.0.${(last += 1)}.1` }
      return answer(desk, { path, helpful: 'no', voted: 'yes', note }, { headers })
    }
    for (let index = 0; index < analyticsLimits.notesOfPageAndDay; index++) await write('/', `note ${index}`)
    expect((await write('/', 'one more')).status).toBe(429)
    expect((await write('/guide/keys', 'another page')).status).toBe(204)
    expect((await notesOf(desk, { path: '/guide/keys' })).items).toMatchObject([{ note: 'another page' }])
    expect((await notesOf(desk, { helpful: 'yes' })).items).toEqual([])
    ahead += day
    expect((await write('/', 'the next day')).status).toBe(204)
    ahead = 0
  })

  inDepth(
    'has a note from one network no more than so often a day, and counts nothing of one that is refused',
    async () => {
      const desk = await open()
      const send = (fields: object, address = '192.0.2.1') =>
        answer(desk, { path: '/', helpful: 'no', ...fields }, { headers: { 'x-forwarded-for': address } })
      const most = analyticsLimits.notesOfNetworkAndDay
      for (let index = 0; index < most; index++) expect((await send({ note: `note ${index}` })).status).toBe(204)
      for (let times = 0; times < 3; times++) {
        const refused = await send({ note: 'one more' })
        expect(refused.status).toBe(429)
        expect(refused.text).toContain('Answer without a note')
      }
      expect((await analyticsOf(desk)).helpful).toEqual({ yes: 0, no: most })
      expect((await send({})).status).toBe(204)
      expect((await send({ note: 'from elsewhere' }, '198.51.100.1')).status).toBe(204)
      expect((await analyticsOf(desk)).helpful).toEqual({ yes: 0, no: most + 2 })
    },
  )

  it('has a note that a writer can delete, and then is nowhere any more', async () => {
    const desk = await open()
    await answer(desk, { path: '/', helpful: 'no', note: 'Buy cheap watches' })
    const [note] = (await notesOf(desk)).items
    const params = { slug: desk.slug }
    await desk.client.call(contract.feedback.remove, { params, query: { id: note?.id ?? '' } })
    expect((await notesOf(desk)).items).toEqual([])
    expect(await contentOf(join(service.directory, desk.slug, 'feedback'))).not.toContain('cheap')
    const again = desk.client.call(contract.feedback.remove, { params, query: { id: note?.id ?? '' } })
    await expect(again).rejects.toMatchObject({ code: 'not_found' })
  })
})

describeInDepth('where it is off', () => {
  it('nothing of it is sent to readers, and there is nothing to send to', async () => {
    for (const on of [{}, { analytics: { enabled: false }, feedback: { enabled: false, thumbsRating: true } }]) {
      const desk = await open(on)
      const { text } = await desk.site('/guide/keys')
      expect(text).not.toMatch(/feedback|analytics|helpful/)
      const nowhere = await report(desk, '/_quire/nowhere', {})
      for (const path of Object.values(readerPaths)) expect(await report(desk, path, { path: '/' })).toEqual(nowhere)
      expect(await analyticsOf(desk)).toMatchObject({ enabled: { analytics: false, feedback: false }, views: 0 })
    }
  })

  it('or only one of it is on, the other is not', async () => {
    const asking = await open({ feedback: { thumbsRating: true } })
    expect((await asking.site('/')).text).toMatch(/q-feedback/)
    expect((await asking.site('/')).text).not.toMatch(/analytics/)
    expect((await view(asking, '/')).status).toBe(405)
    const counting = await open({ analytics: { enabled: true } })
    expect((await counting.site('/')).text).toMatch(/_quire\/analytics-/)
    expect((await counting.site('/')).text).not.toMatch(/q-feedback/)
    expect((await answer(counting, { path: '/', helpful: 'yes' })).status).toBe(405)
  })

  it('as on previews, pages that are missing and the changelog, no document asks or counts', async () => {
    const desk = await open()
    const branch = await desk.branch('draft')
    await desk.previewed(branch)
    const asks = /_quire\/(?:analytics|feedback)/
    expect((await desk.preview(branch, '/')).text).not.toMatch(asks)
    expect((await desk.site('/nowhere')).text).not.toMatch(asks)
    const host = new URL(branch.previewUrl).host
    expect((await view(desk, '/', { host })).status).toBe(405)
    expect((await analyticsOf(desk)).views).toBe(0)
  })
})

it('one network reports no more than the settings say, and reading goes on', async () => {
  const own = await startTestService({ RATE_VIEWS: '3', RATE_FEEDBACK: '2' })
  const desk = await openDesk(own)
  await desk.deploy(siteWith(bothOn))
  const views = []
  for (let times = 0; times < 4; times++) views.push((await view(desk, '/')).status)
  expect(views).toEqual([204, 204, 204, 429])
  const answers = []
  for (let times = 0; times < 3; times++) answers.push((await answer(desk, { path: '/', helpful: 'yes' })).status)
  expect(answers).toEqual([204, 204, 429])
  expect((await desk.site('/')).status).toBe(200)
  await own.close()
})

async function contentOf(folder: string): Promise<string> {
  const texts = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8'))
  return (await Promise.all(texts)).join('\n')
}
