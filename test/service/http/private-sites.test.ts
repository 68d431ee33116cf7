import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { openDesk } from '#test/support/branching/support.ts'
import { describeInDepth, inDepth, isDeep } from '#test/support/depth.ts'
import { FakeDns } from '#test/support/domains/support.ts'
import { join as joinProject } from '#test/support/members.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { files, form, openPrivate, pathOf, send, type AskedProject, type Asking } from './support-private.ts'

let service: TestService
let site: AskedProject
let ahead = 0
const dns = new FakeDns()
const generous = { RATE_ENTER: '10000', RATE_FAILURES: '10000', RATE_DOMAINS: '10000', TRUST_PROXY: '127.0.0.1' }

beforeAll(async () => {
  service = await startTestService(generous, {
    lookupTxt: dns.lookup,
    now: () => new Date(Date.now() + ahead),
  })
  site = await openPrivate(service)
})
afterAll(() => service.close())

const closed = /Secret plans|Nobody knows|Next secret|not really a picture/
const withCookie = (cookie: string) => ({ headers: { cookie } })

async function addDomain({ owner, params }: AskedProject, domain: string): Promise<void> {
  dns.enter(await owner.call(contract.domains.create, { params, body: { domain } }))
  await owner.call(contract.domains.verify, { params: { ...params, domain } })
}

async function signUp(email: string): Promise<{ token: string; client: ReturnType<typeof createClient> }> {
  const body = { email, password: 'correct horse battery' }
  const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, { body })
  return { token, client: createClient({ baseUrl: service.url, token }) }
}

