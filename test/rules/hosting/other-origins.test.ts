import { describe, expect, it } from 'vitest'
import { serveSite } from '#test/support/hosting/support.ts'
import { sampleSite } from '#test/support/hosting/support-release.ts'

const origin = { origin: 'https://elsewhere.example' }
const site = {
  ...sampleSite,
  files: { ...sampleSite.files, '/llms.txt': { content: '# Docs\n', type: 'text/plain; charset=utf-8' } },
  redirects: [{ from: '/old.md', to: '/guide/start.md', status: 308 as const }],
}
const header = 'access-control-allow-origin'

describe('scripts of other origins', () => {
  it('read Markdown and what tells of the whole site: the answer, why there is none, where it went, and that it has not changed', async () => {
    const served = await serveSite(site)
    const { etag = '' } = (await served.get('/guide/start.md')).headers
    for (const [path, status, headers, method] of [
      ['/guide/start.md', 200],
      ['/guide/start.md?v=2', 200],
      ['/guide/start.md', 200, {}, 'HEAD'],
      ['/guide/start.md', 304, { 'if-none-match': etag }],
      ['/guide/start', 200, { accept: 'text/markdown' }],
      ['/llms.txt', 200],
      ['/none.md', 404],
      ['/llms-full.txt', 404],
      ['/v1/llms-full.txt', 404],
      ['/sitemap.xml', 200],
      ['/robots.txt', 404],
      ['/old.md', 308],
      ['/guide/start/index.md', 308],
      ['/guide/start.md', 405, {}, 'POST'],
    ] as const) {
      const reply = await served.get(path, { ...origin, ...headers }, method)
      expect([path, reply.status, reply.headers[header]]).toEqual([path, status, '*'])
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined()
      expect(reply.headers['access-control-expose-headers']).toContain('etag')
    }
  })

  it('ask before whether they may ask for what has changed', async () => {
    const served = await serveSite(site)
    const reply = await served.get(
      '/guide/start.md',
      { ...origin, 'access-control-request-headers': 'if-none-match' },
      'OPTIONS',
    )
    expect([reply.status, reply.headers[header], reply.headers['access-control-allow-methods']]).toEqual([
      204,
      '*',
      'GET, HEAD',
    ])
    expect(reply.headers['access-control-allow-headers']).toContain('if-none-match')
  })

  it('read no page, no other file and no refusal of one', async () => {
    const served = await serveSite(site)
    const paths = [
      '/',
      '/guide/start',
      '/guide/start?a=.md',
      '/none',
      '/none.png',
      '/guide/start.mdx',
      '/guide/start/',
      ...Object.keys(sampleSite.files ?? {}).filter((path) => path !== '/sitemap.xml'),
      '/maps/sitemap.xml',
    ]
    for (const path of paths) {
      expect([path, (await served.get(path, origin)).headers[header]]).toEqual([path, undefined])
      expect([path, (await served.get(path, origin, 'OPTIONS')).status]).toEqual([path, 405])
    }
  })

  it('read nothing of a preview', async () => {
    const served = await serveSite(site, { preview: true })
    for (const path of ['/guide/start.md', '/llms.txt', '/none.md', '/old.md'])
      expect([path, (await served.get(path, origin)).headers[header]]).toEqual([path, undefined])
    expect((await served.get('/guide/start', { ...origin, accept: 'text/markdown' })).headers[header]).toBeUndefined()
    expect((await served.get('/guide/start.md', origin, 'OPTIONS')).status).toBe(405)
  })
})
