import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest } from '#test/support/dashboard.ts'

/** Takes all of the room that the browser has for an origin. */
const fillStorage = `{
  localStorage.clear()
  let name = 0
  for (let length = 2 ** 20; length >= 1; length /= 2)
    for (;;) {
      try {
        localStorage.setItem(String(name++), 'x'.repeat(length))
      } catch {
        break
      }
    }
}`

describe.skipIf(!hasBrowser)('every page of the dashboard', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('has the same frame, from which projects, theme and account are reached by keyboard', async () => {
    const ada = await dashboard.person('frame-ada')
    await ada.client.call(contract.projects.create, { body: { slug: 'frame', title: 'Handbook' } })
    await ada.open('/dashboard/frame/nowhere')
    await ada.page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    await ada.expectAccessible()

    await ada.page.keyboard.press('Tab')
    await ada.page.getByRole('link', { name: 'Skip to the page' }).press('Enter')
    expect(await ada.page.evaluate('document.activeElement.id')).toBe('main')

    await ada.page.getByRole('button', { name: 'Your account' }).press('Enter')
    await ada.page.getByRole('menuitemradio', { name: 'Dark' }).press('Enter')
    expect(await ada.page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await ada.page.reload()
    expect(await ada.page.evaluate('document.documentElement.dataset.theme')).toBe('dark')

    await ada.page.getByRole('button', { name: 'Handbook' }).click()
    await ada.page.getByRole('menuitem', { name: 'All projects' }).click()
    await ada.page.waitForURL('**/dashboard')
    await ada.page.goBack()
    await ada.page.getByRole('heading', { name: 'There is no such page' }).waitFor()
    ada.expectNoProblems()
  })

  inDepth('is not blank while it is asked who is signed in', async () => {
    const may = await dashboard.person('may')
    const { page } = may
    let answer: () => void = () => undefined
    const asked = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/api/auth/me', async (route) => {
      await asked
      await route.continue()
    })
    await may.open('/dashboard')
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    answer()
    await page.getByRole('heading', { name: 'Your first documentation site' }).waitFor()
    may.expectNoProblems()
  })

  inDepth('follows a project to its new name', async () => {
    const grace = await dashboard.person('grace')
    await grace.client.call(contract.projects.create, { body: { slug: 'before' } })
    await grace.client.call(contract.projects.update, { params: { slug: 'before' }, body: { slug: 'after' } })
    await grace.open('/dashboard/before/usage?month=1#top')
    await grace.page.waitForURL('**/dashboard/after/usage?month=1#top')
    grace.expectNoProblems()
  })

  inDepth('goes on where the browser has no room to keep what makes the next visit easier', async () => {
    const ida = await dashboard.person('ida')
    await ida.client.call(contract.projects.create, { body: { slug: 'full' } })
    await ida.open('/dashboard/full')
    await ida.page.getByRole('button', { name: 'Your account' }).waitFor()
    await ida.page.evaluate(fillStorage)
    await ida.page.getByRole('link', { name: 'Deploys' }).first().click()
    await ida.page.getByRole('heading', { level: 1, name: 'Deploys' }).waitFor()
    await ida.page.getByRole('button', { name: 'Your account' }).click()
    await ida.page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await expect.poll(() => ida.page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    ida.expectNoProblems()
  })

  inDepth('tells times in the zone of who reads, and the exact one on hover', async () => {
    const mika = await dashboard.person('mika')
    await mika.client.call(contract.projects.create, { body: { slug: 'zones' } })
    const entry = { title: 'Late in January', content: 'Words.', is_draft: false, published_at: '2026-01-31T20:00:00Z' }
    await mika.client.call(contract.changelog.create, { params: { slug: 'zones' }, body: entry })
    const debug = await mika.page.context().newCDPSession(mika.page)
    await debug.send('Emulation.setTimezoneOverride', { timezoneId: 'Asia/Tokyo' })
    await mika.open('/dashboard/zones/entries')
    const time = mika.page.getByRole('list', { name: 'Entries' }).locator('time').first()
    await expect.poll(() => time.innerText()).toBe('Feb 1, 2026')
    expect(await time.getAttribute('title')).toMatch(/^Sunday, February 1, 2026 at 5:00:00.AM GMT\+9$/)
    mika.expectNoProblems()
  })

  inDepth('asks to sign in, at the same address, whoever has signed out', async () => {
    const joan = await dashboard.person('joan', 'phone')
    await joan.client.call(contract.projects.create, { body: { slug: 'notes' } })
    await joan.open('/dashboard/notes/branches')
    await joan.page.getByRole('button', { name: 'Your account' }).click()
    await joan.page.getByRole('menuitem', { name: 'Sign out' }).click()
    await joan.page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await joan.expectAccessible()
    expect(joan.page.url()).toBe(`${dashboard.url}/dashboard/notes/branches`)
    joan.expectNoProblems()
  })
})
