import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, launchBrowser, onPageError } from '#test/support/browser.ts'
import type { NewEntry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const wide = `| ${'column | '.repeat(30)}\n|${' --- |'.repeat(30)}\n| ${'wide-cell-content | '.repeat(30)}`

/** Everything that an entry can hold, and what it must not do. */
const entries: (Partial<NewEntry> & Pick<NewEntry, 'title' | 'content'>)[] = [
  {
    title: 'Wide things stay in their place',
    content: `${wide}\n\n${'x'.repeat(400)}\n\n\`\`\`ts\n${'const a = 1; '.repeat(60)}\n\`\`\``,
  },
  {
    title: 'Nothing here leaves its box',
    content:
      '<script>document.title = "run"</script><img src="x" onerror="document.title = \'run\'">\n\n' +
      '<a class="q-card-link log-top" style="position:fixed;inset:0;z-index:9999" href="https://evil.example" id="log-trap">Over everything</a>\n\n' +
      '<form action="https://evil.example"><input name="password"></form>\n\n<iframe src="https://example.com/video" title="A film"></iframe>\n\n' +
      '[run](javascript:document.title=1) <a name="cookie" id="cookie">x</a>',
  },
  { title: 'مرحبا بالعالم', content: 'نص من اليمين إلى اليسار مع `code` داخله.', version: '٢٫٠' },
  {
    title: 'Components',
    version: 'v2.1.0',
    tags: ['api', 'breaking'],
    content:
      '<Note>Keys of before keep working until March.</Note>\n\n<Steps>\n  <Step title="Make a key">In the **settings**.</Step>\n  <Step title="Use it">\n\n```sh title="Terminal"\nquire deploy docs\n```\n\n  </Step>\n</Steps>\n\n' +
      '<Tabs>\n  <Tab title="npm">`npm i`</Tab>\n  <Tab title="pnpm">`pnpm i`</Tab>\n</Tabs>\n\n<Accordion title="Why?">Because.</Accordion>\n\n<CardGroup cols={2}>\n  <Card title="Keys" icon="key" href="/guides/keys">How keys work.</Card>\n  <Card title="Scopes" href="/guides/scopes">What they allow.</Card>\n</CardGroup>',
  },
  {
    title: 'Scheduled deploys, and builds in half the time',
    version: 'v2.2.0',
    tags: ['deploys', 'performance'],
    content:
      'Deploys can now wait for a time that suits you. Pages that did not change are **not built again**, which makes most deploys take *less than half* of what they took.\n\n## What is new\n\n- Schedule a deploy with `--at`\n- See what waits in the [dashboard](/guides/deploys)\n- [x] Works with branches\n\n```sh\nquire deploy docs --at 2026-12-01T09:00:00Z\n```\n\n> Nothing changes for deploys without a date.\n\n| before | after |\n| --- | --- |\n| 12 s | 5 s |\n',
  },
]

let service: TestService
let project: ProjectAccess
let browser: Browser
const problems: string[] = []

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  onPageError(page, (error) => void problems.push(error.message))
  await page.goto(`${service.url}/dashboard/docs/changelog${path}`)
  return page
}

describe.skipIf(!hasBrowser)('the changelog in a browser', () => {
  beforeAll(async () => {
    service = await startTestService({ PREVIEW_DOMAIN: 'docs.example.net' })
    project = await createProject(service.url, 'docs')
    let day = 1
    for (const entry of entries) {
      const published_at = new Date(Date.UTC(2026, 9, day++, 9)).toISOString()
      await project.client.call(contract.changelog.create, {
        params: { slug: 'docs' },
        body: { ...entry, is_draft: false, published_at },
      })
    }
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  it.each([
    [390, 'light'],
    [390, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)('is whole without JavaScript, %i wide and %s, and never scrolls sideways', async (width, colorScheme) => {
    const page = await open('', { viewport: { width, height: 900 }, colorScheme, javaScriptEnabled: false })
    expect(await page.locator('article').count()).toBe(entries.length)
    expect(await page.locator('h2.log-name').first().textContent()).toBe(
      'Scheduled deploys, and builds in half the time',
    )
    await page.context().close()
    const scripted = await open('', { viewport: { width, height: 900 }, colorScheme })
    expect(await scripted.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    const background = await scripted.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(14, 16, 20)')
    await scripted.context().close()
  })

  it('runs nothing of an entry, and keeps what it draws in its box', async () => {
    const page = await open('')
    expect(await page.title()).toBe('docs changelog')
    expect(await page.locator('script, form, iframe, [style], [onerror]').count()).toBe(0)
    expect(await page.evaluate(() => document.querySelector('[href^="javascript"]'))).toBeNull()
    expect(await page.locator('#cookie, #log-trap').count()).toBe(0)
    const trap = page.getByText('Over everything')
    const [box, around] = await Promise.all([
      trap.boundingBox(),
      page.locator('.log-content', { has: trap }).boundingBox(),
    ])
    expect(box?.y).toBeGreaterThanOrEqual(around?.y ?? Infinity)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual((around?.y ?? 0) + (around?.height ?? 0))
    await page.context().close()
  })

  it('an entry has a page of its own, by the link of its title and of its date', async () => {
    const page = await open('')
    await page.locator('.log-name a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Scheduled deploys, and builds in half the time' }).waitFor()
    expect(await page.locator('link[rel=canonical]').getAttribute('href')).toContain('/dashboard/docs/changelog/')
    await page.getByText('All entries').click()
    await expect.poll(() => page.locator('article').count()).toBe(entries.length)
    await page.locator('.log-filter a', { hasText: 'performance' }).click()
    await expect.poll(() => page.locator('article').count()).toBe(1)
    await page.context().close()
  })

  it('a browser has nothing to complain of', () => {
    // The pictures of the entries are not there; what the policy stops would be named here, too.
    expect(problems.filter((text) => !text.includes('ERR_'))).toEqual([])
  })
})
