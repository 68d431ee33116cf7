import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { launchBrowser } from '#test/support/browser.ts'
import { createProject, startService, type ProjectAccess } from '#test/support/service-process.ts'
import { type Timing, timed } from './timing.ts'

const slug = 'bench'
const deploys = 6
const line = 'Deploys can wait for a time that suits you, and **pages** that did not change are not built again.\n\n'
/** A processor as in a phone of some years ago; and this one, which may be as slow by itself. */
const slowdowns = [
  [4, 'four times slower'],
  [1, 'this processor'],
] as const
/** Between two keys, so that each is followed by itself. */
const restMs = 300
const patienceMs = 60_000

/**
 * Measures in a browser: until a project’s page is there to be used, its deploys among it, with a processor that is
 * four times slower and with this one; and from a key in the editor until the preview shows it.
 *
 * @param onTiming told each figure in milliseconds.
 */
export async function benchDashboard(runs: number, onTiming: (timing: Timing) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-dashboard-'))
  try {
    const service = await startService(directory, { LOG_LEVEL: 'error' })
    try {
      const project = await createProject(service.url, slug)
      const browser = await launchBrowser()
      try {
        const branch = await fill(service.url, project)
        const page = `${service.url}/dashboard/${slug}`
        for (const [slowdown, how] of slowdowns) {
          const visits = await visit(browser, { project, url: page, slowdown }, runs)
          onTiming({ name: `a project’s page, ${how}, first visit`, runs: visits.first })
          onTiming({ name: `a project’s page, ${how}, again`, runs: visits.again })
        }
        const editor = `${page}/branches/${branch}/edit/index.mdx`
        onTiming({ name: 'from a key to the preview', runs: await typeInto(browser, project, editor, runs * 4) })
      } finally {
        await browser.close()
      }
    } finally {
      await service.stop()
    }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A history of deploys, and a branch: its id. */
async function fill(url: string, { session: token }: ProjectAccess): Promise<string> {
  const client = createClient({ baseUrl: url, token })
  for (let number = 1; number <= deploys; number++) {
    const files = [{ path: 'index.mdx', content: `# Home ${number}\n\n${line.repeat(60)}` }]
    const body = { files, message: `Deploy ${number}` }
    await client.call(contract.deploys.create, { query: { project: slug }, body })
  }
  return (await client.call(contract.branches.create, { params: { slug }, body: { name: 'next' } })).id
}

async function pageOf(browser: Browser, { session }: ProjectAccess, url: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const cookie = { name: 'quire_session', value: session, httpOnly: true, sameSite: 'Lax' as const }
  await context.addCookies([{ ...cookie, domain: new URL(url).hostname, path: '/' }])
  return context.newPage()
}

/**
 * Notes when the newest deploy is painted, in milliseconds since the visit began. The page tells: to ask it again and
 * again from here takes a slow processor’s time.
 */
const noteWhenShown = `new MutationObserver((_, observer) => {
  const list = document.querySelector('[aria-label="Latest deploys"]')
  if (!list?.textContent.includes('Deploy ${deploys}')) return
  observer.disconnect()
  requestAnimationFrame(() => setTimeout(() => (window.shownAt = performance.now())))
}).observe(document, { subtree: true, childList: true, characterData: true })`

/** With nothing in the browser’s cache, and then with all of it. */
async function visit(
  browser: Browser,
  { project, url, slowdown }: { readonly project: ProjectAccess; readonly url: string; readonly slowdown: number },
  runs: number,
): Promise<{ readonly first: readonly number[]; readonly again: readonly number[] }> {
  const [first, again]: [number[], number[]] = [[], []]
  for (let run = 0; run < runs; run++) {
    const page = await pageOf(browser, project, url)
    await page.addInitScript(noteWhenShown)
    const debug = await page.context().newCDPSession(page)
    await debug.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    for (const kind of [first, again]) {
      await page.goto('about:blank')
      await page.goto(url, { waitUntil: 'commit' })
      kind.push(await shownAt(page))
    }
    await page.context().close()
  }
  return { first, again }
}

async function shownAt(page: Page): Promise<number> {
  for (let wait = 0; wait < patienceMs; wait += restMs) {
    await sleep(restMs)
    const noted = await page.evaluate<number | undefined>('window.shownAt')
    if (noted !== undefined) return noted
  }
  throw new Error(`${page.url()} shows no deploys after ${patienceMs} ms`)
}

/** @param keys how many */
async function typeInto(
  browser: Browser,
  project: ProjectAccess,
  url: string,
  keys: number,
): Promise<readonly number[]> {
  const page = await pageOf(browser, project, url)
  await page.goto(url)
  const preview = page.frameLocator('iframe')
  await preview.getByText(`Home ${deploys}`).first().waitFor()
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+End')
  const times: number[] = []
  for (let key = 0; key < keys; key++) {
    await page.keyboard.insertText(` word${key}`)
    await sleep(restMs)
    const shown = preview.getByText(`word${key}x`).first()
    times.push(await timed(() => page.keyboard.press('x').then(() => shown.waitFor())))
  }
  await page.context().close()
  return times
}
