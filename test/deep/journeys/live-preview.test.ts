import type { Browser, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { hasBrowser, launchBrowser } from '#test/support/browser.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'

const dashboard = (service: TestService): string => `http://localhost:${service.port}`
const stranger = 'http://stranger.localhost'

let service: TestService
let browser: Browser
let pages: Page[] = []
/** What browsers complain about. */
let complaints: string[] = []

beforeAll(async () => {
  if (!hasBrowser) return
  service = await startTestService()
  // Pages that the test itself answers have no address, and may frame nothing of this machine otherwise.
  browser = await launchBrowser('--disable-features=LocalNetworkAccessChecks')
})
afterEach(async () => {
  for (const page of pages) await page.context().close()
  pages = []
  complaints = []
})
afterAll(async () => {
  if (!hasBrowser) return
  await browser.close()
  await service.close()
})

/** A page of an origin with a frame in it, which keeps what the frame tells it. */
async function openFraming(origin: string, url: string, sandbox: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 900, height: 600 } })).newPage()
  pages.push(page)
  page.on('console', (message) => complaints.push(message.text()))
  await page.route(`${origin}/framing`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body:
        `<!doctype html><body style="margin:0"><script>heard=[];onmessage=({data,origin})=>heard.push({...data,origin})</script>` +
        `<iframe style="width:100%;height:580px;border:0" sandbox="${sandbox}" src="${url}"></iframe>`,
    }),
  )
  await page.goto(`${origin}/framing`)
  return page
}

const frameSandbox = 'allow-scripts allow-same-origin'

/** The dashboard with the frame of a branch, once that is ready. */
async function openWriter(
  branch: Branch,
): Promise<{ page: Page; frame: Frame; send: (order: unknown) => Promise<void> }> {
  const page = await openFraming(dashboard(service), branch.liveUrl, frameSandbox)
  await expect.poll(() => heard(page)).toMatchObject([{ type: 'ready', origin: new URL(branch.liveUrl).origin }])
  const frame = page.frames().find((one) => one.url() === branch.liveUrl)
  if (frame === undefined) throw new Error('the frame is not there')
  const send = (order: unknown): Promise<void> =>
    page.evaluate(([message, origin]) => frames[0]?.postMessage(message, origin), [
      order,
      new URL(branch.liveUrl).origin,
    ] as const)
  return { page, frame, send }
}

const heard = (page: Page): Promise<unknown[]> => page.evaluate('heard')

async function render(desk: Desk, branch: Branch, content: string) {
  const body = { path: 'index.mdx', content }
  const answer = await desk.client.call(contract.branches.render, { params: { slug: desk.slug, id: branch.id }, body })
  expect(answer.errors).toEqual([])
  return { type: 'render', html: answer.html, title: answer.title, mode: answer.mode, styles: answer.styles }
}

const image =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="red"/></svg>'

const text = (words: string, more = ''): string => `---
title: Draft
---

![Square](/square.svg)

<Tabs>
  <Tab title="npm">

\`\`\`sh
npm install
\`\`\`

  </Tab>
  <Tab title="Yarn">Yarn words</Tab>
</Tabs>

<Accordion title="More">Folded</Accordion>

## Section

${words} and [a link](/other#part), [the section](#section).

${more}

${'Long text.\n\n'.repeat(60)}
`

