import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hasBrowser, launchBrowser } from '#test/support/browser.ts'
import { loadTheme, type Theme } from '#site/theme/assets.ts'
import { atOnce } from '#test/support/at-once.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const paragraphs = (count: number): string => '<p>Text.</p>'.repeat(count)
const body =
  `${paragraphs(3)}<img src="/late.svg" alt="Late">` +
  '<div class="q-tabs" data-tabs><section class="q-tab" data-title="One" id="tab-1"><p class="q-tab-title">One</p>' +
  `${paragraphs(3)}</section><section class="q-tab" data-title="Two" id="tab-2"><a name="two"></a>` +
  `<p class="q-tab-title">Two</p>${paragraphs(20)}</section></div>${paragraphs(20)}` +
  `<h2 id="here">Here</h2>${paragraphs(80)}`
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="500"/>'

let theme: Theme
let server: Server
let browser: Browser
let origin = ''
/** Sends the picture that is waited for. */
let sendPicture: () => void
let page: Page

/** Pixels from the top of the window that an element stands below where it should come to rest. */
const missOf = (selector: string): Promise<number> =>
  page.evaluate<number>(
    `(() => { const one = document.querySelector(${JSON.stringify(selector)})
      return Math.round(one.getBoundingClientRect().top - parseFloat(getComputedStyle(one).scrollMarginTop)) })()`,
  )
const pictureIsThere = (): Promise<unknown> =>
  page.waitForFunction('document.querySelector(".q-prose img").height > 400')

describe.skipIf(!hasBrowser)('who opens the address of a part of a page', () => {
  beforeAll(async () => {
    theme = loadTheme()
    const shell = atOnce(createComposer(sampleOptions).open(bytes(sampleShell({ assets: theme.assets }))))
    const document = shell.page(bytes(sampleArtifact({ html: body, headings: [], features: ['tabs'] })), '/')
    server = createServer(({ url = '/' }, response) => {
      const file = theme.files.get(url)
      if (url === '/late.svg') {
        sendPicture = () => response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(picture)
      } else if (file !== undefined) response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
      else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(document.html)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    return () => page.close()
  })

  it('has it in its place, also when a picture of unknown size has come above it', async () => {
    const asked = page.waitForRequest('**/late.svg')
    await page.goto(`${origin}/#here`, { waitUntil: 'domcontentloaded' })
    await asked
    await page.waitForFunction('document.querySelector("[data-tabs][data-ready]")')
    expect(Math.abs(await missOf('#here'))).toBeLessThan(4)
    // The browser's own way to keep things in place is not what holds it.
    await page.addStyleTag({ content: 'html { overflow-anchor: none }' })
    sendPicture()
    await pictureIsThere()
    await expect.poll(async () => Math.abs(await missOf('#here'))).toBeLessThan(4)
  })

  it('and scrolls away from it is not brought back', async () => {
    const asked = page.waitForRequest('**/late.svg')
    await page.goto(`${origin}/#here`, { waitUntil: 'domcontentloaded' })
    await asked
    await page.waitForFunction('document.querySelector("[data-tabs][data-ready]")')
    await page.evaluate('scrollTo({ top: 0, behavior: "instant" })')
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    sendPicture()
    await pictureIsThere()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(await page.evaluate('scrollY')).toBe(0)
  })

  it('that is a tab by its title sees it chosen, with what chooses it', async () => {
    await page.goto(`${origin}/#two`, { waitUntil: 'domcontentloaded' })
    await page.waitForFunction(
      'document.querySelector("#tab-2:not([hidden])") && document.querySelector("#tab-1[hidden]")',
    )
    const { y } = (await page.locator('.q-tablist').boundingBox()) ?? { y: 0 }
    expect(y).toBeGreaterThan(
      await page
        .locator('header')
        .first()
        .evaluate((bar) => bar.getBoundingClientRect().bottom),
    )
    expect(y).toBeLessThan(200)
  })
})
