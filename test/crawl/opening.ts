import type { Browser } from 'playwright-core'
import { onPageError } from '../support/browser.ts'
import type { Site } from './site.ts'

/** Opens pages, and on each some of the addresses of its parts: what goes wrong, a line each. */
export async function open(
  browser: Browser,
  site: Site,
  paths: readonly string[],
  count: number,
): Promise<readonly string[]> {
  const troubles: string[] = []
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' })
  await context.route(
    ({ hostname }) => !hostname.endsWith('.localhost'),
    (route) => route.abort(),
  )
  const page = await context.newPage()
  let at = ''
  onPageError(page, (error) => void troubles.push(`${at}: ${error.message}`))
  const step = Math.max(1, paths.length / count)
  for (let index = 0; index < Math.min(count, paths.length); index++) {
    at = paths[Math.floor(index * step)] ?? '/'
    const response = await page.goto(site.origin + at, { waitUntil: 'load' })
    if (response?.status() !== 200) continue
    if ((await page.evaluate('document.documentElement.scrollWidth > innerWidth')) === true)
      troubles.push(`${at}: wider than the window`)
    const hashes = await page.evaluate<string[]>(
      `[...document.querySelectorAll('main a[href^="#"], main a[href*="' + location.pathname + '#"]')].map((one) => one.hash).slice(0, 12)`,
    )
    for (const hash of new Set(hashes)) {
      if (hash === '' || hash === '#top') continue
      await page.goto(site.origin + at + hash)
      if ((await page.evaluate('document.querySelector(":target") === null')) === true)
        troubles.push(`${at}: nothing is at ${hash}`)
    }
  }
  await context.close()
  return troubles
}
