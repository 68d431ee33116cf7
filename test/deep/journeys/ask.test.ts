import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Desk } from '#test/support/branching/support.ts'
import { openSite, settings, startAskedService, type AskedService } from '#test/support/http/support-ask.ts'
import { hasBrowser, launchBrowser, onPageError } from '#test/support/browser.ts'

let asked: AskedService
let desk: Desk
let browser: Browser
let page: Page
const problems: string[] = []

beforeAll(async () => {
  if (!hasBrowser) return
  asked = await startAskedService()
  desk = await openSite(asked)
  browser = await launchBrowser()
})
afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  await asked.close()
})
beforeEach(async () => {
  if (!hasBrowser) return
  page = await open()
})
afterEach(async () => {
  if (hasBrowser) await page.close()
})

const addressOf = (site: Desk, path = '/'): string => `http://${site.slug}.localhost:${site.port}${path}`

async function open(site = desk, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  const opened = await browser.newPage(options)
  onPageError(opened, (error) => void problems.push(String(error)))
  opened.on('console', (message) => {
    // A refusal is an answer that the test asks for.
    if (message.type() === 'error' && !/status of (?:404|429|503)/.test(message.text())) problems.push(message.text())
  })
  await opened.goto(addressOf(site, '/guide/keys'))
  return opened
}

const button = () => page.getByRole('button', { name: 'Ask the docs' })
const dialog = () => page.getByRole('dialog', { name: 'Ask the docs' })
const question = () => page.getByRole('textbox', { name: 'Your question' })

async function put(text: string): Promise<void> {
  await question().fill(text)
  await question().press('Enter')
}

