import { inDepth } from '#test/support/depth.ts'
import type { Server } from 'node:http'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { violationsOf } from '#test/support/accessibility.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { loadTheme } from '#site/theme/assets.ts'
import {
  absent,
  addressOf,
  apiServer,
  listening,
  serveOperations,
  type Asked,
} from '#test/support/site/theme/operation-site.ts'
import { orchardName, orchardOperation, orchardPage } from './orchard.ts'
import { Reader } from './reader.ts'

// What is behind the box is blurred, which takes long by the size of the window.
const reader = new Reader({ viewport: { width: 1440, height: 500 } })
let page: Page
/** The site, an API that lets its pages read, and one that does not. */
let site: Server, open: Server, shut: Server
let asked: Asked[] = []

async function serveSite(): Promise<Server> {
  const servers = [`${addressOf(open)}/v1`, `${addressOf(shut)}/v1`, `${await absent()}/v1`]
  const asks = { [orchardName]: orchardOperation(servers) }
  return serveOperations(loadTheme(), { '/api/plant': { source: orchardPage, asks } })
}

const row = (name: string) => page.locator(`.q-play-field:has(code:text-is("${name}")) :is(input, select)`)
const answer = () => page.locator('.q-play-answer')
const send = () => page.click('.q-play-head button[type=submit]')
/** The sample of the page, behind the box. */
const sample = () => page.locator('.q-example-request .q-tab:not([hidden]) code')

async function openBox(): Promise<void> {
  await page.click('.q-try')
  await page.waitForSelector('.q-play[open] .q-play-sample code')
}

