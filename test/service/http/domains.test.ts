import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { inDepth } from '#test/support/depth.ts'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { deskOf, type Desk } from '#test/support/branching/support.ts'
import { FakeDns } from '#test/support/domains/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { noonClock, startTestService, type TestService } from '#test/support/service.ts'

interface Owned extends Desk {
  readonly owner: Client
}

let service: TestService
const dns = new FakeDns()
let count = 0

beforeAll(async () => {
  service = await startTestService({ RATE_DOMAINS: '10000' }, { lookupTxt: dns.lookup, now: noonClock() })
})
afterAll(() => service.close())

/** A project with a site. */
async function open(
  files: Readonly<Record<string, string>> = { 'index.mdx': '# Home\n\n[Next](/next)', 'next.md': '# Next' },
): Promise<Owned> {
  const project = await createProject(service.url, `p${++count}`)
  const desk = deskOf(service, project)
  await desk.deploy(files)
  return { ...desk, owner: createClient({ baseUrl: service.url, token: project.session }) }
}

async function verify({ owner, slug }: Owned, domain: string): Promise<void> {
  const params = { slug }
  dns.enter(await owner.call(contract.domains.create, { params, body: { domain } }))
  const looked = await owner.call(contract.domains.verify, { params: { slug, domain } })
  expect(looked).toMatchObject({ domain, verified: true, url: `http://${domain}:${service.port}` })
}

const served = async (host: string, path = '/'): Promise<number> => (await getSite(service.port, host, path)).status
const asked = async (domain: string): Promise<number> =>
  (await fetch(`${service.url}/api/domains/ask?domain=${encodeURIComponent(domain)}`)).status

