import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createComposer } from '#site/theme/composer.tsx'
import { loadTheme } from '#site/theme/assets.ts'
import { violationsOf } from '#test/support/accessibility.ts'
import { atOnce } from '#test/support/at-once.ts'
import { hasBrowser, launchBrowser, onPageError } from '#test/support/browser.ts'
import { render } from '#test/support/site/mdx/render-text.ts'
import { bytes, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const pages: Readonly<Record<string, string>> = {
  '/changes': `---
title: Changes
description: What is new.
rss: true
---

<Update label="May" tags={["API", "CLI"]}>
  ## Faster

  Words.
</Update>

<Update label="April" tags={["API"]}>
  ## Smaller

  Words.
</Update>

<Update label="March">Words.</Update>
`,
  '/parts': `---
title: Parts
---

<Prompt description="Write **it**." icon="paperclip" actions={["copy", "cursor"]}>
Write *one* page:
- short
</Prompt>

<Color variant="compact">
  <Color.Item name="accent" value="#0F766E" />
  <Color.Item name="ground" value={{ light: "#FFFFFF", dark: "#000000" }} />
</Color>

<Color variant="table">
  <Color.Row title="Primary"><Color.Item name="p" value="oklch(70% 0.2 145)" /></Color.Row>
</Color>

<FileTree>

- docs/
  - **index.mdx** first
  - …
- a.json

</FileTree>

<Tree>
  <Tree.Folder name="app" defaultOpen highlight><Tree.File name="page.tsx" highlight /></Tree.Folder>
</Tree>

<View title="JavaScript" icon="js">
  ## In JavaScript

  One.
</View>
<View title="Python" icon="python">
  ## In Python

  Two.
</View>

## More

<Columns cols={2}>
  <Card title="Careful" type="warning" href="/changes">Words.</Card>
  <Card title="Good" type="check">Words.</Card>
  <GitHub.Repo repo="octocat/hello-world" />
</Columns>

<Badge color="white-destructive">Gone</Badge> <Badge color="surface-destructive" icon="ban">Gone</Badge>

> [!CAUTION]
> Words.

::: details More
Words.
:::

<Tabs defaultTabIndex={1} borderBottom sync={false}>
  <Tab title="One">1</Tab>
  <Tab title="Two">2</Tab>
</Tabs>

<Steps><Step title="First">a</Step></Steps>

\`\`\`mermaid placement="top-left"
flowchart TD
  A --> B --> C --> D --> E
\`\`\`

\`\`\`mermaid actions={false}
flowchart TD
  A --> B --> C --> D --> E
\`\`\`
`,
}

let server: Server
let browser: Browser
let origin = ''
const problems: string[] = []

async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  onPageError(page, (error) => void problems.push(error.message))
  await page.goto(origin + path)
  return page
}

