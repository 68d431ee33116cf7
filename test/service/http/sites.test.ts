import { describe, expect, it } from 'vitest'
import { startService, statusOf } from '#test/support/http/support-sites.ts'

describe('requests by host', () => {
  it.each([false, true])('get the site of their label alone (label found later: %s)', async (late) => {
    const { ask } = await startService(late)
    expect(await ask('GET / HTTP/1.1\nHost: tenant-a.preview.example')).toContain('Home of tenant-a')
    expect(await ask('GET / HTTP/1.1\nHost: TENANT-A.preview.example.')).toContain('Home of tenant-a')
    const forwarded = await ask(
      'GET / HTTP/1.1\nHost: tenant-a.preview.example\nX-Forwarded-Host: tenant-b.preview.example',
    )
    expect(forwarded).toContain('Home of tenant-a')
    expect(forwarded).not.toContain('tenant-b')
    expect(await ask('GET http://tenant-a.preview.example/ HTTP/1.1\nHost: tenant-a.preview.example')).toContain(
      'Home of tenant-a',
    )
    expect(statusOf(await ask('GET / HTTP/1.1\nHost: tenant-c.preview.example'))).toBe(404)
  })

  it.each([
    ['GET / HTTP/1.1\nHost: evil.example', 421],
    ['GET http://tenant-b.preview.example/ HTTP/1.1\nHost: tenant-a.preview.example', 400],
    ['GET / HTTP/1.1\nHost: tenant-a.preview.example:80@evil.example', 400],
    ['GET / HTTP/1.1\nHost: a.b.preview.example', 404],
    ['GET / HTTP/1.1\nHost: tenant-a.preview.example\nHost: tenant-b.preview.example', 400],
    ['GET / HTTP/1.1\nX-No: host', 400],
    ['GET /_assets/tenant-b/x.svg HTTP/1.1\nHost: tenant-a.preview.example', 404],
    ['GET /_assets/x.svg HTTP/1.1\nHost: tenant-a.preview.example', 404],
    ['GET /_assets/x.png%2F..%2F..%2Ftenant-b%2Fx.svg HTTP/1.1\nHost: tenant-a.preview.example', 400],
    ['GET //evil.example HTTP/1.1\nHost: tenant-a.preview.example', 400],
    ['GET http://tenant-a.preview.example//evil.example HTTP/1.1\nHost: tenant-a.preview.example', 400],
  ])('%s are refused', async (head, status) => {
    const reply = await (await startService()).ask(head)
    expect(statusOf(reply)).toBe(status)
    expect(reply).not.toMatch(/Home of|<svg>|^location:|^set-cookie:/im)
  })

  it('are the service’s on its own host, and never a site', async () => {
    const { ask, port } = await startService()
    expect(await ask('GET /api HTTP/1.1\nHost: dashboard.example')).toContain('the service at /api')
    expect(await ask('GET https://dashboard.example/api HTTP/1.1\nHost: dashboard.example')).toContain(
      'the service at /api',
    )
    expect(await ask(`GET /x HTTP/1.1\nHost: 127.0.0.1:${port}`)).toContain('the service at /x')
  })

  it.each([false, true])('get the site of the project whose domain it is (found later: %s)', async (late) => {
    const { ask } = await startService(late)
    expect(await ask('GET / HTTP/1.1\nHost: docs.tenant-a.example')).toContain('Home of tenant-a')
    expect(await ask('GET / HTTP/1.1\nHost: DOCS.tenant-a.example.:443')).toContain('Home of tenant-a')
    expect(statusOf(await ask('GET / HTTP/1.1\nHost: docs.tenant-a.example:8080'))).toBe(421)
    expect(statusOf(await ask('GET / HTTP/1.1\nHost: x.docs.tenant-a.example'))).toBe(421)
    expect(statusOf(await ask('GET /healthz HTTP/1.1\nHost: docs.tenant-a.example'))).toBe(404)
    expect(statusOf(await ask('GET http://tenant-b.preview.example/ HTTP/1.1\nHost: docs.tenant-a.example'))).toBe(400)
    const forwarded = await ask('GET / HTTP/1.1\nHost: evil.example\nX-Forwarded-Host: docs.tenant-a.example')
    expect(statusOf(forwarded)).toBe(421)
  })

  it('are the service’s for the health of it, on hosts that are nobody’s', async () => {
    const { ask } = await startService()
    expect(await ask('GET /healthz?x HTTP/1.1\nHost: 10.1.2.3')).toContain('the service at /healthz')
    expect(statusOf(await ask('GET /healthz HTTP/1.1\nHost: tenant-a.preview.example'))).toBe(404)
  })

  it.each([false, true])(
    'get a 500 when the label cannot be looked up, and the log has why (later: %s)',
    async (late) => {
      const { ask, errors } = await startService(late)
      const reply = await ask('GET / HTTP/1.1\nHost: broken.preview.example')
      expect(statusOf(reply)).toBe(500)
      expect(reply).not.toContain('broken')
      expect(String(errors[0])).toContain('the store is broken')
    },
  )
})

describe('what stands in the place of a site', () => {
  it('is a page for browsers, which loads and runs nothing, and a line for programs', async () => {
    const { ask } = await startService()
    const head = 'GET / HTTP/1.1\nHost: tenant-c.preview.example'
    const page = await ask(`${head}\nAccept: text/html,*/*`)
    expect(page).toMatch(/^content-type: text\/html/im)
    expect(page).toMatch(/^content-security-policy: default-src 'none'; style-src 'sha256-/im)
    expect(page).toMatch(/^cache-control: no-store/im)
    expect(page).toContain('<h1>There is no site here</h1>')
    const line = await ask(`${head}\nAccept: application/json`)
    expect(line).toMatch(/^content-type: text\/plain/im)
    expect(line).toContain('There is no site here. The address may have a typo')
    expect(line).not.toContain('<')
  })

  it('keeps the connection of whoever may hide another request no longer', async () => {
    const { ask } = await startService()
    const reply = await ask('GET / HTTP/1.1\nHost: a\nHost: b\nAccept: text/html')
    expect(statusOf(reply)).toBe(400)
    expect(reply).toMatch(/^connection: close/im)
  })
})
