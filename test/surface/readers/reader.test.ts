import { deflateSync, crc32 } from 'node:zlib'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { hasBrowser, sharedBrowser } from '#test/support/browser.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { Reader } from './reader.ts'

/** A grey PNG, larger than any column. */
function picture(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = Buffer.alloc((width + 1) * height, 0x80)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const group = (name: string, pages: readonly string[]) => ({ group: name, expanded: false, pages })
const docs = {
  name: 'Acme',
  colors: { primary: '#0f766e' },
  banner: { content: 'Version **3** is here', dismissible: true },
  navigation: {
    pages: [
      'index',
      'pictures',
      { group: 'Guides', pages: ['guide', group('Deeper', ['deep-one', 'deep-two']), group('Aside', ['aside'])] },
    ],
  },
}
const text = 'A line of text that is long enough to be read.\n\n'
const files: Readonly<Record<string, string>> = {
  'docs.json': JSON.stringify(docs),
  'index.mdx': `# Home\n\n[Guide](/guide)\n\n| ${'column | '.repeat(30)}\n|${' --- |'.repeat(30)}\n| ${'wide-cell | '.repeat(30)}\n\n| a | b |\n| - | - |\n| 1 | 2 |\n\n\`\`\`sh title="Long"\n${'word '.repeat(120)}\n\`\`\`\n\n\`\`\`sh\nls\n\`\`\`\n\n- [x] Done\n- Plain`,
  'pictures.mdx': `# Pictures\n\n${'![A large picture](/large.png)\n\n'.repeat(3)}${text.repeat(40)}## Far below\n\n${text.repeat(40)}<img src="/large.png" alt="Stays" noZoom />`,
  'guide.mdx': '# Guide',
  'tabs.mdx': `# Tabs\n\n## Before\n\n${text.repeat(20)}<Tabs>\n<Tab title="One">\n## In one\n\n${text.repeat(20)}\n</Tab>\n<Tab title="Two">\n## In two\n\n${text.repeat(20)}\n</Tab>\n</Tabs>\n\n## After\n\n${text.repeat(20)}`,
  'deep-one.mdx': '# One',
  'deep-two.mdx': '# Two',
  'aside.mdx': '# Aside\n\n<div>\n  <Badge shape="pill">\n    Final\n  </Badge>\n</div>',
}

describe.skipIf(!hasBrowser)('a reader of a site', () => {
  const reader = new Reader()
  let origin = ''
  let desk: Desk

  beforeAll(async () => {
    desk = await openDesk(await sharedService())
    const image = { path: 'large.png', content: picture(2400, 1600).toString('base64'), encoding: 'base64' as const }
    const texts = Object.entries(files).map(([path, content]) => ({ path, content }))
    await desk.client.call(contract.deploys.create, { body: { files: [...texts, image] } })
    origin = `http://${desk.slug}.localhost:${desk.port}`
  })
  afterAll(() => reader.leaves())

  const open = (path: string, options?: BrowserContextOptions, site = origin): Promise<Page> =>
    reader.opens(site + path, options)
  const phone = { viewport: { width: 390, height: 800 } }
  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName ?? '')

  it('has the menu of a phone to itself while it is open, and is back at its button after Escape', async () => {
    const page = await open('/', phone)
    await page.locator('.q-burger').click()
    await page.getByRole('dialog').waitFor()
    await page.evaluate(`globalThis.outside = []
      addEventListener('focusin', ({ target }) => target.closest('#q-sidebar') ?? outside.push(target.outerHTML))`)
    for (let step = 0; step < 30; step++) await page.keyboard.press('Tab')
    expect(await page.evaluate('outside')).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => page.evaluate(() => document.activeElement?.className ?? '')).toContain('q-burger')
    expect(await page.locator('[inert]').count()).toBe(0)
  })

  it('finds groups of the sidebar on the next page as they were left', async () => {
    const page = await open('/')
    const deeper = page.locator('.q-nav details', { hasText: 'Deeper' })
    expect(await deeper.getAttribute('open')).toBeNull()
    await deeper.locator('summary').click()
    await page.locator('.q-nav a', { hasText: 'Guide' }).click()
    await page.getByRole('heading', { level: 1, name: 'Guide' }).waitFor()
    expect(await deeper.getAttribute('open')).not.toBeNull()
    expect(await page.locator('.q-nav details', { hasText: 'Aside' }).getAttribute('open')).toBeNull()
  })

  it('sees a badge as tall as its line, also where the author wrote it on lines of its own', async () => {
    const page = await open('/aside')
    expect((await page.locator('.q-badge').boundingBox())?.height).toBeLessThan(26)
  })

  it('sees what a script of the site draws beside the title in the size that its class names', async () => {
    const page = await open('/guide')
    await page.evaluate(() =>
      document
        .querySelector('h1')
        ?.insertAdjacentHTML('afterend', '<svg class="size-5 drawn" viewBox="0 0 1 1"></svg>'),
    )
    expect(await page.locator('.drawn').boundingBox()).toMatchObject({ width: 20, height: 20 })
  })

  it('closes the banner for good, and reads what is bold in it', async () => {
    const page = await open('/')
    expect(await page.locator('.q-banner strong').textContent()).toBe('3')
    await page.locator('[data-dismiss]').click()
    await expect.poll(() => page.locator('.q-banner').isVisible()).toBe(false)
    await page.goto(`${origin}/guide`)
    expect(await page.locator('.q-banner').isVisible()).toBe(false)
  })

  it('comes to rest at the heading of an address below pictures', async () => {
    const page = await open('/pictures#far-below')
    const images = page.locator('.q-prose img[alt="A large picture"]')
    expect(await images.first().getAttribute('width')).toBe('2400')
    expect([await images.first().getAttribute('loading'), await images.last().getAttribute('loading')]).toEqual([
      null,
      'lazy',
    ])
    await page.waitForLoadState('networkidle')
    const top = await page.locator('#far-below').evaluate((heading) => heading.getBoundingClientRect().top)
    expect(top).toBeGreaterThanOrEqual(40)
    expect(top).toBeLessThan(180)
  })

  it('sees a picture whole when it is pressed, by pointer and keyboard, and comes back to it', async () => {
    const page = await open('/pictures')
    const image = page.getByRole('button', { name: 'A large picture' }).first()
    await image.click()
    await page.getByRole('dialog', { name: 'A large picture' }).waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await image.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'A large picture' }).waitFor()
    await page.getByRole('dialog').getByRole('button').click()
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    expect(await focused(page)).toBe('IMG')
    expect(await page.getByRole('button', { name: 'Stays' }).count()).toBe(0)
  })

  it('reaches with Tab what scrolls, and stops at nothing that does not', async () => {
    const page = await open('/')
    await expect.poll(() => page.locator('.q-table[tabindex="0"], pre[tabindex="0"]').count()).toBe(2)
    expect(await page.locator('.q-table').last().getAttribute('tabindex')).toBeNull()
    expect(await page.locator('input[type=checkbox]').getAttribute('aria-label')).not.toBeNull()
  })

  it('finds in the contents what the chosen tab has, and where the text is that is being read', async () => {
    const page = await open('/tabs')
    const contents = page.locator('[data-contents] a:visible')
    const current = page.locator('[data-contents] [aria-current]')
    await expect.poll(() => contents.allTextContents()).toEqual(['Before', 'In one', 'After'])
    await expect.poll(() => current.allTextContents()).toEqual(['Before'])
    await page.getByRole('tab', { name: 'Two' }).click()
    await expect.poll(() => contents.allTextContents()).toEqual(['Before', 'In two', 'After'])
    await page.goto(`${origin}/tabs#in-two`)
    await expect.poll(() => current.allTextContents()).toEqual(['In two'])
    await page.goto(`${origin}/tabs#in-one`)
    await expect.poll(() => current.allTextContents()).toEqual(['In one'])
  })

  it('sees nothing move when the script that makes tabs comes late', async () => {
    const context = await (await sharedBrowser()).newContext({ viewport: { width: 1280, height: 1600 } })
    const page = await context.newPage()
    await page.addInitScript(`globalThis.moved = []
      new PerformanceObserver((list) => moved.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true })`)
    let free = (): void => undefined
    const painted = new Promise<void>((resolve) => (free = resolve))
    await page.route(/\/_quire\/main-/, async (route) => {
      await painted
      await route.continue()
    })
    await page.goto(`${origin}/tabs`, { waitUntil: 'commit' })
    await page.locator('#in-one').waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    free()
    await page.getByRole('tab', { name: 'Two' }).waitFor()
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    // Part of the window times part of its height: the title becomes a button, to fractions of a pixel.
    expect(await page.evaluate('moved.reduce((sum, value) => sum + value, 0)')).toBeLessThan(0.001)
    await context.close()
  })

  it('has the next page fetched when about to go there', async () => {
    const page = await open('/')
    await page.locator('.q-prose a', { hasText: 'Guide' }).hover()
    await expect.poll(() => page.locator('link[rel=prefetch]').getAttribute('href')).toBe(`${origin}/guide`)
  })

  it('knows a preview from the live site, and gets from a page there to the same one here', async () => {
    const branch = await desk.branch('feature/new-words')
    await desk.save(branch, 'guide.mdx', '# Guide\n\nWith new words.')
    await desk.save(branch, 'only-here.mdx', '# Only here')
    await desk.previewed(branch)
    const page = await open('/guide', phone, new URL(branch.previewUrl).origin)
    const mark = page.getByRole('complementary', { name: 'Preview of feature/new-words' })
    expect(await mark.getByRole('link').getAttribute('href')).toBe(`${origin}/guide`)
    await page.emulateMedia({ media: 'print' })
    expect(await mark.isVisible()).toBe(false)
    await page.emulateMedia({ media: 'screen' })
    await page.goto(new URL('/only-here', branch.previewUrl).href)
    expect(await mark.isVisible()).toBe(true)
    expect(await mark.getByRole('link').count()).toBe(0)
    await page.goto(`${origin}/guide`)
    expect(await page.locator('.q-preview-mark').count()).toBe(0)
  })

  it('meets no error of the console', () => {
    expect(reader.problems).toEqual([])
  })
})
