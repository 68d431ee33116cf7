import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { join } from '#test/support/members.ts'
import { change, entriesOf, entry, project, text } from '#test/support/dashboard/entries.ts'

describe.skipIf(!hasBrowser)('an entry that several people write', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared('rendering')
  })
  afterAll(() => dashboard.close())

  describe.each(shownSizes)('on a %s', (size) => {
    it('puts together what two people write of one entry, place by place, and overwrites nothing unseen', async () => {
      const slug = `both-${size}`
      const [owner, writer] = [await dashboard.person(`owner-${size}`), await dashboard.person(`writer-${size}`, size)]
      await project(owner, slug)
      await join(owner.client, slug, writer)
      const content = 'First.\n\nSecond.\n\nThird.\n'
      const { id } = await entry(owner, slug, { content, tags: ['old'] })
      const { page } = writer
      await writer.open(`/dashboard/${slug}/entries/${id}`)
      await text(page).fill('First, by the writer.\n\nSecond, by the writer.\n\nThird.\n')
      await change(owner, slug, {
        id,
        title: 'Title of the owner',
        content: 'First.\n\nSecond, by the owner.\n\nThird, by the owner.\n',
        tags: ['new'],
      })

      await text(page).press('Control+s')
      await page.getByRole('heading', { name: 'Somebody else changed this entry' }).waitFor()
      const place = page.getByRole('region', { name: 'Text' })
      await place.getByText('Second, by the owner.').waitFor()
      expect(await page.getByRole('button', { name: '1 to decide' }).isDisabled()).toBe(true)
      await writer.expectAccessible()
      // What it began from outlives a reload, too.
      await page.reload()
      await place.getByRole('button', { name: 'Keep both' }).click()
      await page.getByRole('button', { name: 'Put both together' }).click()
      await page.getByText('Look at it, then save.').waitFor()
      const joined = 'First, by the writer.\n\nSecond, by the writer.\nSecond, by the owner.\n\nThird, by the owner.\n'
      expect(await text(page).inputValue()).toBe(joined)
      expect(await entriesOf(owner, slug)).toMatchObject([{ content: expect.stringContaining('Third, by the owner.') }])
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect
        .poll(() => text(page).inputValue())
        .toContain('First, by the writer.\n\nSecond, by the writer.\n\nThird.')
      await place.getByRole('button', { name: 'Keep both' }).click()
      await page.getByRole('button', { name: 'Put both together' }).click()
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
      expect(await entriesOf(owner, slug)).toMatchObject([
        { title: 'Title of the owner', content: joined, tags: ['new'] },
      ])
      writer.expectNoProblems()
    })

    it('asks nothing about its text when somebody else changes only its date', async () => {
      const slug = `dated-${size}`
      const ada = await dashboard.person(slug, size)
      const { page } = ada
      await project(ada, slug)
      const { id } = await entry(ada, slug, { is_draft: false, published_at: '2021-01-01T00:00:00.000Z' })
      await ada.open(`/dashboard/${slug}/entries/${id}`)
      await text(page).fill('Written since.')
      const published_at = '2020-01-02T00:00:00.000Z'
      await change(ada, slug, { id, published_at })
      await page.reload()
      await page.getByRole('button', { name: 'Save changes' }).click()
      await page.getByText('Saved: readers see it.').waitFor()
      expect(await entriesOf(ada, slug)).toMatchObject([{ content: 'Written since.', published_at }])
      ada.expectNoProblems()
    })

    it('is not deleted once somebody else has written more of it', async () => {
      const slug = `deleted-${size}`
      const ada = await dashboard.person(slug, size)
      const { page } = ada
      await project(ada, slug)
      const { id } = await entry(ada, slug)
      await ada.open(`/dashboard/${slug}/entries/${id}`)
      await text(page).waitFor()
      await change(ada, slug, { id, content: 'More, from another place.' })
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      const confirm = page.getByRole('alertdialog')
      await confirm.getByRole('button', { name: 'Delete entry' }).click()
      await confirm.getByText('Nothing was deleted.').waitFor()
      await ada.expectAccessible()
      expect(await entriesOf(ada, slug)).toHaveLength(1)
      await confirm.getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(() => text(page).inputValue()).toBe('More, from another place.')
      ada.expectNoProblems()
    })
  })

  it('is deleted without a page coming in the way of whoever went elsewhere meanwhile', async () => {
    const ada = await dashboard.person('elsewhere')
    const { page } = ada
    await project(ada, 'elsewhere')
    await entry(ada, 'elsewhere')
    await ada.open('/dashboard/elsewhere/activity')
    await page.getByRole('link', { name: 'Changelog' }).click()
    await page.getByRole('link', { name: 'Faster search' }).click()
    let goOn = (): void => undefined
    const held = new Promise<void>((resolve) => (goOn = resolve))
    await page.route('**/api/projects/elsewhere/changelog?*', async (route) => {
      if (route.request().method() === 'DELETE') await held
      await route.continue()
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete entry' }).click()
    await page.goBack()
    await page.getByRole('list', { name: 'Entries' }).waitFor()
    await page.goBack()
    const activity = page.getByRole('heading', { name: 'Activity', level: 1 })
    await activity.waitFor()
    goOn()
    await page.getByText('“Faster search” is deleted.').waitFor()
    expect(await activity.count()).toBe(1)
    expect(await entriesOf(ada, 'elsewhere')).toEqual([])
    ada.expectNoProblems()
  })

  it('says where a text cannot be shown, and makes a new entry of one that somebody deleted', async () => {
    const ada = await dashboard.person('mended')
    const { page } = ada
    await project(ada, 'mended')
    const { id } = await entry(ada, 'mended')
    await ada.open(`/dashboard/mended/entries/${id}`)
    await text(page).fill('Fine.\n\n<Note>never closed')
    await page.getByText('The text cannot be shown as it is').waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('The content of the entry cannot be shown').waitFor()
    await ada.expectAccessible()
    await page
      .getByRole('button', { name: /Line \d/ })
      .first()
      .click()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')

    await ada.client.call(contract.changelog.remove, { params: { slug: 'mended' }, query: { id } })
    await text(page).fill('Mended.')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Somebody deleted this entry').waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await expect.poll(() => entriesOf(ada, 'mended')).toMatchObject([{ content: 'Mended.' }])
    ada.expectNoProblems()
  })
})
