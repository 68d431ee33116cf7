import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listen, openHosting, send } from '#test/support/hosting/support.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'

/** A release with a page of updates and its feed. */
async function serve(preview = false) {
  const { hosting } = await openHosting()
  const { release, blobs } = makeRelease({ pages: { '/new': 'Updates' } })
  const page = release.routes['/new']
  if (page?.kind !== 'page') throw new Error('no page')
  const feed = { kind: 'feed' as const, blob: page.blob, page: '/new', updated: 7 }
  await (await hosting.open('docs')).publish({ ...release, routes: { ...release.routes, '/new/rss.xml': feed } }, blobs)
  const server = createServer((request, response) =>
    hosting.respond(request, response, { project: 'docs', release: release.id, preview }),
  )
  const port = await listen(server)
  return (path = '/new/rss.xml', headers: Record<string, string> = {}) => send(port, { method: 'GET', path, headers })
}

describe('the feed of a page', () => {
  it('is made of the page when it is asked for, by tags where some are named', async () => {
    const get = await serve()
    const reply = await get()
    expect([reply.status, reply.text]).toEqual([200, '<rss>/new: Updates 7 </rss>'])
    expect(reply.headers).toMatchObject({
      'content-type': 'application/rss+xml; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    expect((await get('/new/rss.xml?tags=cli,%20api,,cli')).text).toBe('<rss>/new: Updates 7 api,cli</rss>')
    expect((await get('/new/rss.xml?tags=a%20b')).text).toBe('<rss>/new: Updates 7 a b</rss>')
    expect((await get('/new/rss.xml?tags=a,b')).text).toBe('<rss>/new: Updates 7 a,b</rss>')
    expect((await get(`/new/rss.xml?tags=${'a,'.repeat(2_000)}`)).text).toBe('<rss>/new: Updates 7 a</rss>')
  })

  it('is not sent again to whoever has it', async () => {
    const get = await serve()
    const { etag = '' } = (await get()).headers
    expect((await get('/new/rss.xml', { 'if-none-match': etag })).status).toBe(304)
    expect((await get('/new/rss.xml?tags=a', { 'if-none-match': etag })).status).toBe(200)
  })

  it('is not for search engines on a preview', async () => {
    expect((await (await serve(true))()).headers['x-robots-tag']).toBe('noindex')
  })
})
