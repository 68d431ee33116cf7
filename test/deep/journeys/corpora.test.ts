import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Deploy } from '#contract/deploys.ts'
import { violationsOf } from '#test/support/accessibility.ts'
import { hasBrowser, launchBrowser, onPageError } from '#test/support/browser.ts'
import { quire } from '#test/support/command-line.ts'
import { sizes } from '#test/support/dashboard.ts'
import { createProject, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { hasCorpora, unpackCorpus } from '#test/support/shared.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory } from '#test/support/temporary.ts'

/** Page references of a docs.json, wherever `pages` (or a group's `root`) stand in it. */
function navigationPages(node: unknown, key = ''): string[] {
  if (Array.isArray(node))
    return node.flatMap((item: unknown) =>
      typeof item === 'string' && key === 'pages' ? [item] : navigationPages(item),
    )
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'root' && typeof value === 'string' ? [value] : navigationPages(value, name),
  )
}

const hrefs = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="(\/[^"]*)"/g)].map((match) =>
    (match[1] ?? '').replaceAll('&amp;', '&').replaceAll('&#38;', '&'),
  )

/** What a browser goes to: an element of that id, or an `<a>` of that name. */
const hasAnchor = (html: string, anchor: string): boolean =>
  html.includes(`id="${anchor}"`) || html.includes(`<a name="${anchor}"`)

/** `EVERY_PAGE=1 npx vitest run --project deep test/deep/journeys/corpora.test.ts`: a browser opens all pages, else some of each site. */
const isWhole = process.env['EVERY_PAGE'] !== undefined
const opened = isWhole ? Number.POSITIVE_INFINITY : 5
/** Judged by axe in both themes and at two widths. */
const judged = isWhole ? 25 : 4
const minutes = isWhole ? 60 : 5

/** As many of a list, from all over it. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count)
  return items.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step)).slice(0, count)
}

/** A browser for which the rest of the world is there, and empty. */
async function openReader(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: sizes.desktop, reducedMotion: 'reduce' })
  await context.route(
    ({ hostname }) => !hostname.endsWith('.localhost'),
    (route) => {
      const kind = route.request().resourceType()
      if (kind === 'document') return route.fulfill({ contentType: 'text/html', body: '<title>Elsewhere</title>' })
      if (kind === 'script') return route.fulfill({ contentType: 'text/javascript', body: '' })
      return route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' })
    },
  )
  return context
}

/** A browser goes through pages: none writes an error to the console or is wider than the window, none breaks a rule of axe. */
async function read(
  browser: Browser,
  origin: string,
  pages: readonly string[],
  warnings: readonly string[],
): Promise<void> {
  const reader = await openReader(browser)
  const page = await reader.newPage()
  const told: string[] = []
  onPageError(page, (error) => void told.push(`${page.url()}: ${error.message}`))
  page.on('console', (message) => {
    // A picture that its authors do not have: the deploy has warned of it.
    const name = posix.basename(new URL(message.location().url || page.url()).pathname)
    const isKnown = warnings.some((warning) => warning.includes(name))
    if (message.type() === 'error' && !isKnown) told.push(`${page.url()}: ${message.text()} (${name})`)
  })
  for (const path of spread(pages, opened)) {
    await page.goto(origin + path, { waitUntil: 'load' })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
  }
  expect(told).toEqual([])
  for (const path of spread(pages, judged)) {
    await page.goto(origin + path, { waitUntil: 'load' })
    for (const size of Object.values(sizes))
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme })
        expect(await violationsOf(page), `${path} at ${size.width} in ${colorScheme}`).toEqual([])
      }
  }
  await reader.close()
}

// Hundreds of pages each: minutes where cores are few.
const isReady = hasCorpora && hasBrowser
describe.skipIf(!isReady)('real documentation, unmodified', { timeout: minutes * 60_000 }, () => {
  let directory: string
  let service: ServiceProcess
  let browser: Browser
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-corpora-'))
    service = await startService(join(directory, 'data'))
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await service.stop()
    await removeDirectory(directory)
  })

  it.each([
    ['turso-docs', 306],
    ['mem0-docs', 247],
    ['mcp-docs', 344],
  ])(
    '%s deploys through the command line; every page of the navigation and every link that is right answers',
    async (name, sources) => {
      const folder = await unpackCorpus(name, await mkdtemp(join(directory, 'docs-')))
      const project = await createProject(service.url, name)
      const { code, stdout, stderr } = await quire(['deploy', folder, '--url', service.url, '--json'], {
        SERVICE_API_KEY: project.key,
      })
      expect(code, stderr).toBe(0)
      const deploy = JSON.parse(stdout) as Deploy
      expect(deploy.errors).toEqual([])
      expect(deploy.pages.total).toBeGreaterThan(sources * 0.8)

      const host = `${name}.localhost`
      const config: { navigation: unknown } = JSON.parse(await readFile(join(folder, 'docs.json'), 'utf8'))
      const pages = navigationPages(config.navigation)
        .filter((page) => !/^https?:/.test(page))
        .map((page) => `/${page.replace(/^\//, '')}`)
      const bad: string[] = []
      const links = new Map<string, string>()
      for (const page of new Set(pages)) {
        const path = page.replace(/\/index$/, '') || '/'
        const reply = await getSite(service.port, host, path)
        if (reply.status !== 200) bad.push(`${path}: ${reply.status}`)
        for (const href of hrefs(reply.text)) links.set(href, path)
      }
      expect(bad).toEqual([])

      const reported = new Set(deploy.warnings.map((warning) => warning.message))
      for (const [href, from] of links) {
        const [path = '', anchor] = href.split('#')
        let reply = await getSite(service.port, host, path)
        const direct = reply.status === 200
        for (let hops = 0; hops < 3 && reply.status >= 300 && reply.status < 400; hops++) {
          const location = String(reply.headers['location'])
          if (!location.startsWith('/')) break
          reply = await getSite(service.port, host, location.split('#')[0] ?? '/')
        }
        // Where a redirect leads is another page than the writer had in mind: its anchors are not checked.
        const answers =
          reply.status < 400 && (!anchor || !direct || !path || hasAnchor(reply.text, decodeURIComponent(anchor)))
        if (!answers && ![...reported].some((message) => message.includes(path)))
          bad.push(`${from} → ${href}: ${reply.status}`)
      }
      expect(bad).toEqual([])

      await read(browser, `http://${host}:${service.port}`, [...new Set(pages)], [...reported])
    },
  )
})