describe('a private site', () => {
  it('shows nothing to strangers, on all of its hosts and paths, however they ask', async () => {
    await addDomain(site, 'private.example.com')
    const branch = await site.desk.branch('next')
    await site.desk.save(branch, 'index.mdx', '# Secret plans of the branch')
    const preview = new URL((await site.desk.previewed(branch)).previewUrl).hostname
    const page = await site.ask('/', { headers: { authorization: `Bearer ${site.desk.key}` } })
    expect(page.text).toMatch(closed)
    const paths = ['/', '/next', '/next.md', '/old', '/nothing', '/llms.txt', '/llms-full.txt', '/sitemap.xml']
    const others = [
      '/robots.txt',
      '/images/map.svg',
      '/_quire/live',
      '/_quire/preview-events',
      '/_quire/ask',
      '/search.json?q=secret',
      '/mcp',
    ]
    const askings: readonly Asking[] = [
      {},
      { method: 'HEAD' },
      { method: 'OPTIONS' },
      { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"question":"what?"}' },
      { headers: { 'if-none-match': String(page.headers['etag']) } },
      { headers: { 'if-none-match': '*', range: 'bytes=0-3', accept: 'text/html' } },
      { headers: { 'sec-fetch-dest': 'iframe', accept: 'text/markdown' } },
    ]
    for (const host of [site.host, 'private.example.com', preview])
      for (const path of [...paths, ...others, '//evil.example', '/%'])
        for (const asking of isDeep || host === site.host ? askings : askings.slice(0, 1)) {
          const reply = await site.ask(path, { host, ...asking })
          expect(`${host}${path} ${reply.status}`).toBe(`${host}${path} 401`)
          expect(reply.text).not.toMatch(closed)
          expect(reply.headers).toMatchObject({
            'cache-control': expect.stringMatching(/^private, no-store$/),
            'x-robots-tag': 'noindex',
            vary: expect.stringContaining('Cookie'),
          })
          expect(reply.headers['access-control-allow-origin']).toBeUndefined()
          expect(reply.headers['set-cookie']).toBeUndefined()
        }
  })

  it('tells nobody which branches it has, nor what it is called since a rename', async () => {
    const one = await openPrivate(service)
    await one.desk.previewed(await one.desk.branch('merger'))
    const asked = async (slug: string, branch: string, path = '/') => {
      const host = `${slug}--${branch}.localhost`
      const { status, text, headers } = await one.ask(path, { host, headers: { accept: 'text/html' } })
      return JSON.stringify([status, text, headers['location'] ?? '']).replaceAll(branch, '…')
    }
    const { slug } = one.desk
    expect(await asked(slug, 'merger')).toContain('This site is private')
    expect(await asked(slug, 'nothing')).toBe(await asked(slug, 'merger'))
    const page = await one.ask('/', { headers: { authorization: `Bearer ${one.desk.key}` } })
    const [style = ''] = /\/[^"]+\.css/.exec(page.text) ?? []
    expect(await asked(slug, 'merger', style)).toMatch(/^\[200/)
    expect(await asked(slug, 'nothing', style)).toBe(await asked(slug, 'merger', style))
    const cookie = await one.enter((await one.shareLink()).path, { host: `${slug}--nothing.localhost` })
    expect((await one.ask('/', { host: `${slug}--nothing.localhost`, headers: { cookie } })).status).toBe(404)

    const renamed = `${slug}-new`
    await one.owner.call(contract.projects.update, { params: one.params, body: { slug: renamed } })
    expect(await asked(slug, 'nothing')).toBe(await asked(slug, 'merger'))
    for (const path of [`/api/projects/${slug}/changelog/rss`, `/dashboard/${slug}/changelog`]) {
      const stranger = await send(service.port, 'localhost', path)
      expect(`${path} ${stranger.status} ${String(stranger.headers['location'])}`).toBe(`${path} 404 undefined`)
    }
    const told = async (path: string) => {
      const { status, text, headers } = await send(service.port, 'localhost', path)
      const { date: _date, 'x-request-id': _id, ratelimit: _left, ...rest } = headers
      return JSON.stringify([status, text, rest]).replace(/[0-9a-f-]{36}/g, '')
    }
    for (const slugOf of [
      (name: string) => `/dashboard/${name}/changelog`,
      (name: string) => `/dashboard/${name}/changelog/chg_x`,
      (name: string) => `/api/projects/${name}/changelog`,
      (name: string) => `/api/projects/${name}/changelog/rss`,
      (name: string) => `/api/projects/${name}/visibility`,
      (name: string) => `/git/${name}.git/info/refs?service=git-upload-pack`,
      (name: string) => `/site-access?to=${name}`,
    ]) {
      const nobodys = 'x'.repeat(renamed.length)
      expect((await told(slugOf(renamed))).replaceAll(renamed, '…')).toBe(
        (await told(slugOf(nobodys))).replaceAll(nobodys, '…'),
      )
    }
    const member = { headers: { cookie: `quire_session=${one.desk.session}` } }
    expect(await send(service.port, 'localhost', `/dashboard/${slug}/changelog`, member)).toMatchObject({
      status: 301,
      headers: { location: `/dashboard/${renamed}/changelog` },
    })
  })

  inDepth('stays so where its document is damaged after it was made private', async () => {
    const one = await openPrivate(service)
    expect((await one.ask('/')).status).toBe(401)
    await service.restart(async () => {
      const file = join(service.directory, `${one.desk.slug}.json`)
      const { schema } = JSON.parse(await readFile(file, 'utf8')) as { schema: number }
      // A service of before, which knows no private projects, refuses the directory.
      expect(schema).toBe(3)
      await writeFile(file, '{')
    })
    expect((await one.ask('/')).status).toBe(401)
  })

  it('is the reader’s alone where it is shown: no shared cache keeps it, and pages of other origins do not read it', async () => {
    const { path } = await site.shareLink()
    const cookie = await site.enter(path)
    const first = await site.ask('/', withCookie(cookie))
    const [card = ''] = /\/_quire\/og\/[^"]*\.png/.exec(first.text) ?? []
    expect((await site.ask(card)).status).toBe(401)
    expect(await site.ask(card, withCookie(cookie))).toMatchObject({ status: 200 })
    const texts = ['/llms.txt', '/llms-full.txt', '/robots.txt']
    for (const wanted of ['/', '/next.md', '/images/map.svg', card, ...texts, '/nothing', '/old']) {
      const reply = await site.ask(wanted, withCookie(cookie))
      expect(reply.headers['cache-control']).toMatch(/^private, no-(cache|store)$/)
      expect(reply.headers['vary']).toContain('Cookie')
      expect(reply.headers['x-robots-tag']).toBe('noindex')
      expect(reply.headers['access-control-allow-origin']).toBeUndefined()
    }
    const page = await site.ask('/', withCookie(cookie))
    expect(page).toMatchObject({ status: 200, text: expect.stringMatching(closed) })
    const again = await site.ask('/', { headers: { cookie, 'if-none-match': String(page.headers['etag']) } })
    expect(again.status).toBe(304)
    expect(again.headers['cache-control']).toBe('private, no-cache')
  })

  it('tells people of the ways in, and programs in words', async () => {
    const page = await site.ask('/next?tab=1', { headers: { accept: 'text/html' } })
    expect(page.status).toBe(401)
    expect(page.text).toContain('This site is private')
    expect(page.text).not.toContain('<form')
    const to = encodeURIComponent(`http://${site.host}:${service.port}/next?tab=1`)
    expect(page.text).toContain(`/site-access?to=${to}`)
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; style-src 'sha256-/)
    expect(page.headers['www-authenticate']).toContain('Bearer')
    expect((await site.ask('/')).text).toContain('Authorization: Bearer')
  })

  it('takes keys that may read its project, and no others', async () => {
    const other = await openDesk(service)
    const asked = (token: string) => site.ask('/next.md', { headers: { authorization: `Bearer ${token}` } })
    expect((await asked(site.desk.key)).status).toBe(200)
    const { key } = await site.owner.call(contract.keys.create, {
      params: site.params,
      body: { name: 'deploys', scopes: ['deploy'] },
    })
    for (const token of [key, other.key, site.desk.session, `${site.desk.key}x`, 'x'.repeat(9000)])
      expect((await asked(token)).status).toBe(401)
  })
})

describe('a share link', () => {
  it('lets in whoever has it, to the page that they wanted, and leaves its token nowhere', async () => {
    const { path } = await site.shareLink()
    const reply = await site.ask(`${path}&path=${encodeURIComponent('/next?tab=1#there')}`)
    expect(reply.status).toBe(303)
    expect(reply.headers['location']).toBe(`http://${site.host}:${service.port}/next?tab=1#there`)
    expect(reply.headers['referrer-policy']).toBe('no-referrer')
    expect(String(reply.headers['set-cookie'])).toMatch(
      /^quire_site=link\.shr_[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
    )
    expect(String(reply.headers['set-cookie'])).not.toContain(path.split('=')[1])
  })

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/',
    '\t//evil.example',
    '/..//evil.example',
    'javascript:alert(1)',
    '',
    'x'.repeat(9000),
  ])('leads nowhere else: %j', async (path) => {
    const { path: link } = await site.shareLink()
    const reply = await site.ask(`${link}&path=${encodeURIComponent(path)}`)
    expect(new URL(String(reply.headers['location'])).host).toBe(`${site.host}:${service.port}`)
    expect(new URL(String(reply.headers['location'])).pathname).not.toMatch(/^\/\//)
  })

  it('ends at once when it is revoked, and at its time', async () => {
    const revoked = await site.shareLink()
    const hourLong = await site.shareLink('An hour', new Date(Date.now() + ahead + 3_600_000).toISOString())
    const [one, two] = [await site.enter(revoked.path), await site.enter(hourLong.path)]
    expect((await site.ask('/', withCookie(one))).status).toBe(200)
    await site.owner.call(contract.visibility.revokeLink, { params: site.params, query: { id: revoked.id } })
    expect((await site.ask('/', withCookie(one))).status).toBe(401)
    expect((await site.ask(revoked.path)).status).toBe(401)
    expect((await site.ask('/', withCookie(two))).status).toBe(200)
    ahead += 3_600_001
    expect((await site.ask('/', withCookie(two))).status).toBe(401)
    expect((await site.ask(hourLong.path)).text).toContain('has expired')
  })

  inDepth('opens its site where that is public again, and no other', async () => {
    const one = await openPrivate(service)
    const { path } = await one.shareLink()
    expect((await site.ask(path)).status).toBe(401)
    expect((await one.ask(path, { host: 'localhost' })).status).toBe(404)
    await one.owner.call(contract.visibility.set, { params: one.params, body: { visibility: 'public' } })
    const reply = await one.ask(path)
    expect(reply).toMatchObject({ status: 303, headers: { location: `http://${one.host}:${service.port}/` } })
    expect(reply.headers['set-cookie']).toBeUndefined()
  })

  it('leads from a domain beside the primary one, and lets in there', async () => {
    const one = await openPrivate(service)
    const { path } = await one.shareLink()
    await addDomain(one, 'main.example.com')
    await one.owner.call(contract.domains.setPrimary, { params: one.params, body: { domain: 'main.example.com' } })
    const led = await one.ask(path)
    expect(led).toMatchObject({ status: 308, headers: { location: `http://main.example.com:${service.port}${path}` } })
    const cookie = await one.enter(path, { host: 'main.example.com' })
    expect((await one.ask('/', { host: 'main.example.com', ...withCookie(cookie) })).status).toBe(200)
    const member = await one.signIn(one.desk.session, `http://${one.host}:${service.port}/`)
    expect((await one.ask('/', { host: 'main.example.com', ...withCookie(member) })).status).toBe(200)
  })
})

describe('the password of a private site', () => {
  let one: AskedProject
  beforeAll(async () => {
    one = await openPrivate(service)
  })

  const password = 'open sesame please'
  const set = (text: string) =>
    one.owner.call(contract.visibility.setPassword, { params: one.params, body: { password: text } })

  it('lets in who knows it, until there is another one or none', async () => {
    await set(password)
    expect((await one.ask('/next', { headers: { accept: 'text/html' } })).text).toContain('<form method="post"')
    const reply = await one.ask('/_quire/enter', form({ password, path: '/next' }))
    expect(reply).toMatchObject({ status: 303, headers: { location: `http://${one.host}:${service.port}/next` } })
    const cookie = await one.enter('/_quire/enter', form({ password }))
    expect((await one.ask('/next', withCookie(cookie))).text).toMatch(closed)
    await set('another password')
    expect((await one.ask('/next', withCookie(cookie))).status).toBe(401)
    const second = await one.enter('/_quire/enter', form({ password: 'another password' }))
    await one.owner.call(contract.visibility.removePassword, { params: one.params })
    expect((await one.ask('/next', withCookie(second))).status).toBe(401)
    expect((await one.ask('/_quire/enter', form({ password: 'another password' }))).status).toBe(401)
  })

  it('is asked for again when it is wrong, and not for ever', async () => {
    await set(password)
    const wrong = await one.ask('/_quire/enter', form({ password: 'wrong', path: '"><script>' }))
    expect(wrong.status).toBe(401)
    expect(wrong.text).toContain('That is not the password')
    expect(wrong.text).not.toContain('<script')
    for (let count = 1; count < 10; count += 1) await one.ask('/_quire/enter', form({ password: `wrong ${count}` }))
    const late = await one.ask('/_quire/enter', form({ password }))
    expect(late.status).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    expect(late.headers['set-cookie']).toBeUndefined()
    ahead += 11 * 60_000
    expect((await one.ask('/_quire/enter', form({ password }))).status).toBe(303)
  })

  it('is not found out by many guesses at once', async () => {
    await set(password)
    const guesses = Array.from({ length: 30 }, (_, count) =>
      one.ask('/_quire/enter', form({ password: `wrong ${count}` })),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
    ahead += 11 * 60_000
  })

  inDepth('lets readers in while others guess from very many networks', async () => {
    await set(password)
    const guess = (address: string, text: string) => {
      const sent = form({ password: text })
      return one.ask('/_quire/enter', { ...sent, headers: { ...sent.headers, 'x-forwarded-for': address } })
    }
    for (let network = 1; network <= 20; network += 1)
      for (let count = 0; count < 10; count += 1) await guess(`203.0.${network}.9`, 'wrong')
    expect((await guess('203.0.1.10', 'wrong')).status).toBe(429)
    expect((await guess('198.51.100.1', 'a slip')).status).toBe(401)
    expect((await guess('198.51.100.1', password)).status).toBe(303)
    expect((await guess('203.0.113.1', 'wrong')).status).toBe(401)
    expect((await guess('203.0.113.2', 'wrong')).status).toBe(401)
    expect((await guess('203.0.113.3', password)).status).toBe(429)
    ahead += 11 * 60_000
    expect((await guess('203.0.113.3', password)).status).toBe(303)
  })

  it('is taken from the site’s own page alone', async () => {
    await set(password)
    const sent = form({ password })
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: `http://other.localhost:${service.port}` },
    ] as Record<string, string>[])
      expect((await one.ask('/_quire/enter', { ...sent, headers: { ...sent.headers, ...headers } })).status).toBe(403)
    const own = { origin: `http://${one.host}:${service.port}`, 'sec-fetch-site': 'same-origin' }
    expect((await one.ask('/_quire/enter', { ...sent, headers: { ...sent.headers, ...own } })).status).toBe(303)
    expect((await one.ask('/_quire/enter', { ...sent, body: `password=${'x'.repeat(100_000)}` })).status).toBe(413)
    expect(
      (await one.ask('/_quire/enter', { ...sent, body: 'password[]=x&password=y&path[]=//evil.example' })).status,
    ).toBe(401)
  })
})

describe('a member', () => {
  let one: AskedProject
  beforeAll(async () => {
    one = await openPrivate(service)
  })

  const memberOf = async (name: string) => {
    const email = `${name}-${one.desk.slug}@example.com`
    const person = await signUp(email)
    return { ...person, member: await joinProject(one.owner, one.desk.slug, { client: person.client, email }) }
  }
  const urlOf = (path = '/'): string => `http://${one.host}:${service.port}${path}`

  it('is let in by the service, and out at once when they are one no more', async () => {
    const { token, member } = await memberOf('writer')
    const cookie = await one.signIn(token, urlOf('/next'))
    expect((await one.ask('/next', withCookie(cookie))).text).toMatch(closed)
    await one.owner.call(contract.members.remove, { params: one.params, query: { id: member.id } })
    expect((await one.ask('/next', withCookie(cookie))).status).toBe(401)
  })

  it('is out when the session ends, and when the account does', async () => {
    const [left, gone] = [await memberOf('left'), await memberOf('gone')]
    const [first, second] = [await one.signIn(left.token, urlOf()), await one.signIn(gone.token, urlOf())]
    expect((await one.ask('/', withCookie(first))).status).toBe(200)
    await left.client.call(contract.accounts.logout, {})
    expect((await one.ask('/', withCookie(first))).status).toBe(401)
    expect((await one.ask('/', withCookie(second))).status).toBe(200)
    await gone.client.call(contract.accounts.remove, { body: { password: 'correct horse battery' } })
    expect((await one.ask('/', withCookie(second))).status).toBe(401)
  })

  it('is known by a code that is good once, for a minute, on one host', async () => {
    const mint = async (): Promise<string> => {
      const led = await send(service.port, 'localhost', `/site-access?to=${encodeURIComponent(urlOf())}`, {
        headers: { cookie: `quire_session=${one.desk.session}` },
      })
      expect(led).toMatchObject({
        status: 303,
        headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
      })
      return pathOf(String(led.headers['location']))
    }
    const used = await mint()
    expect((await one.ask(used)).status).toBe(303)
    expect((await one.ask(used)).status).toBe(401)
    const foreign = await mint()
    expect((await site.ask(foreign)).status).toBe(401)
    expect((await one.ask(foreign)).status).toBe(401)
    const late = await mint()
    ahead += 61_000
    expect((await one.ask(late)).text).toContain('took too long')
  })

  it('of no project is told nothing, and whoever is not signed in signs in first', async () => {
    const stranger = await signUp(`stranger-${one.desk.slug}@example.com`)
    const asked = (to: string, cookie = `quire_session=${stranger.token}`) =>
      send(service.port, 'localhost', `/site-access?to=${encodeURIComponent(to)}`, { headers: { cookie } })
    const refused = await asked(urlOf())
    expect(refused.status).toBe(404)
    for (const to of [
      'https://evil.example/',
      'http://nobody.localhost/',
      urlOf().replace('http', 'ftp'),
      'x',
      `http://localhost:${service.port}/`,
    ])
      expect(await asked(to)).toMatchObject({ status: 404, text: refused.text })
    expect((await send(service.port, 'localhost', '/site-access')).headers['location']).toBe(
      '/dashboard/auth/visit?to=',
    )
    const anonymous = await asked(urlOf('/next'), '')
    expect(anonymous).toMatchObject({
      status: 303,
      headers: { location: `/dashboard/auth/visit?to=${encodeURIComponent(urlOf('/next'))}` },
    })
    const set = (visibility: 'public' | 'private') =>
      one.owner.call(contract.visibility.set, { params: one.params, body: { visibility } })
    onTestFinished(async () => void (await set('private')))
    await set('public')
    expect((await asked(urlOf())).status).toBe(404)
    expect((await asked(urlOf(), `quire_session=${one.desk.session}`)).headers['location']).toBe(urlOf())
  })

  it('sees the site and its previews in frames, whose cookie is of their own', async () => {
    const branch = await one.desk.branch('framed')
    const preview = await one.desk.previewed(branch)
    const framed = { 'sec-fetch-dest': 'iframe' }
    const led = await send(service.port, 'localhost', `/site-access?to=${encodeURIComponent(preview.liveUrl)}`, {
      headers: { cookie: `quire_session=${one.desk.session}`, ...framed },
    })
    const to = new URL(String(led.headers['location']))
    expect(to.origin).toBe(new URL(preview.liveUrl).origin)
    const entered = await one.ask(to.pathname + to.search, { host: to.hostname, headers: framed })
    expect(String(entered.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=None; Secure; Partitioned$/)
    expect(entered.headers['location']).toBe(preview.liveUrl)
  })
})

describe('a grant', () => {
  it('cannot be made by anybody else, nor carried elsewhere, nor kept over the end of its site’s privacy', async () => {
    const one = await openPrivate(service)
    const cookie = await one.enter((await one.shareLink()).path)
    const foreign = await site.enter((await site.shareLink()).path)
    expect((await one.ask('/', withCookie(cookie))).status).toBe(200)
    const [name = '', value = ''] = cookie.split('=', 2)
    const [kind, subject, expires, mac = ''] = value.split('.')
    const forged = [
      foreign,
      `${name}=`,
      `${name}=${value.slice(0, -1)}`,
      `${name}=${value}x`,
      `${name}=${kind}.${subject}.${expires}`,
      `${name}=${kind}.${subject}.${Number(expires) + 1}.${mac}`,
      `${name}=password.${subject}.${expires}.${mac}`,
      `${name}=member.acc_x:ses_y.${expires}.${mac}`,
      `${name}=${kind}.${subject}.${expires}.${'A'.repeat(43)}`,
      `${name}=${kind}.__proto__.${expires}.${mac}`,
      `${name}=${'x'.repeat(10_000)}`,
      `x${cookie}`,
      // One that is good, behind more than are looked at.
      [...Array.from({ length: 20 }, (_, at) => `${name}=${at}`), cookie].join('; '),
    ]
    for (const text of forged) expect((await one.ask('/', withCookie(text))).status).toBe(401)
    const domain = 'carried.example.com'
    await addDomain(one, domain)
    const there = await one.enter((await one.shareLink()).path, { host: domain })
    expect((await one.ask('/', { host: domain, ...withCookie(there) })).status).toBe(200)
    expect((await one.ask('/', withCookie(there))).status).toBe(401)
    expect((await one.ask('/', { host: domain, ...withCookie(cookie) })).status).toBe(401)
    expect((await one.ask('/', withCookie(`a=b; ${foreign}; ${cookie}`))).status).toBe(200)

    const set = (visibility: 'public' | 'private') =>
      one.owner.call(contract.visibility.set, { params: one.params, body: { visibility } })
    expect((await set('private')).links).toHaveLength(2)
    expect((await one.ask('/', withCookie(cookie))).status).toBe(200)
    await set('public')
    const open = await one.ask('/')
    expect(open).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=0, must-revalidate' } })
    expect(open.headers['vary']).not.toContain('Cookie')
    expect((await set('private')).links).toEqual([])
    expect((await one.ask('/', withCookie(cookie))).status).toBe(401)
  })

  it('outlives a restart and a rename, and ends after thirty days', async () => {
    const one = await openPrivate(service)
    const { path } = await one.shareLink()
    const cookie = await one.enter(path)
    await service.restart()
    expect((await one.ask('/')).status).toBe(401)
    expect((await one.ask('/', withCookie(cookie))).status).toBe(200)
    const slug = `${one.desk.slug}-new`
    await one.owner.call(contract.projects.update, { params: one.params, body: { slug } })
    const moved = await one.ask(path)
    expect(moved).toMatchObject({
      status: 308,
      headers: { location: `http://${slug}.localhost:${service.port}${path}` },
    })
    const host = `${slug}.localhost`
    expect((await one.ask('/', { host })).status).toBe(401)
    const anew = await one.enter(path, { host })
    expect((await one.ask('/', { host, ...withCookie(anew) })).status).toBe(200)
    ahead += 30 * 24 * 3_600_000 + 1000
    expect((await one.ask('/', { host, ...withCookie(anew) })).status).toBe(401)
  })
})

describe('what goes on while it ends', () => {
  let one: AskedProject
  beforeAll(async () => {
    one = await openPrivate(service)
  })

  it('tells an open page of a preview nothing more', async () => {
    const branch = await one.desk.branch('watched')
    const { previewUrl } = await one.desk.previewed(branch)
    const host = new URL(previewUrl).hostname
    const link = await one.shareLink()
    const cookie = await one.enter(link.path, { host })
    const events = await openEvents(host, cookie)
    await expect.poll(() => events.text()).toContain('event: release')
    await one.owner.call(contract.visibility.revokeLink, { params: one.params, query: { id: link.id } })
    const before = events.text()
    await one.desk.save(branch, 'index.mdx', '# Changed')
    await events.ended
    expect(events.text().replaceAll(': still here\n\n', '')).toBe(before)
  })

  it('tells an open page of a site that becomes private nothing more', async () => {
    await one.owner.call(contract.visibility.set, { params: one.params, body: { visibility: 'public' } })
    const branch = await one.desk.branch('open')
    const { previewUrl } = await one.desk.previewed(branch)
    const events = await openEvents(new URL(previewUrl).hostname, '')
    await expect.poll(() => events.text()).toContain('event: release')
    await one.owner.call(contract.visibility.set, { params: one.params, body: { visibility: 'private' } })
    const before = events.text()
    await one.desk.save(branch, 'index.mdx', '# Changed')
    await events.ended
    expect(events.text().replaceAll(': still here\n\n', '')).toBe(before)
  })

  async function openEvents(host: string, cookie: string) {
    const sent = request({
      host: '127.0.0.1',
      port: service.port,
      path: '/_quire/preview-events',
      agent: false,
      headers: { host: `${host}:${service.port}`, cookie },
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(200)
    expect(response.headers['cache-control']).toContain('no-store')
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    return { text: () => text, ended: once(response, 'end') }
  }
})

describe('the changelog of a private project', () => {
  it('is for members and keys that read it, page, lists and feeds', async () => {
    const one = await openPrivate(service)
    const { slug } = one.desk
    await one.owner.call(contract.changelog.create, {
      params: one.params,
      body: { title: 'Released', content: 'Nobody knows.', is_draft: false },
    })
    const cookie = await one.enter((await one.shareLink()).path)
    for (const path of ['/changelog', '/changelog/rss.xml', '/changelog/feed.json']) {
      expect((await one.ask(path)).status).toBe(401)
      const shown = await one.ask(path, withCookie(cookie))
      expect(`${path} ${shown.status}`).toBe(`${path} 200`)
      expect(shown.text).toContain('Nobody knows.')
      expect(shown.headers['cache-control']).toBe('private, no-cache')
      expect(shown.headers['access-control-allow-origin']).toBeUndefined()
    }
    const { id, path: entry } = await one.shareLink('Feed reader')
    const query = entry.slice(entry.indexOf('?'))
    for (const path of ['/changelog/rss.xml', '/changelog/atom.xml', '/changelog/feed.json']) {
      const read = await one.ask(path + query)
      expect(`${path} ${read.status} ${String(read.headers['cache-control'])}`).toBe(`${path} 200 private, no-cache`)
      expect(read.text).toContain('Nobody knows.')
      expect(read.text).not.toContain(query.slice('?share='.length))
    }
    for (const path of ['/', '/changelog', '/next.md', '/search.json', '/changelog/nothing'])
      expect(`${path} ${(await one.ask(path + query)).status}`).toBe(`${path} 401`)
    await one.owner.call(contract.visibility.revokeLink, { params: one.params, query: { id } })
    expect((await one.ask(`/changelog/rss.xml${query}`)).status).toBe(401)
    const stranger = await signUp(`reader-${slug}@example.com`)
    for (const path of ['changelog', 'changelog/rss', 'changelog/atom', 'changelog/feed.json']) {
      const url = `${service.url}/api/projects/${slug}/${path}`
      const nobody = await fetch(url)
      expect(`${path} ${nobody.status}`).toBe(`${path} 404`)
      expect((await fetch(url, { headers: { authorization: `Bearer ${stranger.token}` } })).status).toBe(404)
      const member = await fetch(url, { headers: { authorization: `Bearer ${one.desk.key}` } })
      expect(member.status).toBe(200)
      expect(await member.text()).toContain('Nobody knows.')
      expect(member.headers.get('cache-control')).toBe('private, no-cache')
      expect(member.headers.get('access-control-allow-origin')).toBeNull()
    }
    const page = (token?: string) =>
      send(
        service.port,
        'localhost',
        `/dashboard/${slug}/changelog`,
        token === undefined ? {} : { headers: { cookie: `quire_session=${token}` } },
      )
    expect((await page()).text).not.toContain('Released')
    expect((await page(stranger.token)).status).toBe(404)
    const mine = await page(one.desk.session)
    expect(mine).toMatchObject({ status: 200, text: expect.stringContaining('Nobody knows.') })
    expect(mine.headers['cache-control']).toMatch(/^private/)
    await one.owner.call(contract.visibility.set, { params: one.params, body: { visibility: 'public' } })
    expect((await page()).status).toBe(200)
    expect((await fetch(`${service.url}/api/projects/${slug}/changelog/rss`)).headers.get('cache-control')).toMatch(
      /^public/,
    )
  })
})

describe('who can see the site', () => {
  it('is the owner’s to say, and told in the activity without any secret', async () => {
    const one = await openPrivate(service)
    const { params } = one
    const refused = await refusalOf(one.desk.client.call(contract.visibility.read, { params }))
    expect(refused.code).toBe('forbidden')
    await one.owner.call(contract.visibility.setPassword, { params, body: { password: 'open sesame please' } })
    const { path, id } = await one.shareLink('Partners')
    const shown = await one.owner.call(contract.visibility.read, { params })
    expect(shown).toMatchObject({
      visibility: 'private',
      passwordSetAt: expect.any(String),
      links: [{ id, name: 'Partners' }],
    })
    expect(JSON.stringify(shown)).not.toMatch(/hash|token|scrypt|quire_v_/)
    expect((await one.owner.call(contract.projects.read, { params })).privateSince).toBe(shown.privateSince)
    const log = await one.owner.call(contract.audit.list, { params })
    expect(log.items.slice(0, 3).map(({ action, target, detail }) => [action, target, detail])).toEqual([
      ['visibility.createLink', id, 'Partners'],
      ['visibility.setPassword', undefined, undefined],
      ['visibility.set', undefined, 'private'],
    ])
    expect(JSON.stringify(log)).not.toContain(path.split('=')[1])
    await one.owner.call(contract.visibility.set, { params, body: { visibility: 'public' } })
    const refusals = [
      () => one.shareLink(),
      () => one.owner.call(contract.visibility.setPassword, { params, body: { password: 'open sesame please' } }),
      () => one.owner.call(contract.visibility.removePassword, { params }),
    ]
    for (const call of refusals) expect((await refusalOf(call())).code).toBe('invalid_request')
  })
})

describeInDepth('a page of updates of a private project', () => {
  it('has its feed for whoever may read it, and for the token of a link, also where the changelog would be', async () => {
    const updates = '<Update label="May 2026" tags={["API"]}>Nobody knows.</Update>'
    const one = await openPrivate(service, {
      ...files,
      'docs.json': JSON.stringify({ name: 'Secret plans', navigation: { pages: ['index', 'changelog'] } }),
      'changelog.mdx': `---\ntitle: New\n---\n\n${updates}`,
    })
    await one.owner.call(contract.changelog.create, {
      params: one.params,
      body: { title: 'Released', content: 'An entry.', is_draft: false },
    })
    const { path: entry } = await one.shareLink('Feed reader')
    const query = entry.slice(entry.indexOf('?'))
    for (const path of ['/changelog/rss.xml', '/changelog/rss.xml?tags=API'])
      expect((await one.ask(path)).status).toBe(401)
    for (const path of [`/changelog/rss.xml${query}`, `/changelog/rss.xml${query}&tags=API`]) {
      const read = await one.ask(path)
      expect([read.status, read.headers['cache-control']]).toEqual([200, 'private, no-cache'])
      expect(read.text).toContain('<title>May 2026</title>')
      expect(read.text).not.toContain('An entry.')
    }
    expect((await one.ask(`/changelog${query}`)).status).toBe(401)
  })
})
