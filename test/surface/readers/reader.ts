import type { BrowserContextOptions, Page } from 'playwright-core'
import { openDesk } from '#test/support/branching/support.ts'
import { onPageError, sharedBrowser } from '#test/support/browser.ts'
import { sharedService } from '#test/support/shared-service.ts'

/** Deploys files as a site of its own. @returns its address */
export async function siteOf(files: Readonly<Record<string, string>>): Promise<string> {
  const desk = await openDesk(await sharedService())
  await desk.deploy(files)
  return `http://${desk.slug}.localhost:${desk.port}`
}

/** Somebody who reads sites. The tests of a file share pages: what a fresh one costs is more than what most look at. */
export class Reader {
  /** Exceptions of scripts, and what the console was told as an error or a warning: `error: …`. */
  readonly problems: string[] = []
  readonly #options: BrowserContextOptions
  readonly #pages = new Map<string, Page>()

  constructor(options: BrowserContextOptions = {}) {
    this.#options = { viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce', ...options }
  }

  /** In the page of those options, which remembers nothing. */
  async opens(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const kind = JSON.stringify(options)
    const known = this.#pages.get(kind)
    const page = known ?? (await this.#newPage(options))
    this.#pages.set(kind, page)
    if (known !== undefined && options.javaScriptEnabled !== false)
      await page.evaluate('localStorage.clear(), sessionStorage.clear()')
    // An address that differs behind the # alone would load nothing.
    if (known !== undefined && url.includes('#')) await page.goto('about:blank')
    await page.goto(url)
    return page
  }

  /** For the end of a test: throws what has gone wrong in the pages since the one before. @param counts what of it is wrong */
  complains(counts: (problem: string) => boolean = () => true): void {
    const wrong = this.problems.splice(0).filter(counts)
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
  }

  async leaves(): Promise<void> {
    for (const page of this.#pages.values()) await page.context().close()
  }

  async #newPage(options: BrowserContextOptions): Promise<Page> {
    const browser = await sharedBrowser()
    const page = await (await browser.newContext({ ...this.#options, ...options })).newPage()
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.problems.push(`${message.type()}: ${message.text()}`)
    })
    onPageError(page, (error) => void this.problems.push(`exception: ${error.message}`))
    return page
  }
}