/** Where somebody wants to see it: `SHOTS=/tmp/shots`. */
async function shot(name: string): Promise<void> {
  const folder = process.env['SHOTS']
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` })
}

const long = {
  chunks: [
    'Revoke it on the command line [1]:\n\n```sh\nquire keys revoke key_123\n```\n\n',
    'It stops working **at once** [1]. Before that:\n\n1. Make another one [2].\n2. Put it where the old one was.\n\n',
    'See [Keys](/guide/keys), not <b>this</b>, [nor that](https://evil.example).',
  ],
  chunkDelayMs: 150,
}

describe.skipIf(!hasBrowser)('the answer box', () => {
  it('is loaded when it is opened, shows an answer as it comes, and its sources lead to their sections', async () => {
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    asked.script = () => long
    await button().click()
    await dialog().waitFor()
    expect(loaded.map((path) => path.replace(/-[\w-]{8}\./, '.')).sort()).toEqual([
      '/_quire/ask-box.js',
      '/_quire/ask-style.css',
    ])
    expect(await question().evaluate((element) => element === document.activeElement)).toBe(true)
    await put('How do I revoke a key?')
    await page.getByText('Looking through the docs …').waitFor()
    await dialog().getByText('Revoke it on the command line').waitFor()
    expect(await dialog().getByText('Sources', { exact: true }).count()).toBe(0)
    await dialog().getByText('Sources', { exact: true }).waitFor()
    const answer = dialog().locator('.q-ask-answer')
    expect(await answer.locator('pre').innerText()).toBe('quire keys revoke key_123\n')
    expect(await answer.locator('strong').innerText()).toBe('at once')
    expect(await answer.locator('ol > li').count()).toBe(2)
    expect(await answer.innerText()).toContain('not <b>this</b>, nor that.')
    expect(await answer.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      '/guide/keys#revoke-a-key',
      '/guide/keys#revoke-a-key',
      '/guide/keys#make-a-key',
      '/guide/keys',
    ])
    await expect.poll(() => answer.getAttribute('aria-busy')).toBeNull()
    await dialog().getByText('may be wrong').waitFor()
    await shot('answer')
    await dialog().getByRole('link', { name: 'Keys › Revoke a key', exact: true }).click()
    await page.waitForURL('**/guide/keys#revoke-a-key')
    await dialog().waitFor({ state: 'hidden' })
  })

  it('works from the keyboard alone, and gives the focus back', async () => {
    await button().focus()
    await page.keyboard.press('Enter')
    await dialog().waitFor()
    await page.keyboard.type('key?')
    await page.keyboard.press('Enter')
    await dialog().getByText('Sources', { exact: true }).waitFor()
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press('Tab')
      const isInside = await page.evaluate(
        () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
      )
      expect(isInside).toBe(true)
    }
    await page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'hidden' })
    expect(await button().evaluate((element) => element === document.activeElement)).toBe(true)
  })

  it('asks again in the place of the last answer, and stops the model when it is closed', async () => {
    asked.script = () => ({ chunks: ['First [1].'] })
    await button().click()
    await put('key?')
    await dialog().getByText('First').waitFor()
    asked.script = () => ({ chunks: ['Second'], failAfter: { chunks: 1, how: 'hang' } })
    await put('keys?')
    await dialog().getByText('Second').waitFor()
    expect(await dialog().getByText('First').count()).toBe(0)
    await page.keyboard.press('Escape')
    await expect.poll(() => asked.model.calls.at(-1)?.aborted).toBe(true)
  })

  it('says what it cannot answer, and why', async () => {
    await button().click()
    await put('How do I bake sourdough?')
    await page.getByText('These docs do not say it.').waitFor()
    await shot('absent')
    asked.script = () => ({ chunks: ['NOT_IN_DOCS'] })
    await put('Does a key expire?')
    await page.getByText('These pages may help').waitFor()
    asked.script = () => ({ chunks: ['Surely.'] })
    await put('key?')
    await page.getByText('names no section of these docs').waitFor()
    asked.script = () => ({ status: 503 })
    await put('key?')
    await page.getByText('The answer could not be written. Try again in a moment.').waitFor()
    asked.script = () => ({ chunks: ['It is '], failAfter: { chunks: 1, how: 'reset' } })
    await put('key?')
    await page.getByText('The answer could not be written.').waitFor()
    expect(await dialog().locator('.q-ask-answer').innerText()).toBe('It is')
    await page.route('**/_quire/ask', (route) => route.abort())
    await put('key?')
    await page.getByText('The connection broke. Ask again.').waitFor()
    problems.splice(0, problems.length, ...problems.filter((problem) => !problem.includes('ERR_FAILED')))
  })

  it('says when the answers of today are used up', async () => {
    asked.script = () => ({ chunks: ['So [1].'] })
    await page.close()
    page = await open(
      await openSite(asked, { 'docs.json': settings({ enabled: true, dailyLimit: 1 }), 'guide/keys.mdx': 'A key.' }),
    )
    await button().click()
    await put('key?')
    await dialog().getByText('Sources', { exact: true }).waitFor()
    await put('key?')
    await page.getByText('This site’s answers for today are used up.').waitFor()
    expect(await dialog().locator('.q-ask-sources').innerText()).toBe('')
    await shot('used-up')
  })

  it('is readable on a phone and in the dark', async () => {
    asked.script = () => ({ ...long, chunkDelayMs: 0 })
    for (const [name, colorScheme, width] of [
      ['phone-light', 'light', 360],
      ['phone-dark', 'dark', 360],
      ['desk-dark', 'dark', 1280],
    ] as const) {
      await page.close()
      page = await open(desk, { viewport: { width, height: 740 }, colorScheme })
      await shot(`${name}-closed`)
      await button().click()
      await put('How do I revoke a key?')
      await dialog().getByText('Sources', { exact: true }).waitFor()
      await shot(name)
      const { right, left } = await dialog().evaluate((element) => element.getBoundingClientRect())
      expect(left).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(width)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
  })

  it('is not there without a script, nor on a site that has it off, and breaks no rule of the site’s policy', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const plain = await context.newPage()
    await plain.goto(addressOf(desk))
    expect(await plain.getByRole('button', { name: 'Ask the docs' }).count()).toBe(0)
    await context.close()
    await page.close()
    page = await open(await openSite(asked, { 'guide/keys.mdx': 'A key.' }))
    expect(await button().count()).toBe(0)
    expect(problems).toEqual([])
  })
})