describe('a verified domain', () => {
  it('serves the live site of its project, and nothing did before', async () => {
    const desk = await open()
    await desk.owner.call(contract.domains.create, { params: { slug: desk.slug }, body: { domain: 'a.example.com' } })
    expect([await served('a.example.com'), await asked('a.example.com')]).toEqual([421, 404])
    await verify(desk, 'a.example.com')
    expect(await asked('A.example.com.')).toBe(200)
    const home = await getSite(service.port, 'A.Example.com', '/')
    expect(home).toMatchObject({ status: 200, text: expect.stringContaining('Home') })
    expect(home.text).toBe((await desk.site('/')).text)
    expect((await getSite(service.port, 'a.example.com', '/next.md')).headers['content-type']).toContain(
      'text/markdown',
    )
    expect(await served('a.example.com', '/nothing')).toBe(404)
    expect(await served('www.a.example.com')).toBe(421)
    await desk.deploy({ 'index.mdx': '# Second' })
    expect((await getSite(service.port, 'a.example.com', '/')).text).toContain('Second')
  })

  it('serves neither API nor dashboard nor sign-in, and sets no cookie', async () => {
    const desk = await open()
    await verify(desk, 'b.example.com')
    for (const path of [
      '/api/service',
      '/dashboard',
      '/api/domains/ask?domain=b.example.com',
      '/healthz',
      '/git/x.git',
    ]) {
      const headers = { cookie: `quire_session=${desk.session}`, authorization: `Bearer ${desk.session}` }
      const reply = await getSite(service.port, 'b.example.com', path, headers)
      expect(`${path} ${reply.status}`).toBe(`${path} 404`)
      expect(reply.headers['set-cookie']).toBeUndefined()
    }
  })

  it('is the project’s over a restart, a rename and a deploy to come, and nobody’s once it is removed', async () => {
    const desk = await open()
    const { owner, slug } = desk
    await verify(desk, 'c.example.com')
    await service.restart()
    expect([await served('c.example.com'), await asked('c.example.com')]).toEqual([200, 200])
    await owner.call(contract.projects.update, { params: { slug }, body: { slug: `${slug}-new` } })
    expect(await served('c.example.com')).toBe(200)
    const params = { slug: `${slug}-new` }
    const [domain] = (await owner.call(contract.domains.list, { params })).items
    expect(domain?.records[1]).toMatchObject({ type: 'CNAME', value: `${slug}-new.localhost` })
    await owner.call(contract.domains.remove, { params, query: { domain: 'C.example.com' } })
    expect([await served('c.example.com'), await asked('c.example.com')]).toEqual([421, 404])
    expect(
      (await refusalOf(owner.call(contract.domains.remove, { params, query: { domain: 'c.example.com' } }))).code,
    ).toBe('not_found')
  })

  inDepth('is nobody’s when its project is removed, also at the next start', async () => {
    const desk = await open()
    await verify(desk, 'd.example.com')
    await desk.owner.call(contract.projects.remove, { params: { slug: desk.slug } })
    expect([await served('d.example.com'), await asked('d.example.com')]).toEqual([421, 404])
    await service.restart()
    expect(await served('d.example.com')).toBe(421)
    const next = await open()
    dns.records.delete('_quire.d.example.com')
    await verify(next, 'd.example.com')
    expect(await served('d.example.com')).toBe(200)
  })

  it('is soon what the site calls its address, without a deploy of the plan; the host here serves the same pages', async () => {
    const desk = await open()
    const canonical = (text: string): string | undefined => /<link rel="canonical" href="([^"]+)"/.exec(text)?.[1]
    expect(canonical((await desk.site('/next')).text)).toBe(`http://${desk.slug}.localhost:${service.port}/next`)
    await verify(desk, 'e.example.com')
    await vi.waitFor(async () =>
      expect(canonical((await desk.site('/next')).text)).toBe(`http://e.example.com:${service.port}/next`),
    )
    for (const host of [`${desk.slug}.localhost`, 'e.example.com']) {
      expect(canonical((await getSite(service.port, host, '/next')).text)).toBe(
        `http://e.example.com:${service.port}/next`,
      )
      expect((await getSite(service.port, host, '/sitemap.xml')).text).toContain(
        `<loc>http://e.example.com:${service.port}/next`,
      )
    }
  })

  it('is where feeds of the changelog say that they are, on each host of the site', async () => {
    const desk = await open()
    const [params, body] = [{ slug: desk.slug }, { title: 'Keys', content: 'Text.', is_draft: false }]
    await desk.owner.call(contract.changelog.create, { params, body })
    const self = async (host: string): Promise<string | undefined> =>
      /rel="self"[^>]* href="([^"]+)"/.exec((await getSite(service.port, host, '/changelog/atom.xml')).text)?.[1]
    const here = `${desk.slug}.localhost`
    expect(await self(here)).toBe(`http://${here}:${service.port}/changelog/atom.xml`)
    await verify(desk, 'feeds.example.com')
    const there = `http://feeds.example.com:${service.port}/changelog/atom.xml`
    expect([await self(here), await self('feeds.example.com')]).toEqual([there, there])
  })

  inDepth('or a new slug is what pages name, once the project is renamed', async () => {
    const desk = await open()
    const slug = `${desk.slug}-renamed`
    await desk.owner.call(contract.projects.update, { params: { slug: desk.slug }, body: { slug } })
    const canonical = `<link rel="canonical" href="http://${slug}.localhost:${service.port}/next"`
    await vi.waitFor(async () =>
      expect((await getSite(service.port, `${slug}.localhost`, '/next')).text).toContain(canonical),
    )
  })

  it('without a live site has none to show', async () => {
    const project = await createProject(service.url, `p${++count}`)
    const owner = createClient({ baseUrl: service.url, token: project.session })
    await verify({ ...deskOf(service, project), owner }, 'f.example.com')
    expect(await getSite(service.port, 'f.example.com', '/')).toMatchObject({
      status: 404,
      text: expect.stringMatching(/^There is no site here\./),
    })
  })
})