describe.skipIf(!hasBrowser)('the playground of an operation', () => {
  beforeAll(async () => {
    open = await listening(apiServer(true, (each) => asked.push(each)))
    shut = await listening(apiServer(false, () => undefined))
    site = await serveSite()
  })
  afterAll(async () => {
    await reader.leaves()
    for (const server of [site, open, shut]) server.close()
  })
  beforeEach(async () => {
    asked = []
    page = await reader.opens(`${addressOf(site)}/api/plant`)
  })

  it('sends from the browser what was filled in, and shows what comes back', async () => {
    await openBox()
    await row('orchard').fill('north/west')
    await row('notify').selectOption('true')
    await page.click('.q-play-add')
    await page.fill('.q-play-rows input', 'sweet & old')
    await page.fill('.q-play input[type=password]', 'secret-key')
    await row('name').fill('Cox')
    await row('colour').selectOption('green')
    await send()
    await answer().locator('strong', { hasText: '201 Created' }).waitFor()
    expect(await answer().textContent()).toContain('"ripe": true')
    const [request] = asked
    expect(request?.url).toBe('/v1/orchards/north%2Fwest/apples?notify=true&tag=sweet%20%26%20old')
    expect(request?.headers.authorization).toBe('Bearer secret-key')
    expect(JSON.parse(request?.body ?? '')).toEqual({ name: 'Cox', colour: 'green' })
  })

  it('keeps keys out of samples until somebody wants them there, and out of what outlives the tab', async () => {
    await openBox()
    await page.fill('.q-play input[type=password]', 'secret-key')
    await row('name').fill('Cox')
    await expect.poll(() => sample().textContent()).toContain('Cox')
    expect(await sample().textContent()).toContain('Bearer <token>')
    expect(await page.evaluate('location.href + JSON.stringify({ ...localStorage }) + document.cookie')).not.toContain(
      'secret-key',
    )
    await page.check('.q-play-check input')
    await expect.poll(() => sample().textContent()).toContain('Bearer secret-key')
  })

  inDepth('gives a key to the server alone that it was typed for', async () => {
    await openBox()
    await page.fill('.q-play input[type=password]', 'secret-key')
    await page.selectOption('.q-play-part select', '1')
    expect(await page.inputValue('.q-play input[type=password]')).toBe('')
    await page.selectOption('.q-play-part select', '0')
    expect(await page.inputValue('.q-play input[type=password]')).toBe('secret-key')
    await page.reload()
    await openBox()
    expect(await page.inputValue('.q-play input[type=password]')).toBe('secret-key')
  })

  inDepth(
    'tells CORS from a server that is not there, says what to do, and has the command for a terminal',
    async () => {
      await openBox()
      await row('orchard').fill('north')
      await page.selectOption('.q-play-part select', '1')
      await send()
      await page.waitForSelector('[data-trouble=cors]')
      const text = await answer().textContent()
      expect(text).toContain(`Access-Control-Allow-Origin: ${addressOf(site)}`)
      expect(text).toContain('Access-Control-Allow-Headers: content-type')
      expect(text).toContain(`curl --request POST`)
      expect(asked).toEqual([])
      await page.selectOption('.q-play-part select', '2')
      await send()
      await page.waitForSelector('[data-trouble=unreachable]')
      await page.context().setOffline(true)
      await send()
      await page.waitForSelector('[data-trouble=offline]')
      await page.context().setOffline(false)
      expect(await answer().textContent()).toContain('curl --request POST')
    },
  )

  inDepth('sends nothing before what is required is filled in, nor a body that is no JSON', async () => {
    await openBox()
    await send()
    expect(await page.evaluate('document.activeElement.matches(":invalid")')).toBe(true)
    await row('orchard').fill('north')
    await page.click('.q-play-mode:text("JSON")')
    await page.fill('.q-play textarea', '{ "name": ')
    await send()
    expect(await page.textContent('.q-play-wrong')).toContain('JSON')
    expect(asked).toEqual([])
  })

  inDepth('has in the form what stands in the text, and the other way round', async () => {
    await openBox()
    await row('name').fill('Cox')
    await page.click('.q-play-mode:text("JSON")')
    expect(JSON.parse(await page.inputValue('.q-play textarea'))).toEqual({ name: 'Cox' })
    await page.fill('.q-play textarea', '{ "name": "Fuji", "origin": { "country": "JP" }, "more": [1] }')
    await page.click('.q-play-mode:text("Form")')
    expect(await row('country').inputValue()).toBe('JP')
    await row('orchard').fill('north')
    await send()
    await answer().locator('strong').waitFor()
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({ name: 'Fuji', origin: { country: 'JP' }, more: [1] })
  })

  inDepth('breaks no rule of accessibility, in light and in dark, in the page and in the box', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const other = await reader.opens(`${addressOf(site)}/api/plant`, { colorScheme })
      expect(await violationsOf(other)).toEqual([])
      await other.click('.q-try')
      await other.waitForSelector('.q-play[open] .q-play-sample code')
      expect(await violationsOf(other, '.q-play')).toEqual([])
    }
  })

  it('loads nothing of the box before somebody opens it, and gives the keyboard back with Escape', async () => {
    const loaded = (): Promise<string[]> =>
      page.evaluate(
        'performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => name.includes("playground-box"))',
      )
    expect(await loaded()).toEqual([])
    await page.focus('.q-try')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.q-play[open] .q-play-sample code')
    expect(await loaded()).toHaveLength(1)
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.className')).toBe('q-try')
  })

  it('has examples beside the text where there is room, and under what is described where there is not', async () => {
    const places = (): Promise<{ aside: DOMRect; path: DOMRect; fields: DOMRect }> =>
      page.evaluate(
        '({ aside: document.querySelector(".q-aside").getBoundingClientRect(), path: document.querySelector(".q-endpoint").getBoundingClientRect(), fields: document.querySelector(".q-field").getBoundingClientRect() })',
      )
    const wide = await places()
    expect(wide.aside.left).toBeGreaterThan(wide.path.right)
    expect(wide.aside.top).toBeLessThan(wide.path.top)
    await page.setViewportSize({ width: 1100, height: 500 })
    const narrow = await places()
    expect(narrow.aside.top).toBeGreaterThan(narrow.path.bottom)
    expect(narrow.aside.bottom).toBeLessThan(narrow.fields.top)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  })
  // Of what is refused the browser itself writes to the console.
  afterEach(() => reader.complains((problem) => problem.startsWith('exception')))
})