describe.skipIf(!hasBrowser)('components in a browser', () => {
  beforeAll(async () => {
    const theme = loadTheme()
    const composer = createComposer({ ...sampleOptions, assets: theme.assets })
    const shellIn = (lang: string) => atOnce(composer.open(bytes(sampleShell({ assets: theme.assets, lang }))))
    const shells = { en: shellIn('en'), de: shellIn('de') }
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '/', 'http://localhost')
      const file = theme.files.get(pathname)
      if (file !== undefined) {
        response.setHeader('content-type', file.type).end(file.bytes)
        return
      }
      const path = pathname.replace(/^\/de/, '')
      void render(pages[path] ?? 'Nothing').then(({ artifact }) => {
        const { html, csp } = shells[pathname.startsWith('/de/') ? 'de' : 'en'].page(bytes(artifact), path)
        response.setHeader('content-type', 'text/html; charset=utf-8').setHeader('content-security-policy', csp)
        return response.end(html)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await launchBrowser()
  })

  afterAll(async () => {
    await browser.close()
    server.close()
  })

  it('chooses updates by all tags that are pressed, in the contents list too, and the address says which', async () => {
    const page = await open('/changes')
    const shown = () => page.locator('.q-update:visible > .q-update-head h2').allTextContents()
    const listed = () => page.locator('.q-contents a:visible').allTextContents()
    expect(await shown()).toEqual(['May', 'April', 'March'])
    const tag = (name: string) => page.getByRole('group', { name: 'Entries by tag' }).getByRole('button', { name })
    await tag('API').click()
    expect(await shown()).toEqual(['May', 'April'])
    expect(await listed()).toEqual(['May', 'Faster', 'April', 'Smaller'])
    await tag('CLI').click()
    expect([await shown(), await listed()]).toEqual([['May'], ['May', 'Faster']])
    expect(new URL(page.url()).search).toBe('?tags=API%2CCLI')
    expect(await tag('CLI').getAttribute('aria-pressed')).toBe('true')
    await page.reload()
    expect(await shown()).toEqual(['May'])
    await tag('CLI').click()
    await tag('API').click()
    expect([await shown(), new URL(page.url()).search]).toEqual([['May', 'April', 'March'], ''])
    expect(await page.getByRole('link', { name: 'RSS' }).getAttribute('href')).toBe('/changes/rss.xml')
  })

  it('shows all updates without scripts, and no buttons that do nothing', async () => {
    const page = await open('/changes?tags=API', { javaScriptEnabled: false })
    expect(await page.locator('.q-update:visible').count()).toBe(3)
    expect(await page.locator('.q-filters:visible').count()).toBe(0)
    const parts = await open('/parts', { javaScriptEnabled: false })
    expect(await parts.locator('.q-prompt button:visible').count()).toBe(0)
    expect(await parts.locator('.q-tab:visible').count()).toBe(4)
  })

  it('copies a prompt as Markdown, and the value of a colour', async () => {
    const page = await open('/parts', { permissions: ['clipboard-read', 'clipboard-write'] })
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Copy prompt' }).click()
    await expect.poll(clipboard).toBe('Write *one* page:\n\n- short')
    await page.getByRole('button', { name: 'Copy “ground #000000”' }).click()
    await expect.poll(clipboard).toBe('#000000')
    const href = await page.getByRole('link', { name: 'Open in Cursor' }).getAttribute('href')
    expect(new URL(href ?? '').searchParams.get('text')).toBe('Write *one* page:\n\n- short')
  })

  it('makes tabs of views, whose headings alone are in the contents list, and begins where the author says', async () => {
    const page = await open('/parts')
    const listed = () => page.locator('.q-contents a:visible').allTextContents()
    expect(await listed()).toEqual(['In JavaScript', 'More'])
    await page.getByRole('tab', { name: 'Python' }).click()
    expect(await listed()).toEqual(['In Python', 'More'])
    expect(await page.getByRole('tab', { name: 'Two' }).getAttribute('aria-selected')).toBe('true')
    await page.goto(`${origin}/parts#in-javascript`)
    expect(await page.getByRole('heading', { name: 'In JavaScript' }).isVisible()).toBe(true)
  })

  it('says in the address which fold is open', async () => {
    const page = await open('/parts')
    await page.locator('.q-accordion > summary').click()
    expect(new URL(page.url()).hash).toBe('#more-1')
    await page.reload()
    expect(await page.locator('.q-accordion').getAttribute('open')).toBe('')
  })

  it('makes a diagram larger where it stands, and scrolls what does not fit', async () => {
    const page = await open('/parts')
    await page.locator('.q-mermaid').last().scrollIntoViewIfNeeded()
    const [first, second] = [page.locator('.q-mermaid').first(), page.locator('.q-mermaid').last()]
    await second.and(page.locator('[data-drawn]')).waitFor({ timeout: 20_000 })
    await first.getByRole('button', { name: 'Zoom in' }).click()
    await first.getByRole('button', { name: 'Zoom in' }).click()
    const view = first.locator('.q-mermaid-view')
    const size = () =>
      view.evaluate(({ scrollHeight, clientHeight }) => Math.round((scrollHeight / clientHeight) * 4) / 4)
    expect(await size()).toBe(2.25)
    expect(await view.getAttribute('tabindex')).toBe('0')
    await first.getByRole('button', { name: 'Reset view' }).click()
    expect([await size(), await view.getAttribute('tabindex')]).toEqual([1, null])
    expect(await second.locator('button').count()).toBe(0)
  })

  it('says all that in the language of the page', async () => {
    const page = await open('/de/parts')
    for (const name of ['Prompt kopieren', '„accent #0F766E“ kopieren'])
      expect(await page.getByRole('button', { name }).count()).toBe(1)
    expect(await page.getByRole('link', { name: 'In Cursor öffnen' }).count()).toBe(1)
    expect(await page.locator('script[data-diagram]').getAttribute('data-diagram')).toMatch(/^Vergrößern\|/)
  })

  it.each(['light', 'dark'] as const)(
    'breaks no rule for people with other senses, %s, on a phone too',
    async (colorScheme) => {
      for (const path of ['/changes?tags=API', '/parts'])
        for (const width of [1280, 390]) {
          const page = await open(path, { colorScheme, viewport: { width, height: 800 } })
          expect(await violationsOf(page, 'main')).toEqual([])
          expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
        }
    },
  )

  it('said nothing to the console', () => {
    expect(problems).toEqual([])
  })
})