describe.skipIf(!hasBrowser)('the page beside the text', () => {
  it('has the utility classes that are written, as long as they are', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.previewed(await desk.branch('draft'))
    const { frame, send } = await openWriter(branch)
    const padding = () =>
      frame.evaluate(() => getComputedStyle(document.querySelector('.box') ?? document.body).padding)
    await send(await render(desk, branch, '<div className="box p-7">Wide</div>'))
    await frame.getByText('Wide').waitFor()
    expect(await padding()).toBe('28px')
    await send(await render(desk, branch, '<div className="box p-9">Wider</div>'))
    await frame.getByText('Wider').waitFor()
    expect(await padding()).toBe('36px')
    await send(await render(desk, branch, '<div className="box">None</div>'))
    await frame.getByText('None').waitFor()
    expect(await padding()).toBe('0px')
    expect(complaints).toEqual([])
  })

  it('follows what is written, and keeps what the writer opened, chose and looks at', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home', 'square.svg': image })
    const branch = await desk.previewed(await desk.branch('draft'))
    const { page, frame, send } = await openWriter(branch)
    await send(await render(desk, branch, text('First words')))
    await frame.getByRole('heading', { name: 'Draft' }).waitFor()
    await frame.getByRole('tab', { name: 'Yarn' }).click()
    await frame.getByText('More').click()
    await frame.evaluate(() => {
      const square = document.querySelector('img')
      if (square !== null) Reflect.set(square, 'kept', true)
      scrollTo({ top: 300, behavior: 'instant' })
    })
    await send(await render(desk, branch, text('Other words', '```js\nconst fresh = 1\n```\n\n<Note>New box</Note>')))
    await frame.getByText('Other words').waitFor()
    await frame.getByText('New box').waitFor()
    const state = () =>
      frame.evaluate(() => ({
        kept: Reflect.get(document.querySelector('img') ?? {}, 'kept') as unknown,
        loaded: document.querySelector('img')?.naturalWidth,
        open: document.querySelector('details:not(.q-contents-small)')?.hasAttribute('open'),
        selected: document.querySelector('[role=tab][aria-selected=true]')?.textContent,
        lists: document.querySelectorAll('[role=tablist]').length,
        blocks: document.querySelectorAll('.q-code').length,
        buttons: document.querySelectorAll('.q-code > [data-copy]').length,
        scrolled: scrollY,
      }))
    const opened = { kept: true, loaded: 40, open: true, selected: 'Yarn', lists: 1, scrolled: 300 }
    expect(await state()).toEqual({ ...opened, blocks: 2, buttons: 2 })

    // A tab more, a block less, and everything in another order: it becomes what a fresh page would be.
    const last =
      '---\ntitle: Last\nmode: wide\n---\n\n<Tabs><Tab title="A">a</Tab><Tab title="Yarn">y</Tab></Tabs>\n\nEnd'
    const order = await render(desk, branch, last)
    await send(order)
    await frame.getByRole('heading', { name: 'Last' }).waitFor()
    expect(await frame.getByRole('tab').allTextContents()).toEqual(['A', 'Yarn'])
    expect(await frame.locator('body').getAttribute('class')).toBe('q-live q-mode-wide')
    const fresh = await openWriter(branch)
    await fresh.send(order)
    await fresh.frame.getByText('End').waitFor()
    await fresh.frame.getByRole('tab', { name: 'Yarn' }).click()
    const main = (one: Frame): Promise<string> => one.locator('main').innerText()
    expect(await main(frame)).toBe(await main(fresh.frame))
    expect(await heard(page)).toHaveLength(1)
  })

  it('leaves nothing of what scripts made in what comes in its place, and draws a diagram anew', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.previewed(await desk.branch('draft'))
    const { frame, send } = await openWriter(branch)
    const count = (selector: string): Promise<number> => frame.locator(selector).count()
    await send(await render(desk, branch, 'Before\n\n```js\n1\n```\n\nAfter'))
    await expect.poll(() => count('.q-code > [data-copy]')).toBe(1)
    await send(await render(desk, branch, 'Before\n\n<Frame caption="Picture">Framed</Frame>\n\nAfter'))
    await frame.getByText('Framed').waitFor()
    expect(await count('[data-copy]')).toBe(0)
    for (const target of ['B', 'C']) {
      await send(
        await render(desk, branch, `Before\n\n\`\`\`mermaid\nflowchart LR\n  A --> ${target}\n\`\`\`\n\nAfter`),
      )
      await frame.locator('.q-mermaid pre', { hasText: target }).waitFor({ state: 'attached' })
      await frame.locator('.q-mermaid[data-drawn]').waitFor()
    }
    expect(await count('.q-mermaid iframe')).toBe(1)
  })

  it('tells the dashboard what is clicked and goes nowhere, and takes its colours from it', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.previewed(await desk.branch('draft'))
    const { page, frame, send } = await openWriter(branch)
    await send(await render(desk, branch, text('Words')))
    await frame.getByRole('link', { name: 'a link' }).click()
    const { origin } = new URL(branch.liveUrl)
    await expect
      .poll(() => heard(page))
      .toMatchObject([{ type: 'ready' }, { type: 'open', href: `${origin}/other#part` }])
    await frame.getByRole('link', { name: 'the section' }).click()
    expect(frame.url().split('#')[0]).toBe(branch.liveUrl)
    for (const theme of ['dark', 'light']) {
      await send({ type: 'theme', theme })
      await expect.poll(() => frame.locator('html').getAttribute('data-theme')).toBe(theme)
    }
    expect(await heard(page)).toHaveLength(2)
  })

  it('shows an image once it is saved and built', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.previewed(await desk.branch('draft'))
    const { frame, send } = await openWriter(branch)
    await send(await render(desk, branch, text('Words')))
    const width = (): Promise<number | undefined> => frame.evaluate(() => document.querySelector('img')?.naturalWidth)
    await frame.getByRole('heading', { name: 'Draft' }).waitFor()
    expect(await width()).toBe(0)
    await desk.save(branch, 'square.svg', image)
    await expect.poll(width).toBe(40)
  })

  it('takes orders of the dashboard alone, and nobody else may frame it', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.previewed(await desk.branch('draft'))
    const { frame, send } = await openWriter(branch)
    // Of its own origin, and from a window that is not its parent.
    await frame.evaluate(() => postMessage({ type: 'render', html: '<p>Forged</p>', title: '' }, '*'))
    await send({ type: 'render', html: 7 })
    await send(await render(desk, branch, '# Real'))
    await frame.getByRole('heading', { name: 'Real' }).waitFor()
    expect(await frame.getByText('Forged').count()).toBe(0)

    for (const url of [branch.liveUrl, branch.previewUrl, `http://${desk.slug}.localhost:${service.port}/`]) {
      complaints = []
      const page = await openFraming(stranger, url, frameSandbox)
      await expect.poll(() => complaints.join()).toContain('frame-ancestors')
      expect(await heard(page)).toEqual([])
    }
  })

  it('is there before a preview is, in the look of main or of a plain site', async () => {
    const desk = await openDesk(service)
    await desk.deploy({
      'index.mdx': '# Home',
      'docs.json': '{"name":"Acme","theme":"mint","colors":{"primary":"#123456"},"navigation":{"pages":["index"]}}',
    })
    const branch = await desk.branch('draft')
    const { frame, send } = await openWriter(branch)
    expect(await frame.title()).toBe('Acme')
    await send(await render(desk, branch, '# Soon'))
    await frame.getByRole('heading', { name: 'Soon' }).waitFor()
    expect(await frame.title()).toBe('Soon')
  })
})

describe.skipIf(!hasBrowser)('a site', () => {
  it('is shown in a frame of the dashboard that gives it neither scripts nor an origin', async () => {
    const desk = await openDesk(service)
    await desk.deploy({ 'index.mdx': '# Small picture', 'square.svg': image })
    const url = `http://${desk.slug}.localhost:${service.port}/`
    const page = await openFraming(dashboard(service), url, '')
    const frame = page.frameLocator('iframe')
    await frame.getByRole('heading', { name: 'Small picture' }).waitFor()
    const size = await frame
      .getByRole('heading', { name: 'Small picture' })
      .evaluate((one) => getComputedStyle(one).fontSize)
    expect(Number.parseFloat(size)).toBeGreaterThan(20)
  })
})
