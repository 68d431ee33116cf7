import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { isDeep } from '#test/support/depth.ts'
import { violationsOf } from '#test/support/accessibility.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { Reader } from './reader.ts'

const reader = new Reader()
let desk: Desk
let page: Page

const files = {
  'docs.json': JSON.stringify({
    name: 'Docs',
    navigation: {
      versions: [
        {
          version: '2.0',
          tabs: [
            { tab: 'Guides', pages: ['index', 'guide/keys'] },
            { tab: 'Reference', pages: ['reference/keys'] },
          ],
        },
        { version: '1.0', pages: ['v1/keys'] },
      ],
    },
  }),
  'index.md': '# Home\n\nEvery request runs through the middleware.',
  'guide/keys.md': `# Keys\n\nA key is a secret.\n\n${'## More\n\nText.\n\n'.repeat(30)}## Revoke a key\n\nWhoever has it revokes it: \`quire keys revoke\`.`,
  'reference/keys.md': '# Keys of the API\n\nSend the key in a header.',
  'v1/keys.md': '# Keys of before\n\nThere was one key.',
}

beforeAll(async () => {
  if (!hasBrowser) return
  desk = await openDesk(await sharedService())
  await desk.deploy(files)
})
afterAll(() => reader.leaves())
beforeEach(async () => {
  if (hasBrowser) page = await open('/guide/keys')
})
afterEach(() => reader.complains())

const open = (path: string, options?: BrowserContextOptions, host = desk.slug): Promise<Page> =>
  reader.opens(`http://${host}.localhost:${desk.port}${path}`, options)

const button = () => page.getByRole('button', { name: 'Search' })
const dialog = () => page.getByRole('dialog', { name: 'Search' })
const field = () => page.getByRole('combobox', { name: 'Search' })
const options = () => dialog().getByRole('listbox').getByRole('option')
const chosen = () => dialog().locator('[aria-selected=true]')

const faults = (): Promise<string[]> => violationsOf(page, 'dialog')

describe.skipIf(!hasBrowser)('the search box', () => {
  it('is loaded when it is opened, and leads from a misspelt word to its section', async () => {
    await page.waitForLoadState('networkidle')
    const loaded: string[] = []
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname))
    await button().click()
    await dialog().waitFor()
    expect(
      loaded
        .map((path) => path.replace(/-[\w-]{8}\./, '.'))
        .filter((path) => /\.(js|css)$/.test(path))
        .sort(),
    ).toEqual(['/_quire/search-box.js', '/_quire/search-style.css'])
    expect(await field().evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type('revok a kye')
    await options().first().waitFor()
    expect(await options().first().innerText()).toContain('Revoke a key')
    expect(await options().first().locator('mark').first().innerText()).toBe('Revoke')
    expect(await faults()).toEqual([])
    await options().first().click()
    await page.waitForURL('**/guide/keys#revoke-a-key')
    await dialog().waitFor({ state: 'hidden' })
  })

  it('opens with Ctrl or ⌘ and K and with /, and closes with Escape, which gives the focus back', async () => {
    await page.getByRole('link', { name: 'Keys', exact: true }).first().focus()
    for (const keys of ['Control+k', 'Meta+k', '/']) {
      await page.keyboard.press(keys)
      await dialog().waitFor()
      expect(await field().inputValue()).toBe('')
      await page.keyboard.press('Escape')
      await dialog().waitFor({ state: 'hidden' })
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('A')
    }
  })

  it('is chosen from by keys alone, and tells what is chosen and how much there is', async () => {
    await page.keyboard.press('Control+k')
    await dialog().waitFor()
    await page.keyboard.type('key')
    await options().nth(1).waitFor()
    const count = await options().count()
    expect(await dialog().getByRole('status').innerText()).toBe(`Results: ${count}`)
    expect(await field().getAttribute('aria-expanded')).toBe('true')
    const current = async (): Promise<number> => {
      const id = await field().getAttribute('aria-activedescendant')
      expect(await chosen().getAttribute('id')).toBe(id)
      return options().evaluateAll((all, wanted) => all.findIndex((one) => one.id === wanted), id)
    }
    expect(await current()).toBe(0)
    await page.keyboard.press('ArrowDown')
    expect(await current()).toBe(1)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    expect(await current()).toBe(count - 1)
    const href = (await chosen().getAttribute('href')) ?? ''
    await page.keyboard.press('Enter')
    await page.waitForURL(`**${href}`)
  })

  it('keeps recent searches for this site, until they are cleared', async () => {
    await page.keyboard.press('Control+k')
    await dialog().waitFor()
    await page.keyboard.type('middleware')
    await options().first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`http://${desk.slug}.localhost:${desk.port}/`)
    await page.keyboard.press('Control+k')
    await dialog().waitFor()
    expect(await options().allInnerTexts()).toEqual(['middleware'])
    await options().first().click()
    await expect.poll(() => options().first().innerText()).toContain('Every request')
    await field().fill('')
    await dialog().getByRole('button', { name: 'Clear recent searches' }).click()
    expect(await options().count()).toBe(0)
  })

  it('begins in the version of the page, and finds in others and under one tab where that is wanted', async () => {
    await page.keyboard.press('Control+k')
    await dialog().waitFor()
    await page.keyboard.type('keys')
    await options().first().waitFor()
    const pages = () => dialog().locator('.q-search-page').allInnerTexts()
    expect((await pages()).sort()).toEqual(['Guides › Keys', 'Reference › Keys of the API'])
    await dialog().getByLabel('Section').selectOption('Reference')
    await expect.poll(pages).toEqual(['Reference › Keys of the API'])
    await dialog().getByLabel('Version').selectOption('1.0')
    await expect.poll(pages).toEqual(['Keys of before'])
  })

  it('says when nothing is found', async () => {
    await page.keyboard.press('Control+k')
    await dialog().waitFor()
    await page.keyboard.type('<b>xyzzy</b>')
    await dialog().getByText('Nothing found for “<b>xyzzy</b>”.').first().waitFor()
    expect(await field().getAttribute('aria-expanded')).toBe('false')
    if (isDeep) expect(await faults()).toEqual([])
  })

  it('works on a phone, where it fills the screen', async () => {
    page = await open('/guide/keys', { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true })
    await button().tap()
    await dialog().waitFor()
    await field().fill('revoke')
    await options().first().waitFor()
    expect(await dialog().boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 640 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
    await options().first().tap()
    await page.waitForURL('**#revoke-a-key')
  })

  it('is there for previews', async () => {
    const branch = await desk.branch('more')
    await desk.save(branch, 'index.md', '# Home\n\nThe aardvark sleeps.')
    await desk.previewed(branch)
    page = await open('/guide/keys', {}, new URL(branch.previewUrl).hostname.replace('.localhost', ''))
    await button().click()
    await dialog().waitFor()
    await field().fill('aardvark')
    await options().first().waitFor()
    expect(await options().first().getAttribute('href')).toBe('/')
  })
})
