import type { Browser } from 'playwright-core'
import { onPageError } from '#test/support/browser.ts'
import type { Site } from './site.ts'

/** Opens pages, and on each some of the addresses of its parts: what goes wrong, also in scripts and requests, a line each. */
export async function open(
  browser: Browser,
  site: Site,
  paths: readonly string[],
  count: number,
): Promise<readonly string[]> {
  /** Pages by what goes wrong there: one style sheet can be wrong on all. */
  const troubles = new Map<string, string[]>()
  let at = ''
  const tell = (trouble: string): void => {
    const pages = troubles.get(trouble) ?? []
    if (!pages.includes(at)) pages.push(at)
    troubles.set(trouble, pages)
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  await context.route(
    ({ hostname }) => !hostname.endsWith('.localhost'),
    (route) => route.abort(),
  )
  const page = await context.newPage()
  onPageError(page, (error) => tell(error.message))
  const isOwn = (url: string): boolean => new URL(url).origin === site.origin
  // What is asked of other hosts is not answered here, and the browser says so.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      tell(`console: ${message.text()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400 && isOwn(response.url()) && !response.request().isNavigationRequest())
      tell(`${response.url()} answers ${response.status()}`)
  })
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? ''
    if (isOwn(request.url()) && reason !== 'net::ERR_ABORTED') tell(`${request.url()}: ${reason}`)
  })
  const step = Math.max(1, paths.length / count)
  for (let index = 0; index < Math.min(count, paths.length); index++) {
    at = paths[Math.floor(index * step)] ?? '/'
    const response = await page.goto(site.origin + at, { waitUntil: 'load' })
    if (response?.status() !== 200) continue
    if ((await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true)
      tell(`wider than the window`)
    const hashes = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main a[href^="#"], main a[href*="' + location.pathname + '#"]')].map((one) => one.hash).slice(0, 12)`,
    )
    for (const hash of new Set(hashes)) {
      if (hash === '' || hash === '#top') continue
      await page.goto(site.origin + at + hash)
      if ((await page.evaluate('document.querySelector(":target") === null')) === true) tell(`nothing is at ${hash}`)
    }
  }
  await context.close()
  return [...troubles].map(([what, [first = '', ...more]]) =>
    more.length === 0 ? `${first}: ${what}` : `${first} and ${more.length} more: ${what}`,
  )
}
