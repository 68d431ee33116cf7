import { inDepth } from '#test/support/depth.ts'
import { createServer, type Server } from 'node:http'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from '#test/support/browser.ts'
import type { OpenShell } from '#contract/release.ts'
import { loadTheme, type Theme } from '#site/theme/assets.ts'
import { atOnce } from '#test/support/at-once.ts'
import { createComposer } from '#site/theme/composer.tsx'
import type { Section, Shell } from '#site/shell.ts'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'
import { Reader } from './reader.ts'

const code = (text: string): string => `<figure class="q-code"><pre tabindex="0"><code>${text}</code></pre></figure>`
const tabs = (prefix: string, more = ''): string =>
  `<div class="q-tabs" data-tabs${more}>${['npm', 'Yarn']
    .map(
      (title) =>
        `<section class="q-tab" data-title="${title}" id="${prefix}-${title.toLowerCase()}"><p class="q-tab-title">${title}</p>${code(`${title} install`)}</section>`,
    )
    .join('')}</div>`

/** Names that shadow members of `document` for a careless script. */
const clobber =
  '<img name="querySelectorAll"><img name="documentElement"><img name="createElement"><img name="addEventListener"><form name="getElementById"></form>'

/** A list of a tenant’s own, with a fragment that only looks like percent encoding. */
const ownContents = '<nav data-contents><a href="#%zz">Odd</a></nav>'

/** One of everything that a script works on. */
const sampleBody =
  `${ownContents}<h2 id="first">First<a class="q-heading-anchor" href="#first" aria-label="Link"></a></h2>${tabs('a')}${tabs('b')}` +
  `<details id="fold"><summary>Fold</summary><p id="inside">Inside</p></details>` +
  `<div class="q-table"><table><tr>${'<td>wide-cell-content</td>'.repeat(30)}</tr></table></div>` +
  `<h2 id="last">Last</h2>${'<p>Text.</p>'.repeat(60)}`

/** On a page of their own: whoever draws them loads a large script. */
const diagrams =
  '<figure class="q-mermaid" data-mermaid><pre><code>flowchart LR\n  A --&gt; B</code></pre></figure>' +
  '<figure class="q-mermaid" data-mermaid><pre><code>this is no diagram</code></pre></figure>'

const bodies: Readonly<Record<string, string>> = {
  '/clobbered': clobber + sampleBody + diagrams,
  '/diagrams': sampleBody + diagrams,
  '/choices': tabs('a') + tabs('b', ' data-dropdown') + tabs('c', ' data-alone'),
}

let theme: Theme
let server: Server
let origin = ''
const reader = new Reader({ permissions: ['clipboard-read', 'clipboard-write'] })

/** More tabs than a phone is wide, and a version with a long name beside the logo. */
function crowdedShell(): Shell {
  const tab = (name: string, version: string): Section => ({
    href: `/${name}`,
    items: [],
    switches: [
      { kind: 'version', label: version },
      { kind: 'tab', label: name },
    ],
  })
  const names = ['Guides', 'Reference', 'Integrations', 'Cookbooks', 'Community', 'Releases']
  const latest = 'Version 2026-07-28 (latest)'
  return sampleShell({
    name: 'A project with a long name',
    assets: theme.assets,
    sections: [...names.map((name) => tab(name, latest)), tab('Guides', 'Version 2025-11-25')],
    places: { '/crowded': { section: names.length - 1, trail: [] } },
  })
}

/** Two versions in Arabic, one with a name that is wider than the button. */
function arabicShell(): Shell {
  const version = (label: string, href: string): Section => ({
    href,
    items: [],
    switches: [{ kind: 'version', label }],
  })
  const sections = [version('v2', '/'), version('v1 with a long name', '/v1')]
  const places = { '/arabic': { section: 0, trail: [] } }
  return sampleShell({ lang: 'ar', assets: theme.assets, sections, places })
}

function respond(shell: OpenShell, path: string): { type: string; body: string | Buffer; csp?: string } {
  const file = theme.files.get(path)
  if (file !== undefined) return { ...file, body: file.bytes }
  if (path.endsWith('.md')) return { type: 'text/markdown', body: `# Markdown of ${path}` }
  const artifact = sampleArtifact({
    html: bodies[path] ?? sampleBody,
    headings: [
      { id: 'first', level: 2, text: 'First' },
      { id: 'last', level: 2, text: 'Last' },
    ],
    features: ['tabs', 'code', 'mermaid'],
  })
  const { html, csp } = path === '/nowhere' ? shell.notFound(path) : shell.page(bytes(artifact), path)
  return { type: 'text/html; charset=utf-8', body: html, csp }
}

