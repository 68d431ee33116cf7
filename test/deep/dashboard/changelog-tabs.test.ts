import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person } from '#test/support/dashboard.ts'
import { entriesOf, entry, project, text } from '#test/support/dashboard/entries.ts'

const told = 'You are writing this in another tab, too'

describe.skipIf(!hasBrowser)('an entry that is open in two tabs', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared('rendering')
  })
  afterAll(() => dashboard.close())

  async function tab(person: Person, path: string): Promise<Page> {
    const page = await person.context.newPage()
    person.watch(page)
    await page.goto(dashboard.url + path)
    await text(page).waitFor()
    return page
  }

  it.each(shownSizes)('follows what is typed, and asks where both were typed in, on a %s', async (size) => {
    const slug = `tabs-${size}`
    const ada = await dashboard.person(slug, size)
    await project(ada, slug)
    const { id } = await entry(ada, slug)
    const path = `/dashboard/${slug}/entries/${id}`
    await ada.open(path)
    const one = ada.page
    const other = await tab(ada, path)
    await text(one).fill('Of one.')
    await expect.poll(() => text(other).inputValue()).toBe('Of one.')

    await text(other).fill('Of the other.')
    await one.getByText(told).waitFor()
    expect(await text(one).inputValue()).toBe('Of one.')
    await ada.expectAccessible(one)
    await text(one).fill('More of one.')
    expect(await text(other).inputValue()).toBe('Of the other.')
    await one.getByRole('button', { name: 'Keep this one' }).click()
    await expect.poll(() => one.getByText(told).count()).toBe(0)

    await other.getByText(told).waitFor()
    expect(await text(other).inputValue()).toBe('Of the other.')
    await other.getByRole('button', { name: 'Take that text' }).click()
    await expect.poll(() => text(other).inputValue()).toBe('More of one.')
    await other.getByRole('button', { name: 'Save draft' }).click()
    await other.getByText('Saved.', { exact: true }).waitFor()
    expect(await entriesOf(ada, slug)).toMatchObject([{ content: 'More of one.' }])
    // The same text, saved elsewhere: there is nothing to settle.
    await one.getByText('Saved', { exact: true }).waitFor()
    expect(await one.getByRole('heading', { name: 'Somebody else changed this entry' }).count()).toBe(0)
    ada.expectNoProblems()
  })

  it('loses nothing of one tab when the other saves its own', async () => {
    const ada = await dashboard.person('saves')
    await project(ada, 'saves')
    const { id } = await entry(ada, 'saves')
    const path = `/dashboard/saves/entries/${id}`
    await ada.open(path)
    const other = await tab(ada, path)
    await text(ada.page).fill('Of one.')
    await expect.poll(() => text(other).inputValue()).toBe('Of one.')
    await text(other).fill('Of the other.')
    await ada.page.getByText(told).waitFor()
    await ada.page.getByRole('button', { name: 'Save draft' }).click()
    await ada.page.getByText('Saved.', { exact: true }).waitFor()
    expect(await entriesOf(ada, 'saves')).toMatchObject([{ content: 'Of one.' }])
    await other.close()
    await ada.page.close()
    expect(await text(await tab(ada, path)).inputValue()).toBe('Of the other.')
    ada.expectNoProblems()
  })

  it('is kept however many others are; what is more than a month old makes room', async () => {
    const ada = await dashboard.person('many')
    await project(ada, 'many')
    const { page } = ada
    await ada.open('/dashboard/many/entries/new')
    await text(page).waitFor()
    await page.evaluate(`for (let index = 0; index < 30; index += 1) {
      const at = new Date(Date.now() - (index < 25 ? index : 31 + index) * 24 * 3600 * 1000).toISOString()
      const words = { title: 'Kept', version: '', tags: [], content: '' }
      localStorage.setItem('quire-entry somebody ' + index, JSON.stringify({ words, seen: null, at }))
    }`)
    await text(page).fill('One more.')
    const kept = "Object.keys(localStorage).filter((key) => key.startsWith('quire-entry')).length"
    await expect.poll(() => page.evaluate<number>(kept)).toBe(26)
    ada.expectNoProblems()
  })
})
