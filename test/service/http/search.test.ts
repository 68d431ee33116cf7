import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { getSite, type SiteReply } from '#test/support/site.ts'

let service: TestService
let desk: Desk
beforeAll(async () => {
  service = await startTestService()
  desk = await openDesk(service)
  await desk.deploy({
    'docs.json': JSON.stringify({
      name: 'Docs',
      navigation: {
        tabs: [
          { tab: 'Guides', pages: ['index', 'guide/keys'] },
          { tab: 'API', pages: ['api/keys'] },
        ],
      },
    }),
    'index.md': '# Home\n\nWelcome to the middleware.',
    'guide/keys.md': '# Keys\n\n## Revoke a key\n\nWhoever has a <token> revokes its key.',
    'api/keys.md': '# Keys of the API\n\nSend the key in a header.',
  })
})
afterAll(() => service.close())

const search = (query: string, headers: Record<string, string> = {}): Promise<SiteReply> =>
  getSite(desk.port, `${desk.slug}.localhost`, `/search.json${query}`, headers)
const resultsOf = ({ text }: SiteReply) => (JSON.parse(text) as { results: Record<string, unknown>[] }).results

describe('GET /search.json of a site', () => {
  it('answers programs with the sections that are found, of any origin', async () => {
    const reply = await search('?q=revoke%20keys')
    expect(reply).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } })
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(resultsOf(reply)[0]).toMatchObject({
      path: '/guide/keys',
      title: 'Keys',
      heading: 'Revoke a key',
      anchor: 'revoke-a-key',
      tab: 'Guides',
      score: expect.any(Number),
      excerpt: expect.stringContaining('revokes its key'),
    })
    const again = await search('?q=revoke%20keys', { 'if-none-match': String(reply.headers['etag']) })
    expect([again.status, again.text]).toEqual([304, ''])
  })

  it('finds what is misspelt, within a tab where one is named', async () => {
    expect(resultsOf(await search('?q=middlware'))[0]).toMatchObject({ path: '/' })
    const inApi = resultsOf(await search('?q=keys&tab=API'))
    expect(inApi.map(({ path }) => path)).toEqual(['/api/keys'])
    expect(resultsOf(await search('?q=keys&limit=1')).every(({ path }) => path === inApi[0]?.['path'])).toBe(false)
  })

  it.each([
    ['', 400, 'invalid_request'],
    ['?q=', 400, 'invalid_request'],
    ['?q=%20%20', 400, 'invalid_request'],
    [`?q=${'x'.repeat(201)}`, 400, 'invalid_request'],
    ['?q=keys&limit=0', 400, 'invalid_request'],
    ['?q=keys&limit=1e9', 400, 'invalid_request'],
    ['?q=keys&tab=Nowhere', 404, 'not_found'],
    ['?q=keys&version=9', 404, 'not_found'],
    ['?q=keys&language=xx', 404, 'not_found'],
  ])('refuses %s with what to do', async (query, status, code) => {
    const reply = await search(query)
    expect(reply).toMatchObject({ status, headers: { 'access-control-allow-origin': '*' } })
    expect(JSON.parse(reply.text)).toMatchObject({ code, detail: expect.any(String), hint: expect.any(String) })
  })

  it.each([
    '__proto__ constructor toString',
    '"><script>alert(1)</script>',
    '\uD83D',
    '../../etc/passwd',
    '%00',
    '𝕏'.repeat(90),
    'a '.repeat(99),
    '.*+?^${}()|[]\\',
    '環'.repeat(150),
    'keyz '.repeat(40),
  ])('takes %j for the words that it is', async (query) => {
    const reply = await search(`?q=${encodeURIComponent(query.toWellFormed().slice(0, 190))}`)
    expect([200, 400]).toContain(reply.status)
    expect(() => JSON.parse(reply.text) as unknown).not.toThrow()
  })

  it('holds nobody up with a site whose words are long and nearly the same', async () => {
    const other = await openDesk(service)
    const letter = (number: number): string => String.fromCodePoint(97 + (Math.floor(number) % 26))
    const words = Array.from({ length: 11_000 }, (_, number) => {
      const end = letter(number) + letter(number / 26) + letter(number / 676)
      return `${'ab'.repeat(17)}${end}bb`
    })
    await other.deploy({ 'index.md': `# Words\n\n${words.join(' ')}` })
    const asked = Array.from({ length: 4 }, (_, number) => `${'ab'.repeat(18)}q${letter(number)}zz`).join(' ')
    const reply = await getSite(other.port, `${other.slug}.localhost`, `/search.json?q=${encodeURIComponent(asked)}`)
    expect(reply).toMatchObject({ status: 200 })
  })

  it('answers for previews as well, which other origins do not read', async () => {
    const branch = await desk.branch('more')
    await desk.save(branch, 'guide/keys.md', '# Keys\n\nThe aardvark has one.')
    await desk.previewed(branch)
    const reply = await desk.preview(branch, '/search.json?q=aardvark')
    expect(resultsOf(reply)).toMatchObject([{ path: '/guide/keys' }])
    expect(reply.headers).toMatchObject({ 'x-robots-tag': 'noindex' })
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    expect(resultsOf(await search('?q=aardvark'))).toEqual([])
  })

  it('leaves the path to a project that has a file of its own there', async () => {
    const other = await openDesk(service)
    await other.deploy({ 'index.md': '# Hi', 'search.json': '{"own":true}' })
    expect((await other.site('/search.json?q=hi')).text).toBe('{"own":true}')
  })
})

describe('the files of the index', () => {
  it('are kept by browsers for ever where their name is of their content, and asked for again else', async () => {
    const root = await desk.site('/_quire/search/0.json')
    expect(root.headers['cache-control']).toBe('public, max-age=0, must-revalidate')
    const { words } = JSON.parse(root.text) as { words: Record<string, string> }
    const file = await desk.site(`/_quire/search/words-${Object.values(words)[0]}.txt`)
    expect(file).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=31536000, immutable' } })
  })
})
