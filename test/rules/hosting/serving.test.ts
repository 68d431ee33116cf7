import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { sendRaw, serveSite } from '#test/support/hosting/support.ts'
import { composer, sampleSite } from '#test/support/hosting/support-release.ts'

describe('a page', () => {
  it('is composed of shell and artifact, and comes with its policy and no cookie', async () => {
    const site = await serveSite(sampleSite)
    const reply = await site.get('/', { cookie: 'a=b', 'x-forwarded-host': 'other.example' })
    expect(reply.text).toBe('<title>Docs</title><p>/: Welcome</p>')
    expect(reply.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'self'",
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: 'Accept-Encoding, Accept',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      link:
        '</_quire/theme.abc.css>; rel=preload; as=style, </_quire/theme.abc.js>; rel=modulepreload, ' +
        '</index.md>; rel="alternate"; type="text/markdown"',
    })
    for (const header of ['set-cookie', 'access-control-allow-origin', 'x-robots-tag'])
      expect(reply.headers).not.toHaveProperty(header)
  })

  it('answers 304 to its own tag, in a list, weak or with *', async () => {
    const site = await serveSite(sampleSite)
    const { etag = '' } = (await site.get('/')).headers
    expect(etag).toMatch(/^"[\w-]{27}"$/)
    for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const reply = await site.get('/', { 'if-none-match': condition })
      expect([reply.status, reply.body.length, reply.headers.etag, reply.headers['cache-control']]).toEqual([
        304,
        0,
        etag,
        'public, max-age=0, must-revalidate',
      ])
    }
    expect((await site.get('/', { 'if-none-match': '"other"' })).status).toBe(200)
  })

  it('keeps its tag in a release that changed other pages, and gets another when shell or page change', async () => {
    const site = await serveSite(sampleSite)
    const tagOf = async (): Promise<string | undefined> => (await site.get('/')).headers.etag
    const tag = await tagOf()
    await site.publish({ ...sampleSite, id: 'd2', pages: { ...sampleSite.pages, '/guide/start': 'Other' } })
    expect(await tagOf()).toBe(tag)
    await site.publish({ ...sampleSite, id: 'd3', shell: 'New name' })
    const third = await tagOf()
    expect(third).not.toBe(tag)
    await site.publish({ ...sampleSite, id: 'd4', shell: 'New name', pages: { '/': 'Hello' } })
    expect(await tagOf()).not.toBe(third)
  })

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is sent as %s from the first answer on, with a tag of its own', async (encoding, decode) => {
    const site = await serveSite(sampleSite)
    const accept = { 'accept-encoding': encoding }
    const packed = await site.get('/guide/start', accept)
    expect(packed.headers['content-encoding']).toBe(encoding)
    const plain = await site.get('/guide/start')
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(decode(packed.body).toString()).toBe(plain.text)
    expect(packed.headers.etag).toBe(`${plain.headers.etag?.slice(0, -1)}-${encoding}"`)
    expect(Number(packed.headers['content-length'])).toBe(packed.body.length)
    for (const etag of [plain.headers.etag ?? '', packed.headers.etag ?? '']) {
      expect(await site.get('/guide/start', { ...accept, 'if-none-match': etag })).toMatchObject({
        status: 304,
        headers: { etag },
      })
    }
    expect((await site.get('/guide/start')).text).toBe(plain.text)
  })

  it('is compressed for all who ask for it at the same time, and answers HEAD as GET', async () => {
    const site = await serveSite(sampleSite)
    const accept = { 'accept-encoding': 'gzip, br' }
    const asked = Array.from({ length: 20 }, (_, i) => site.get('/guide/start', accept, i % 5 === 0 ? 'HEAD' : 'GET'))
    const replies = await Promise.all(asked)
    expect(new Set(replies.map(({ headers }) => headers['content-encoding']))).toEqual(new Set(['br']))
    expect(new Set(replies.map(({ headers }) => headers['content-length'])).size).toBe(1)
  })

  it('that is very long is sent as it is, and compressed from then on', async () => {
    const content = 'All about leaves. '.repeat(100_000)
    const site = await serveSite({ files: { '/long.txt': { content, type: 'text/plain; charset=utf-8' } } })
    const accept = { 'accept-encoding': 'br' }
    const first = await site.get('/long.txt', accept)
    expect([first.headers['content-encoding'], first.text === content]).toEqual([undefined, true])
    const packed = await vi.waitUntil(async () => {
      const reply = await site.get('/long.txt', accept)
      return reply.headers['content-encoding'] === 'br' ? reply : undefined
    }, 60_000)
    expect(brotliDecompressSync(packed.body).toString() === content).toBe(true)
  })

  it('answers HEAD with the length and without a body', async () => {
    const site = await serveSite(sampleSite)
    const reply = await site.get('/guide/start', {}, 'HEAD')
    expect([reply.status, reply.body.length]).toEqual([200, 0])
    expect(Number(reply.headers['content-length'])).toBe((await site.get('/guide/start')).body.length)
  })

  it('is sent as Markdown to who prefers that', async () => {
    const site = await serveSite(sampleSite)
    for (const accept of [
      'text/markdown',
      'text/markdown, */*',
      'text/markdown, text/html',
      'text/html;q=0.5, text/markdown;q=0.8',
    ]) {
      const reply = await site.get('/', { accept })
      expect([reply.text, reply.headers['content-type'], reply.headers.vary]).toEqual([
        '# Welcome\n',
        'text/markdown; charset=utf-8',
        'Accept-Encoding, Accept',
      ])
    }
    for (const accept of [
      'text/html',
      '*/*',
      'text/html, text/markdown;q=0.5',
      'text/html, text/markdown',
      'text/markdown;q=0',
    ]) {
      expect((await site.get('/', { accept })).headers['content-type']).toBe('text/html; charset=utf-8')
    }
    expect((await site.get('/index.md')).text).toBe('# Welcome\n')
  })

  it('that is not there is said to be missing in Markdown, to who asked for that', async () => {
    const site = await serveSite(sampleSite)
    for (const [path, accept] of [
      ['/none.md', '*/*'],
      ['/no`ne', 'text/markdown'],
    ] as const) {
      const reply = await site.get(path, { accept })
      expect([reply.status, reply.headers['content-type']]).toEqual([404, 'text/markdown; charset=utf-8'])
      expect(reply.text).toBe(
        `# Page not found\n\nThere is no page at \`${path.replace('`', '')}\`. [llms.txt](/llms.txt) lists all pages.\n`,
      )
    }
    expect((await site.get('/none', { accept: 'text/html' })).headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it('is kept from search engines on a preview, with everything else there', async () => {
    const site = await serveSite(sampleSite, { preview: true })
    for (const path of ['/', '/photo.png', '/film.mp4', '/missing', '/old'])
      expect((await site.get(path)).headers['x-robots-tag']).toBe('noindex')
  })

  it('is made once for all who ask for it at the same time', async () => {
    let made = 0
    const counting: typeof composer = {
      ...composer,
      *open(shell) {
        const opened = yield* composer.open(shell)
        return { ...opened, page: (artifact, path) => ((made += 1), opened.page(artifact, path)) }
      },
    }
    const site = await serveSite(sampleSite, { composer: counting })
    await Promise.all(Array.from({ length: 20 }, () => site.get('/')))
    expect(made).toBe(1)
  })
})

describe('addresses', () => {
  it.each([
    ['/guide/start/', 308, '/guide/start'],
    ['/guide/start///', 308, '/guide/start'],
    ['/guide/start/?q=1&r=<b>', 308, '/guide/start?q=1&r=%3Cb%3E'],
    ['/guide/start.html', 308, '/guide/start'],
    ['/guide/start.mdx', 308, '/guide/start'],
    ['/guide/start/index', 308, '/guide/start'],
    ['/guide/start/index.html', 308, '/guide/start'],
    ['/index', 308, '/'],
    ['/index.html?x', 308, '/?x'],
    ['/%C3%BCn%C3%AF%20c%C3%B6de/', 308, '/%C3%BCn%C3%AF%20c%C3%B6de'],
    ['/guide/start/index.md', 308, '/guide/start.md'],
    ['/guide/start/index.md?a=b', 308, '/guide/start.md?a=b'],
    ['/index.md', 200, undefined],
    ['/guide/other/index.md', 404, undefined],
    ['/old', 308, '/guide/start'],
    ['/old/?a=b', 308, '/guide/start?a=b'],
    ['/old.html', 308, '/guide/start'],
    ['/beta/guide/start', 307, '/guide/start'],
    ['/beta//evil.example', 307, '/evil.example'],
    ['/beta/x%0ay', 400, undefined],
  ])('%s answers %i, %s', async (path, status, location) => {
    const reply = await (await serveSite(sampleSite)).get(path)
    expect([reply.status, reply.headers.location]).toEqual([status, location])
  })

  it.each([
    '/%00',
    '/..%5c..%5c',
    '/.%2e/',
    '/a/../b',
    '/./a',
    '//evil.example',
    '//evil.example/',
    '/\\\\evil.example',
    '/a%2Fb',
    '/_quire/x.png%2F..%2F..%2Fother%2Fx.svg',
    '/%',
    '/%zz',
    '/%ff',
    '/a%0d%0aSet-Cookie:x',
    '/a%7f',
    '/a#b',
  ])('%s is refused', async (path) => {
    const site = await serveSite(sampleSite)
    const reply = await sendRaw(site.port, `GET ${path} HTTP/1.1\nHost: x\nConnection: close\n\n`)
    expect(reply).toMatch(/^HTTP\/1\.1 400 /)
    expect(reply).not.toMatch(/location|set-cookie|evil/i)
  })

  it.each(['/__proto__', '/constructor', '/.well-known/x', '/a%252Fb', '/%E2%80%AE', '/guide', '/guide/'])(
    '%s is not found',
    async (path) => {
      expect((await (await serveSite(sampleSite)).get(path)).status).toBe(404)
    },
  )

  it('finds a page however its path is spelled', async () => {
    const site = await serveSite(sampleSite)
    for (const path of ['/%C3%BCn%C3%AF%20c%C3%B6de', '/u%CC%88n%C3%AF%20c%C3%B6de', '/g%75ide/start'])
      expect((await site.get(path)).status).toBe(200)
  })

  it('ignores the query, and never repeats it', async () => {
    const site = await serveSite(sampleSite)
    const [plain, asked] = [await site.get('/'), await site.get('/?x=%3Cscript%3E')]
    expect(asked.text).toBe(plain.text)
    expect(asked.headers.etag).toBe(plain.headers.etag)
  })

  it('answers what is missing with a page to people and a line to programs', async () => {
    const site = await serveSite(sampleSite)
    const page = await site.get('/nothing')
    expect([page.status, page.text, page.headers['content-security-policy']]).toEqual([
      404,
      '<title>Docs</title><p>Nothing here</p>',
      "default-src 'self'",
    ])
    expect(page.headers.etag).toBeUndefined()
    expect((await site.get('/nothing', { 'if-none-match': '*' })).status).toBe(404)
    expect((await site.get('/nothing.png')).headers['content-type']).toBe('text/plain; charset=utf-8')
    expect((await site.get('/nothing.png', { accept: 'text/html' })).text).toContain('<title>')
  })

  it('answers nobody with what a release keeps for the next build', async () => {
    const kept = { '/_quire/api/0123456789abcdef.json': { content: '{"index":"secret"}', type: 'application/json' } }
    const site = await serveSite({ pages: { '/': 'home' }, files: kept })
    for (const path of [...Object.keys(kept), '/_quire/%61pi/0123456789abcdef.json'])
      expect((await site.get(path)).status).toBe(404)
  })

  it('answers what is missing with the page 404 as it is now', async () => {
    const site = await serveSite({ pages: { '/': 'home', '/404': 'cold' } })
    expect((await site.get('/nothing')).text).toContain('cold')
    await site.publish({ id: 'd2', pages: { '/': 'home', '/404': 'warm' } })
    expect((await site.get('/nothing')).text).toContain('warm')
  })

  it('answers what is missing with the page 404 of the project, that of the folder before that of the site', async () => {
    const site = await serveSite({ pages: { '/': 'home', '/404': 'cold', '/fr/404': 'froid' } })
    expect(await site.get('/nothing/here')).toMatchObject({ status: 404, text: expect.stringContaining('/404: cold') })
    expect(await site.get('/fr/rien')).toMatchObject({ status: 404, text: expect.stringContaining('/fr/404: froid') })
  })

  it('leads readers of what is missing to the first page of a site that wants it so, and programs nowhere', async () => {
    const site = await serveSite({ shell: 'Leads home', pages: { '/start': 'start' } })
    expect(await site.get('/nothing')).toMatchObject({ status: 307, headers: { location: '/start' } })
    expect((await site.get('/nothing.png')).status).toBe(404)
    expect((await site.get('/nothing', { accept: 'text/markdown' })).status).toBe(404)
  })

  it('can only be read', async () => {
    const site = await serveSite(sampleSite)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      expect(await site.get('/', {}, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } })
    }
  })

  it('refuses service workers', async () => {
    expect(
      (await (await serveSite(sampleSite)).get('/_quire/theme.abc.css', { 'service-worker': 'script' })).status,
    ).toBe(403)
  })
})