describe('the primary domain', () => {
  it('is where readers of all other addresses are led, to the same page, until none is chosen', async () => {
    const desk = await open()
    const { owner, slug } = desk
    const params = { slug }
    const at = `http://j1.example.com:${service.port}`
    await verify(desk, 'j1.example.com')
    await verify(desk, 'j2.example.com')
    const chosen = await owner.call(contract.domains.setPrimary, { params, body: { domain: 'J1.example.com' } })
    expect(chosen.items.map(({ domain, primary }) => [domain, primary])).toEqual([
      ['j2.example.com', false],
      ['j1.example.com', true],
    ])
    await service.restart()
    for (const host of ['j2.example.com', `${slug}.localhost`]) {
      const { status, headers } = await getSite(service.port, host, '/next?a=1')
      expect([status, headers.location, headers['cache-control']]).toEqual([308, `${at}/next?a=1`, 'no-cache'])
      expect((await getSite(service.port, host, '/next.md')).status).toBe(308)
    }
    expect(await served('j1.example.com', '/next')).toBe(200)
    await owner.call(contract.domains.setPrimary, { params, body: { domain: null } })
    expect([await served('j2.example.com'), await served(`${slug}.localhost`)]).toEqual([200, 200])
  })

  inDepth('is not where frames of the dashboard are led, nor what they load', async () => {
    const desk = await open()
    await verify(desk, 'k.example.com')
    const params = { slug: desk.slug }
    await desk.owner.call(contract.domains.setPrimary, { params, body: { domain: 'k.example.com' } })
    const load = async (destination: string): Promise<number> =>
      (await getSite(service.port, `${desk.slug}.localhost`, '/', { 'sec-fetch-dest': destination })).status
    for (const destination of ['iframe', 'style', 'image', 'empty']) expect(await load(destination)).toBe(200)
    expect(await load('document')).toBe(308)
  })

  inDepth('is soon what the site calls its address, also where another domain is older', async () => {
    const desk = await open()
    await verify(desk, 'l1.example.com')
    await verify(desk, 'l2.example.com')
    const params = { slug: desk.slug }
    const canonical = async (): Promise<string | undefined> =>
      /<link rel="canonical" href="([^"]+)"/.exec((await getSite(service.port, 'l2.example.com', '/')).text)?.[1]
    const choose = (domain: string | null) => desk.owner.call(contract.domains.setPrimary, { params, body: { domain } })
    await choose('l2.example.com')
    await vi.waitFor(async () => expect(await canonical()).toBe(`http://l2.example.com:${service.port}/`))
    await choose(null)
    // Whoever deploys meanwhile is not refused.
    await desk.deploy({ 'index.mdx': '# Home\n\nMore.' })
    expect(await canonical()).toBe(`http://l1.example.com:${service.port}/`)
  })

  inDepth('leads nobody anywhere once it is removed, and is no domain that is not verified', async () => {
    const desk = await open()
    const { owner, slug } = desk
    const params = { slug }
    await owner.call(contract.domains.create, { params, body: { domain: 'm.example.com' } })
    const choose = (domain: string) => owner.call(contract.domains.setPrimary, { params, body: { domain } })
    expect(await refusalOf(choose('m.example.com'))).toMatchObject({
      code: 'invalid_domain',
      message: 'The domain m.example.com is not verified: nothing is served there yet.',
    })
    expect((await refusalOf(choose('other.example.com'))).code).toBe('not_found')
    await verify(desk, 'm.example.com')
    await choose('m.example.com')
    expect(await served(`${slug}.localhost`)).toBe(308)
    await owner.call(contract.domains.remove, { params, query: { domain: 'm.example.com' } })
    expect(await served(`${slug}.localhost`)).toBe(200)
    // Added again, it has to be chosen again, too.
    await verify(desk, 'm.example.com')
    expect(await served(`${slug}.localhost`)).toBe(200)
  })
})

describe('domains over the API', () => {
  it('are in the audit log, without looks that found nothing', async () => {
    const desk = await open()
    const { owner, slug } = desk
    await owner.call(contract.domains.create, { params: { slug }, body: { domain: 'g.example.com' } })
    await owner.call(contract.domains.verify, { params: { slug, domain: 'g.example.com' } })
    await verify(desk, 'g.example.com')
    await owner.call(contract.domains.remove, { params: { slug }, query: { domain: 'g.example.com' } })
    const { items } = await owner.call(contract.audit.list, { params: { slug }, query: { limit: 4 } })
    expect(items).toMatchObject([
      { action: 'domains.remove', target: 'g.example.com' },
      { action: 'domains.verify', target: 'g.example.com', detail: 'verified' },
      { action: 'domains.create', target: 'g.example.com' },
      { action: 'domains.create', target: 'g.example.com' },
    ])
  })

  it('are names on the internet, found in the path as people write them', async () => {
    const { slug, session } = await createProject(service.url, `p${++count}`)
    const owner = createClient({ baseUrl: service.url, token: session })
    const params = { slug }
    for (const domain of ['localhost', 'docs.localhost', '127.0.0.1', 'https://h.example.com', 'com']) {
      const refusal = await refusalOf(owner.call(contract.domains.create, { params, body: { domain } }))
      expect(refusal, domain).toMatchObject({ code: 'invalid_domain', errors: [{ pointer: '/domain' }] })
    }
    expect((await owner.call(contract.domains.create, { params, body: { domain: 'Bücher.example.com' } })).domain).toBe(
      'xn--bcher-kva.example.com',
    )
    const looked = await owner.call(contract.domains.verify, { params: { slug, domain: 'bücher.example.com' } })
    expect(looked).toMatchObject({ domain: 'xn--bcher-kva.example.com', verified: false })
  })
})

it('a proxy may ask for very many domains from one address', async () => {
  const own = await startTestService({ RATE_STRANGERS: '5' }, { lookupTxt: dns.lookup, builder: new FakeBuilder() })
  try {
    const ask = () => fetch(`${own.url}/api/domains/ask?domain=nobodys.example.com`)
    const statuses = (await Promise.all(Array.from({ length: 60 }, ask))).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([404]))
  } finally {
    await own.close()
  }
})
