import { describeInDepth } from '#test/support/depth.ts'
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { DocumentContext } from '#contract/release.ts'
import type { Integrations } from '#site/integrations.ts'
import { loadTheme } from '#site/theme/assets.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { atOnce } from '#test/support/at-once.ts'
import { launchBrowser } from '#test/support/browser.ts'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const theme = loadTheme()
const ga4 = { ga4: { measurementId: 'G-ABC123' } }
const all: Integrations['services'] = {
  ...ga4,
  amplitude: { apiKey: 'a'.repeat(32) },
  clarity: { projectId: 'abc123' },
  fathom: { siteId: 'YSVMSDAY' },
  gtm: { tagId: 'GTM-ABC123' },
  hightouch: { writeKey: 'f'.repeat(64), apiHost: 'events.example.com' },
  hotjar: { hjid: '123456', hjsv: '6' },
  mixpanel: { projectToken: 'b'.repeat(32), region: 'eu' },
  pirsch: { id: 'c'.repeat(32) },
  plausible: { domain: 'docs.example.com', server: 'stats.example.com' },
  posthog: { apiKey: 'phc_dddddddddddd' },
  segment: { key: 'e'.repeat(32) },
}

function documentOf(integrations: Integrations | undefined, context: DocumentContext = { source: 'index.mdx' }) {
  const shell = sampleShell({ assets: theme.assets, ...(integrations === undefined ? {} : { integrations }) })
  return atOnce(createComposer(sampleOptions).open(bytes(shell))).page(bytes(sampleArtifact()), '/quickstart', context)
}

describe('services of others', () => {
  it('cost a site without them no byte, and its policy names no host', () => {
    const { html, csp } = documentOf(undefined)
    expect(html).not.toContain('integrations')
    expect(csp).not.toContain('connect-src')
    expect(csp).toMatch(/script-src 'self' 'sha256-[^ ]+';/)
  })

  it('are named in the policy host by host', () => {
    const { csp } = documentOf({ services: { plausible: { domain: 'docs.example.com' } } })
    expect(csp).toMatch(/script-src 'self' 'sha256-[^ ]+' https:\/\/plausible\.io;/)
    expect(csp).toContain("connect-src 'self' https://plausible.io;")
  })

  it('never need scripts in the page, nor eval, nor any host', () => {
    const { csp } = documentOf({ services: all })
    const policy = /script-src ([^;]*)/.exec(csp)?.[1]?.split(' ') ?? []
    expect(policy.filter((source) => /unsafe|^https?:$|^\*|\/\/\*/.test(source))).toEqual([])
  })

  it('are off on previews and on pages that are in no release', () => {
    for (const context of [{ source: 'a.mdx', preview: 'r1' }, {}]) {
      const { html, csp } = documentOf({ services: ga4 }, context)
      expect(html).not.toContain('data-integrations')
      expect(csp).not.toContain('googletagmanager')
    }
  })
})

it('neither they nor the service itself are told what is looked at on the own machine', () => {
  const shell = sampleShell({ assets: theme.assets, analytics: true, integrations: { services: ga4 } })
  const [local, live] = [true, false].map((isLocal) =>
    atOnce(createComposer({ ...sampleOptions, isLocal }).open(bytes(shell))).page(
      bytes(sampleArtifact()),
      '/quickstart',
      { source: 'index.mdx' },
    ),
  )
  expect(local?.html).not.toMatch(/integrations|analytics/)
  expect(local?.csp).not.toContain('googletagmanager')
  expect(live?.html).toMatch(/analytics[^]*data-integrations|data-integrations[^]*analytics/)
})

describeInDepth('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())

  /** Opens a page of a site with these; tells what it asked of others, and what its policy refused. */
  async function open(integrations: Integrations, prepare?: (page: Page) => Promise<unknown>) {
    const { html, csp } = documentOf(integrations)
    const server = createServer((request, response) => {
      const file = theme.files.get(request.url ?? '')
      if (file === undefined)
        response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': csp }).end(html)
      else response.writeHead(200, { 'Content-Type': file.type }).end(file.bytes)
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const { port } = server.address() as { port: number }
    const page = await browser.newPage()
    onTestFinished(async () => {
      await page.close()
      server.closeAllConnections()
      server.close()
    })
    const asked: string[] = []
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(error.message))
    await page.route(/^https:/, (route) => {
      asked.push(route.request().url())
      const stub = 'window.amplitude ??= { init() {} }; (window.ran ??= []).push(document.currentScript.src)'
      return route.fulfill({ contentType: 'text/javascript', body: stub })
    })
    await prepare?.(page)
    await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'load' })
    await page.waitForLoadState('networkidle')
    return { page, asked, problems }
  }

  it('each is loaded from a host that the policy allows', async () => {
    const { page, problems } = await open({ services: all })
    const ran = await page.evaluate(() => (globalThis as unknown as { ran: string[] }).ran)
    expect(ran.map((url) => new URL(url).host).toSorted()).toEqual(
      [
        'api.pirsch.io',
        'cdn.amplitude.com',
        'cdn.hightouch-events.com',
        'cdn.mxpnl.com',
        'cdn.segment.com',
        'cdn.usefathom.com',
        'static.hotjar.com',
        'stats.example.com',
        'us-assets.i.posthog.com',
        'www.clarity.ms',
        'www.googletagmanager.com',
        'www.googletagmanager.com',
      ].toSorted(),
    )
    expect(problems).toEqual([])
  })

  it('a page tells Google that it was seen, with the id of its site', async () => {
    const { page } = await open({ services: ga4 })
    const layer = await page.evaluate(() =>
      (globalThis as unknown as { dataLayer: ArrayLike<unknown>[] }).dataLayer.map((call) => Array.from(call)),
    )
    expect(layer[1]).toEqual(['config', 'G-ABC123'])
  })

  it('a page runs no script of another host', async () => {
    const { page, problems } = await open({ services: ga4 })
    await page.evaluate(() => {
      const script = document.createElement('script')
      script.src = 'https://evil.example/x.js'
      document.head.append(script)
    })
    await page.waitForTimeout(100)
    expect(problems.join()).toContain('Content Security Policy')
  })

  it.each([
    ['doNotTrack', '1'],
    ['globalPrivacyControl', true],
  ])('nobody is reported who says so: %s', async (name, value) => {
    const { asked } = await open({ services: all }, (page) =>
      page.addInitScript(([property, said]) => Object.defineProperty(navigator, property, { get: () => said }), [
        name,
        value,
      ] as const),
    )
    expect(asked).toEqual([])
  })

  it('nobody is reported before the consent that a site waits for', async () => {
    const integrations = { services: ga4, consent: { key: 'cookies', value: 'yes' } }
    expect((await open(integrations)).asked).toEqual([])
    const agreed = await open(integrations, (page) => page.addInitScript(() => localStorage.setItem('cookies', 'yes')))
    expect(agreed.asked).toHaveLength(1)
  })
})