const open = (path: string, options?: BrowserContextOptions): Promise<Page> => reader.opens(origin + path, options)

describe.skipIf(!hasBrowser)('a page in a browser', () => {
  beforeAll(async () => {
    theme = loadTheme()
    const whole = sampleShell({ assets: theme.assets, actions: ['copy', 'view', 'claude', 'download-pdf'] })
    const shell = atOnce(createComposer(sampleOptions).open(bytes(whole)))
    const crowded = atOnce(createComposer(sampleOptions).open(bytes(crowdedShell())))
    const arabic = atOnce(createComposer(sampleOptions).open(bytes(arabicShell())))
    const others = new Map([
      ['/crowded', crowded],
      ['/arabic', arabic],
    ])
    server = createServer((request, response) => {
      const path = request.url ?? '/'
      const { type, body, csp } = respond(others.get(path) ?? shell, path)
      response.setHeader('content-type', type)
      if (theme.files.has(path)) response.setHeader('cache-control', 'max-age=3600, immutable')
      if (csp !== undefined) response.setHeader('content-security-policy', csp)
      response.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    origin = `http://127.0.0.1:${address.port}`
  })

  afterAll(async () => {
    await reader.leaves()
    server.closeAllConnections()
    server.close()
  })

  it('switches to dark and remembers it, and follows the system until then', async () => {
    const page = await open('/quickstart')
    await page.emulateMedia({ colorScheme: 'light' })
    const root = page.locator('html')
    expect(await root.getAttribute('data-theme')).toBe('light')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(() => root.getAttribute('data-theme')).toBe('dark')
    await page.click('[data-theme-toggle]')
    expect(await root.getAttribute('data-theme')).toBe('light')
    await page.reload()
    expect(await root.getAttribute('data-theme')).toBe('light')
  })

  it('makes tabs that the keyboard moves, that agree with each other and are remembered', async () => {
    const page = await open('/quickstart')
    const selected = page.locator('[role=tab][aria-selected=true]')
    expect(await selected.allTextContents()).toEqual(['npm', 'npm'])
    await page.locator('[role=tab]').first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await selected.allTextContents()).toEqual(['Yarn', 'Yarn'])
    expect(await page.locator('#a-yarn').isVisible()).toBe(true)
    expect(await page.locator('#a-npm').isVisible()).toBe(false)
    await page.reload()
    expect(await selected.allTextContents()).toEqual(['Yarn', 'Yarn'])
  })

  it('lets a group be a list to choose from, and one keep its choice to itself', async () => {
    const page = await open('/choices')
    const shown = (): Promise<string[]> => page.locator('.q-tab:visible').evaluateAll((all) => all.map(({ id }) => id))
    expect(await shown()).toEqual(['a-npm', 'b-npm', 'c-npm'])
    await page.locator('select').selectOption('Yarn')
    expect(await shown()).toEqual(['a-yarn', 'b-yarn', 'c-npm'])
    await page.locator('[role=tab]', { hasText: 'npm' }).first().click()
    expect(await shown()).toEqual(['a-npm', 'b-npm', 'c-npm'])
    expect(await page.locator('select').inputValue()).toBe('npm')
    await page.locator('[role=tab]', { hasText: 'Yarn' }).last().click()
    expect(await shown()).toEqual(['a-npm', 'b-npm', 'c-yarn'])
    await page.reload()
    expect(await shown()).toEqual(['a-npm', 'b-npm', 'c-npm'])
  })

  it('opens the tab and the fold that an address points into', async () => {
    const page = await open('/quickstart#b-yarn')
    expect(await page.locator('#b-yarn').isVisible()).toBe(true)
    await page.goto(`${origin}/quickstart#inside`)
    await expect.poll(() => page.locator('#inside').isVisible()).toBe(true)
  })

  it('marks in the contents list what is being read', async () => {
    const page = await open('/quickstart')
    await page.evaluate(() => scrollTo({ top: 1e6, behavior: 'instant' }))
    const current = page.locator('[data-contents] [aria-current]')
    await expect.poll(() => current.allTextContents()).toEqual(['Last'])
  })

  it('copies code', async () => {
    const page = await open('/quickstart')
    await page.locator('[data-copy]').first().click()
    await expect.poll(() => page.locator('[data-copied]').count()).toBe(1)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npm install')
  })

  it('copies the page as Markdown from the menu beside its title, which is not there without scripts', async () => {
    const page = await open('/quickstart')
    const button = page.locator('[data-copy-page]')
    await button.click()
    await expect.poll(() => button.textContent()).toBe('Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('# Markdown of /quickstart.md')
    await page.locator('.q-actions summary').press('Enter')
    await expect.poll(() => page.getByRole('link', { name: 'View as Markdown' }).isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('link', { name: 'View as Markdown' }).isVisible()).toBe(false)
    const plain = await open('/quickstart', { javaScriptEnabled: false })
    expect(await plain.locator('[data-copy-page]').isVisible()).toBe(false)
    await plain.locator('.q-actions summary').click()
    expect(await plain.getByRole('link', { name: 'View as Markdown' }).isVisible()).toBe(true)
  })

  it('prints the page from that menu, which offers it only with scripts', async () => {
    const page = await open('/quickstart')
    await page.evaluate('print = () => document.body.append("printed")')
    await page.locator('.q-actions summary').click()
    await page.getByRole('button', { name: 'Print or save as PDF' }).click()
    expect(await page.locator('body').textContent()).toMatch(/printed$/)
    const plain = await open('/quickstart', { javaScriptEnabled: false })
    await plain.locator('.q-actions summary').click()
    expect(await plain.locator('[data-print]').isVisible()).toBe(false)
  })

  it('draws a diagram in a frame without an origin, and shows the source of what is none', async () => {
    const page = await open('/diagrams')
    const [good, bad] = [page.locator('.q-mermaid').first(), page.locator('.q-mermaid').last()]
    await good.scrollIntoViewIfNeeded()
    await expect.poll(() => good.getAttribute('data-drawn')).toBe('')
    const frame = good.locator('iframe')
    expect(await frame.getAttribute('sandbox')).toBe('allow-scripts')
    expect(await good.locator('pre').isVisible()).toBe(false)
    expect((await frame.boundingBox())?.height).toBeGreaterThan(30)
    await expect.poll(() => bad.locator('pre').isVisible()).toBe(true)
  })

  inDepth.each([360, 768, 1280, 1920])('never scrolls sideways at %i pixels', async (width) => {
    const page = await open('/quickstart', { viewport: { width, height: 800 } })
    expect(await page.evaluate(() => document.scrollingElement!.scrollWidth)).toBe(width)
  })

  it('has a menu on a phone, also without scripts, that Escape closes', async () => {
    const page = await open('/quickstart', { viewport: { width: 390, height: 800 }, javaScriptEnabled: false })
    const entry = page.locator('#q-sidebar a[aria-current=page]')
    expect(await entry.isVisible()).toBe(false)
    await page.click('.q-burger')
    await expect.poll(() => entry.isVisible()).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => entry.isVisible()).toBe(false)
  })

  it('keeps the switch of versions in the menu of a phone, and shows which tab this is', async () => {
    const page = await open('/crowded', { viewport: { width: 390, height: 800 } })
    expect(await page.locator('.q-top .q-switch').isVisible()).toBe(false)
    expect((await page.locator('.q-logo').boundingBox())?.width).toBeGreaterThan(150)
    const tab = await page.locator('.q-tabbar [aria-current]').boundingBox()
    expect(tab?.x).toBeGreaterThanOrEqual(0)
    expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(390)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  })

  it('opens the menu of versions within the window where one reads from right to left', async () => {
    const page = await open('/arabic')
    await page.locator('.q-brand summary').click()
    const menu = await page.locator('.q-brand .q-menu').boundingBox()
    expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeLessThanOrEqual(1280)
    const current = page.locator('.q-brand .q-menu-link[aria-current]')
    expect(await current.getAttribute('href')).toBe('/arabic')
  })

  it('shows everything without scripts', async () => {
    const page = await open('/diagrams', { javaScriptEnabled: false })
    for (const id of ['a-npm', 'a-yarn', 'b-yarn', 'last']) expect(await page.locator(`#${id}`).isVisible()).toBe(true)
    expect(await page.locator('.q-mermaid pre').first().isVisible()).toBe(true)
    expect(await page.locator('[data-theme-toggle]').isVisible()).toBe(false)
  })

  it('has a page for what is not there', async () => {
    const page = await open('/nowhere')
    expect(await page.locator('h1').textContent()).toBe('Page not found')
  })

  inDepth('does all that also where content shadows the members of the document', async () => {
    const page = await open('/clobbered#b-yarn')
    const counts = () =>
      page.evaluate(() =>
        ['[role=tab]', '[data-copy]', '#b-yarn:not([hidden])', 'iframe', 'html[data-theme]'].map(
          (selector) => Document.prototype.querySelectorAll.call(document, selector).length,
        ),
      )
    await expect.poll(counts).toEqual([4, 4, 1, 2, 1])
  })

  it('said nothing to the console: no error, no refusal of the policy', () => {
    expect(reader.problems).toEqual([])
  })
})
