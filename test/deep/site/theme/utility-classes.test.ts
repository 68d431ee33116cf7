import { createServer, type Server } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createComposer } from '#site/theme/composer.tsx'
import { loadTheme } from '#site/theme/assets.ts'
import { atOnce } from '#test/support/at-once.ts'
import { hasBrowser, launchBrowser } from '#test/support/browser.ts'
import { render } from '#test/support/site/mdx/render-text.ts'
import { bytes, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const source = `
<div className="box border-2 border-red-500 dark:border-white/10 p-7 bg-gradient-to-r from-sky-500 to-[#ffffff] text-green-600 hover:text-blue-600 md:pt-9">
  A box
</div>
<a href="/quickstart" className="act rounded-md bg-black px-10 text-white">Begin</a>
<div className="fixed lines divide-y"><i>a</i><i>b</i></div>

A paragraph of p-7 and no class.
`

let server: Server
let browser: Browser
let origin = ''
const complaints: string[] = []

async function open(options: Parameters<Browser['newPage']>[0]): Promise<Page> {
  const page = await browser.newPage(options)
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await page.goto(origin)
  return page
}

const lookOf = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue('${property}')`)

describe.skipIf(!hasBrowser)('utility classes in a browser', () => {
  beforeAll(async () => {
    const theme = loadTheme()
    const shell = atOnce(createComposer(sampleOptions).open(bytes(sampleShell({ assets: theme.assets }))))
    const { artifact } = await render(source)
    const { html, csp } = shell.page(bytes(artifact), '/')
    server = createServer(({ url = '/' }, response) => {
      const file = theme.files.get(url)
      if (file !== undefined) response.writeHead(200, { 'content-type': file.type }).end(file.bytes)
      else
        response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': csp })
          .end(html)
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

  it('look as they say, also under a pointer and where there is room', async () => {
    const page = await open({ viewport: { width: 1200, height: 800 }, colorScheme: 'light' })
    expect(await lookOf(page, '.box', 'border')).toBe('2px solid rgb(239, 68, 68)')
    expect(await lookOf(page, '.box', 'padding')).toBe('36px 28px 28px')
    expect(await lookOf(page, '.box', 'background-image')).toMatch(
      /^linear-gradient\(to right, rgb\(14, 165, 233\) 0%, rgb\(255, 255, 255\) 100%\)$/,
    )
    expect(await lookOf(page, '.box', 'color')).toBe('rgb(22, 163, 74)')
    await page.hover('.box')
    await expect.poll(() => lookOf(page, '.box', 'color')).toBe('rgb(37, 99, 235)')
    await page.setViewportSize({ width: 500, height: 800 })
    expect(await lookOf(page, '.box', 'padding')).toBe('28px')
    await page.close()
  })

  it('are dark where the page is, with and without scripts', async () => {
    const page = await open({ colorScheme: 'dark' })
    expect(await lookOf(page, '.box', 'border-color')).toBe('rgba(255, 255, 255, 0.1)')
    await page.evaluate(`document.documentElement.removeAttribute('data-theme')`)
    expect(await lookOf(page, '.box', 'border-color')).toBe('rgba(255, 255, 255, 0.1)')
    await page.evaluate(`document.documentElement.setAttribute('data-theme', 'light')`)
    expect(await lookOf(page, '.box', 'border-color')).toBe('rgb(239, 68, 68)')
    await page.close()
  })

  it('say how a button looks, draw lines between, and cover nothing', async () => {
    const page = await open({ colorScheme: 'light' })
    expect(await lookOf(page, '.act', 'background-color')).toBe('rgb(0, 0, 0)')
    expect(await lookOf(page, '.act', 'color')).toBe('rgb(255, 255, 255)')
    expect(await lookOf(page, '.act', 'padding-left')).toBe('40px')
    expect(await lookOf(page, '.lines i + i', 'border-width')).toBe('1px 0px 0px')
    expect(await lookOf(page, '.lines', 'position')).toBe('static')
    await page.close()
  })

  it('leave what is around the text as it is, and break no policy', async () => {
    const page = await open({})
    await page.evaluate(`document.querySelector('.q-sidebar').classList.add('p-7')`)
    expect(await lookOf(page, '.q-sidebar', 'padding-right')).not.toBe('28px')
    expect(complaints).toEqual([])
    await page.close()
  })
})
