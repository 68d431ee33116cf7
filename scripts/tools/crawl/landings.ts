import type { Browser, CDPSession, Page } from 'playwright-core'
import type { Site } from './site.ts'

/** As browsers’ tools call slow 4G. */
const slow4g = { offline: false, latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 }
const viewport = { width: 1280, height: 800 }
/** Milliseconds without a change until a page is at rest. */
const rest = 1500
/** Pixels by which a heading may miss its place. */
export const allowed = 20

export interface Landing {
  /** Path with the fragment. */
  readonly href: string
  /** Pixels from the place where the heading should stand. */
  readonly miss: number
  /** Pictures and frames before it. */
  readonly above: number
}

/** Characters of HTML that come after a heading which may stand at the top of the window. */
const enough = 4000

/** Pages of a site with pictures, each with the last heading after some of them that may stand at the top. */
async function targetsOf(site: Site, paths: readonly string[], count: number): Promise<readonly string[]> {
  const found: string[] = []
  /** Further headings of the same pages. */
  const others: string[] = []
  for (const path of count === 0 ? [] : paths) {
    const { status, text } = await site.get(path)
    if (status !== 200) continue
    const article = text.split('<div class="q-prose')[1]?.split('</article>')[0] ?? ''
    const pictures = [...article.matchAll(/<(?:img|iframe|video) /g)].map(({ index }) => index)
    const headings = [...article.matchAll(/<h[2-4][^>]* id="([^"]*)"/g)].filter(
      ({ index }) => index > (pictures[0] ?? article.length) && article.length - index > enough,
    )
    const hrefs = headings.map(
      ([, id = '']) => `${path}#${encodeURIComponent(id.replaceAll('&amp;', '&').replaceAll('&#39;', "'"))}`,
    )
    found.push(...hrefs.slice(-1))
    others.push(...hrefs.slice(0, -1).toReversed())
  }
  if (found.length < count) found.push(...others.slice(0, count - found.length))
  const step = Math.max(1, found.length / count)
  return Array.from({ length: Math.min(count, found.length) }, (_, index) => found[Math.floor(index * step)] ?? '')
}

/** Opens addresses of headings as somebody would who was sent one, over a slow line. */
export async function land(browser: Browser, site: Site, paths: readonly string[], count: number): Promise<Landing[]> {
  const landings: Landing[] = []
  for (const href of await targetsOf(site, paths, count)) {
    const context = await browser.newContext({ viewport })
    await context.route(
      ({ hostname }) => !hostname.endsWith('.localhost'),
      async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 1200))
        if (route.request().resourceType() === 'document')
          await route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' })
        else await route.fulfill({ contentType: 'image/svg+xml', body: picture })
      },
    )
    const page = await context.newPage()
    const session: CDPSession = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', slow4g)
    await page.goto(site.origin + href, { waitUntil: 'load', timeout: 120_000 })
    landings.push({ href, ...(await measure(page)) })
    await context.close()
  }
  return landings
}

/** A picture of another site: large, and nobody knew how large. */
const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="700"/>'

/** When nothing has come or moved for a while. */
async function measure(page: Page): Promise<{ miss: number; above: number }> {
  const place = `(() => {
    const target = document.querySelector(':target')
    const top = target.getBoundingClientRect().top
    const wanted = parseFloat(getComputedStyle(target).scrollMarginTop)
    return { miss: Math.round(top - wanted), requests: performance.getEntriesByType('resource').length,
      above: [...document.querySelectorAll('.q-prose :is(img, iframe, video)')].filter((one) => one.compareDocumentPosition(target) & 4).length }
  })()`
  type Place = { readonly miss: number; readonly requests: number; readonly above: number }
  let last = await page.evaluate<Place>(place)
  for (let since = Date.now(); Date.now() - since < rest;) {
    await page.waitForTimeout(100)
    const now = await page.evaluate<Place>(place)
    const isLoading = await page.evaluate(
      '[...document.images].some((one) => !one.complete && one.getBoundingClientRect().top < 3 * innerHeight && one.getBoundingClientRect().bottom > -3 * innerHeight && one.checkVisibility())',
    )
    if (isLoading === true || now.miss !== last.miss || now.requests !== last.requests) since = Date.now()
    last = now
  }
  return { miss: last.miss, above: last.above }
}
