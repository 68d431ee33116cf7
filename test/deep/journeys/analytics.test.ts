import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { paths } from '#dashboard/paths.ts'
import { siteWith, bothOn } from '#test/support/http/support-analytics.ts'
import { hasBrowser, onPageError } from '#test/support/browser.ts'
import { DashboardTest, sizes, type Person } from '#test/support/dashboard.ts'

const slug = 'handbook'
/** The one of tests says that it is a machine. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

let test: DashboardTest
let owner: Person
const problems: string[] = []

beforeAll(async () => {
  if (!hasBrowser) return
  test = await DashboardTest.shared('rendering')
  owner = await test.person('owner')
  await owner.client.call(contract.projects.create, { body: { slug } })
  await deploy(bothOn)
})
afterAll(async () => {
  if (hasBrowser) await test.close()
})

async function deploy(on: object): Promise<void> {
  const files = Object.entries(siteWith(on)).map(([path, content]) => ({ path, content }))
  await owner.client.call(contract.deploys.create, { query: { project: slug }, body: { files } })
}

const site = (path: string): string => `http://${slug}.localhost:${test.service.port}${path}`
const analytics = (days = 30) => owner.client.call(contract.analytics.read, { params: { slug }, query: { days } })

async function reader(path: string, options: { javaScriptEnabled?: boolean } = {}): Promise<Page> {
  const page = await test.browser.newPage({ userAgent, viewport: sizes.phone, ...options })
  onPageError(page, (error) => void problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  await page.goto(site(path))
  return page
}

/** Where somebody wants to see it: `SHOTS=/tmp/shots`. */
async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS']
  if (folder === undefined) return
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, fullPage: true })
  }
}

describe.skipIf(!hasBrowser)('readers', () => {
  it('say by keyboard alone whether a page was helpful, and why, and are thanked aloud', async () => {
    const page = await reader('/guide/keys')
    const question = page.getByRole('group', { name: 'Was this page helpful?' })
    await expect.poll(() => page.getByRole('textbox').count()).toBe(0)
    await shot(page, 'question')
    await question.getByRole('button', { name: 'No' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByRole('status').allInnerTexts()).toContain('Thank you!')
    // The keyboard stays where it was, and an answer is one.
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    const note = page.getByRole('textbox', { name: 'What could be better? (optional)' })
    expect(await page.evaluate('document.activeElement.id')).toBe('q-feedback-note')
    await page.keyboard.insertText('Say where keys are <b>made</b>.')
    await shot(page, 'note')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => note.isVisible()).toBe(false)
    expect((await analytics()).helpful).toEqual({ yes: 0, no: 1 })
    const { items } = await owner.client.call(contract.feedback.list, { params: { slug }, query: {} })
    expect(items).toMatchObject([{ path: '/guide/keys', helpful: false, note: 'Say where keys are <b>made</b>.' }])
    await owner.expectAccessible(page)
    expect(await page.context().cookies()).toEqual([])
    await page.close()
  })

  it('say it without scripts, too', async () => {
    const page = await reader('/', { javaScriptEnabled: false })
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.waitForURL('**/#q-thanks')
    expect(await page.getByText('Thank you!').isVisible()).toBe(true)
    expect((await analytics()).helpful).toEqual({ yes: 1, no: 1 })
    await page.close()
  })

  it('are counted page by page, with what they searched for at the end, and not where they ask for it', async () => {
    const before = await analytics()
    for (let times = 0; times < 2; times++) {
      const page = await reader('/')
      await page.getByRole('link', { name: 'Keys' }).first().click()
      await page.waitForURL('**/guide/keys')
      await page.keyboard.press('/')
      await page.getByRole('combobox').fill('quantum')
      await page.locator('.q-search-note').getByText('quantum').waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(async () => (await analytics()).searches).toBe(before.searches + times * 2 + 1)
      await page.keyboard.press('/')
      await page.getByRole('combobox').fill('pipeline')
      await page.getByRole('option').first().waitFor()
      await page.keyboard.press('Escape')
      await expect.poll(async () => (await analytics()).searches).toBe(before.searches + times * 2 + 2)
      await page.close()
    }
    const shown = await analytics()
    expect(shown.views).toBe(before.views + 4)
    expect(shown.terms).toEqual([
      { term: 'pipeline', searches: 2, withoutResults: 0 },
      { term: 'quantum', searches: 2, withoutResults: 2 },
    ])
    const declining = await test.browser.newPage({ userAgent })
    const sent: string[] = []
    declining.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await declining.addInitScript('Object.defineProperty(Navigator.prototype, "globalPrivacyControl", { value: true })')
    await declining.goto(site('/'))
    await declining.waitForLoadState('networkidle')
    expect(sent.filter((each) => each.startsWith('POST'))).toEqual([])
    expect((await analytics()).views).toBe(before.views + 4)
    await declining.close()
    expect(problems).toEqual([])
  })
})

describe.skipIf(!hasBrowser)('the dashboard', () => {
  it('shows views, answers, terms and notes, by an address, and deletes a note', async () => {
    const { page } = owner
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      await owner.open(paths.analytics(slug))
      await page.getByText('Say where keys are <b>made</b>.').waitFor()
      await owner.expectAccessible()
      await shot(page, `analytics-${size}`)
    }
    const row = page.getByRole('row', { name: /\/guide\/keys/ })
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['3', '0 %', '0', '1'])
    expect(await page.getByRole('list', { name: 'Searches without results' }).innerText()).toContain('quantum')
    await page.getByRole('link', { name: '7 days' }).click()
    await page.waitForURL('**/analytics?days=7')
    await page.getByRole('link', { name: 'Helpful', exact: true }).click()
    await page.getByText('There are no notes with this answer.').waitFor()
    await owner.open(paths.analytics(slug))
    await page.getByRole('button', { name: 'Delete the note on /guide/keys' }).click()
    await page.getByRole('button', { name: 'Delete note', exact: true }).click()
    await page.getByText('Nobody has written anything yet.').waitFor()
    owner.expectNoProblems()
  })

  it('says of a site that counts nothing how it would', async () => {
    const { page, client } = owner
    await client.call(contract.projects.create, { body: { slug: 'plain' } })
    await owner.open(paths.analytics('plain'))
    await page.getByRole('heading', { name: 'Nothing is counted here' }).waitFor()
    expect(await page.getByRole('group', { name: 'Settings for docs.json' }).innerText()).toContain('"analytics"')
    await owner.expectAccessible()
    await shot(page, 'analytics-off')
    owner.expectNoProblems()
  })
})
