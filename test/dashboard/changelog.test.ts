import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '../../src/contract/index.ts'
import { hasBrowser } from '../support/browser.ts'
import { DashboardTest, sizes, type Person, type Size } from '../support/dashboard.ts'
import { join } from '../support/members.ts'

const text = (page: Page): Locator => page.getByRole('textbox', { name: 'Text' })

/** Shows the preview where there is no room for it beside the text. */
async function seePreview(page: Page, size: Size): Promise<Locator> {
  if (size === 'phone') await page.getByRole('button', { name: 'Preview' }).click()
  return page.getByRole('region', { name: 'Preview' })
}

async function project(person: Person, slug: string): Promise<void> {
  await person.client.call(contract.projects.create, { body: { slug } })
}

async function entry(person: Person, slug: string, body: object = {}) {
  const words = { title: 'Faster search', content: 'Results come **at once**.', ...body }
  return person.client.call(contract.changelog.create, { params: { slug }, body: words })
}

/** What the service has. */
async function entriesOf(person: Person, slug: string) {
  return (await person.client.call(contract.changelog.list, { params: { slug } })).items
}

describe.skipIf(!hasBrowser)('the changelog', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.startRendering()
  })
  afterAll(() => dashboard.close())

  describe.each(Object.keys(sizes) as Size[])('on a %s', (size) => {
    it('is written with a preview, saved as a draft, published, withdrawn and deleted', async () => {
      const slug = `written-${size}`
      const ada = await dashboard.person(slug, size)
      const { page } = ada
      await project(ada, slug)
      await ada.open(`/dashboard/${slug}/entries`)
      await page.getByText('Nothing is announced yet').waitFor()
      await ada.expectAccessible()
      await page.getByRole('link', { name: 'New entry' }).first().click()

      await page.getByRole('textbox', { name: 'Title' }).fill('Faster search')
      await page.getByRole('textbox', { name: 'Version' }).fill('2.4.0')
      await page.getByRole('combobox', { name: 'Tags' }).fill('search')
      await page.getByRole('combobox', { name: 'Tags' }).press('Enter')
      await text(page).fill('Results come **at once**.\n\n<Note>Also on phones.</Note>\n')
      const preview = await seePreview(page, size)
      await preview.locator('strong', { hasText: 'at once' }).waitFor()
      await preview.getByText('Also on phones.').waitFor()
      await preview.getByText('2.4.0').waitFor()
      await ada.expectAccessible()
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.waitForURL(/\/entries\/[0-9a-f-]{36}$/)
      await expect
        .poll(() => entriesOf(ada, slug))
        .toMatchObject([{ title: 'Faster search', version: '2.4.0', tags: ['search'], status: 'draft' }])

      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Faster search' }).waitFor()
      await page.getByRole('button', { name: 'Publish' }).click()
      const dialog = page.getByRole('dialog', { name: 'Publish the entry' })
      await dialog.getByRole('radio', { name: /Now/ }).waitFor()
      await ada.expectAccessible()
      await dialog.getByRole('button', { name: 'Publish' }).click()
      await page.getByText('Published: readers see it.').waitFor()
      const [published] = await entriesOf(ada, slug)
      expect(published).toMatchObject({ status: 'published' })
      expect((await fetch(published?.url ?? '')).status).toBe(200)

      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Unpublish' }).click()
      await page.getByText('It is a draft again').waitFor()
      expect((await fetch(published?.url ?? '')).status).toBe(404)
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect
        .poll(() => entriesOf(ada, slug))
        .toMatchObject([{ status: 'published', published_at: published?.published_at }])
      await page.goBack()
      await page.getByRole('list', { name: 'Entries' }).getByText('Faster search').waitFor()
      await ada.expectAccessible()
      await page.goForward()

      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      const confirm = page.getByRole('alertdialog')
      await confirm.waitFor()
      await ada.expectAccessible()
      await confirm.getByRole('button', { name: 'Delete entry' }).click()
      await page.getByText('Nothing is announced yet').waitFor()
      expect(await entriesOf(ada, slug)).toEqual([])
      ada.expectNoProblems()
    })

    it('keeps what is typed when the tab is killed, and gives it back', async () => {
      const slug = `kept-${size}`
      const grace = await dashboard.person(slug, size)
      await project(grace, slug)
      const { id } = await entry(grace, slug)
      await grace.open(`/dashboard/${slug}/entries/${id}`)
      await text(grace.page).fill('Not lost.')
      await grace.page.close({ runBeforeUnload: false })

      const page = await grace.context.newPage()
      grace.watch(page)
      await page.goto(`${dashboard.url}/dashboard/${slug}/entries/${id}`)
      await page.getByText('Your unsaved changes are back').waitFor()
      expect(await text(page).inputValue()).toBe('Not lost.')
      await grace.expectAccessible(page)
      await page.getByRole('button', { name: 'Discard changes' }).click()
      expect(await text(page).inputValue()).toBe('Results come **at once**.')
      await page.getByRole('button', { name: 'Undo' }).click()
      await expect.poll(() => text(page).inputValue()).toBe('Not lost.')
      await page.getByRole('button', { name: 'Save draft' }).click()
      await page.getByText('Saved.', { exact: true }).waitFor()
      expect(await entriesOf(grace, slug)).toMatchObject([{ content: 'Not lost.' }])
      await page.reload()
      await text(page).waitFor()
      expect(await page.getByText('Your unsaved changes are back').count()).toBe(0)
      grace.expectNoProblems()
    })

    it('is scheduled in the zone of who writes, and brought forward', async () => {
      const slug = `scheduled-${size}`
      const joan = await dashboard.person(slug, size)
      const { page } = joan
      await project(joan, slug)
      const { id } = await entry(joan, slug)
      await joan.open(`/dashboard/${slug}/entries/${id}`)
      await page.getByRole('button', { name: 'Publish' }).click()
      const dialog = page.getByRole('dialog', { name: /Publish the entry|Change (when|the date)/ })
      await dialog.getByRole('radio', { name: /At a time/ }).check()
      const time = dialog.getByLabel(/Date and time in/)
      await time.fill('2999-06-01T09:30')
      await joan.expectAccessible()
      await dialog.getByRole('button', { name: 'Schedule' }).click()
      await page.getByText(/It appears on/).waitFor()
      const inUtc = await page.evaluate<string>("new Date('2999-06-01T09:30').toISOString()")
      expect(await entriesOf(joan, slug)).toMatchObject([{ status: 'scheduled', published_at: inUtc }])

      await page.getByRole('button', { name: 'Change time' }).click()
      await dialog.getByRole('radio', { name: /Now/ }).check()
      await dialog.getByRole('button', { name: 'Publish' }).click()
      await page.getByText('Published: readers see it.').waitFor()
      expect(await entriesOf(joan, slug)).toMatchObject([{ status: 'published' }])

      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Change the date' }).click()
      await dialog.getByLabel(/Date and time in/).fill('2020-01-02T03:04')
      await dialog.getByRole('button', { name: 'Change date' }).click()
      await page.getByText('The date is changed.').waitFor()
      const old = await page.evaluate<string>("new Date('2020-01-02T03:04').toISOString()")
      expect(await entriesOf(joan, slug)).toMatchObject([{ status: 'published', published_at: old }])
      joan.expectNoProblems()
    })

    it('is listed by status, tag and words, each at an address', async () => {
      const slug = `listed-${size}`
      const mary = await dashboard.person(slug, size)
      const { page } = mary
      await project(mary, slug)
      await entry(mary, slug, { title: 'A draft', tags: ['api'] })
      await entry(mary, slug, { title: 'Out there', tags: ['api', 'cli'], is_draft: false })
      await entry(mary, slug, { title: 'To come', is_draft: false, published_at: '2999-01-01T00:00:00Z' })
      await mary.open(`/dashboard/${slug}/entries`)
      const list = page.getByRole('list', { name: 'Entries' })
      const links = list.getByRole('link')
      const shown = async () => (await links.allInnerTexts()).filter((name) => /^[A-Z]/.test(name))
      await expect.poll(async () => (await shown()).toSorted()).toEqual(['A draft', 'Out there', 'To come'])

      await page.getByRole('link', { name: 'Scheduled' }).click()
      await expect.poll(shown).toEqual(['To come'])
      await page.reload()
      await expect.poll(shown).toEqual(['To come'])
      await page.getByRole('link', { name: 'All', exact: true }).click()
      await list.getByRole('link', { name: 'cli' }).click()
      await expect.poll(shown).toEqual(['Out there'])
      expect(page.url()).toContain('tag=cli')
      await mary.expectAccessible()
      await page.getByRole('link', { name: 'Show all tags' }).click()
      await page.getByRole('searchbox', { name: 'Find an entry' }).fill('a dra')
      await expect.poll(shown).toEqual(['A draft'])
      await page.getByRole('searchbox', { name: 'Find an entry' }).fill('nowhere')
      await page.getByText('None of them has “nowhere”').waitFor()
      await mary.expectAccessible()
      mary.expectNoProblems()
    })
  })

  it('shows both texts when two people write one entry, and overwrites none unseen', async () => {
    const [owner, writer] = [await dashboard.person('owner'), await dashboard.person('writer')]
    await project(owner, 'both')
    await join(owner.client, 'both', writer)
    const { id } = await entry(owner, 'both')
    for (const person of [owner, writer]) await person.open(`/dashboard/both/entries/${id}`)
    await text(owner.page).fill('The owner wrote this.')
    await text(writer.page).fill('The writer wrote this.')
    await owner.page.keyboard.press('Control+s')
    await owner.page.getByText('Saved.', { exact: true }).waitFor()

    await writer.page.bringToFront()
    await text(writer.page).press('Control+s')
    await writer.page.getByRole('heading', { name: 'Somebody else changed this entry' }).waitFor()
    const theirs = writer.page.getByRole('group', { name: 'Theirs: Text' })
    expect(await theirs.innerText()).toBe('The owner wrote this.')
    expect(await text(writer.page).inputValue()).toBe('The writer wrote this.')
    await writer.expectAccessible()
    expect(await entriesOf(owner, 'both')).toMatchObject([{ content: 'The owner wrote this.' }])
    await writer.page.getByRole('button', { name: 'Keep mine' }).click()
    await text(writer.page).fill('Both wrote this.')
    await writer.page.getByRole('button', { name: 'Save draft' }).click()
    await writer.page.getByText('Saved.', { exact: true }).waitFor()
    expect(await entriesOf(owner, 'both')).toMatchObject([{ content: 'Both wrote this.' }])
    for (const person of [owner, writer]) person.expectNoProblems()
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
    expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')

    await ada.client.call(contract.changelog.remove, { params: { slug: 'mended' }, query: { id } })
    await text(page).fill('Mended.')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Somebody deleted this entry').waitFor()
    await page.getByRole('button', { name: 'Save draft' }).click()
    await expect.poll(() => entriesOf(ada, 'mended')).toMatchObject([{ content: 'Mended.' }])
    ada.expectNoProblems()
  })

  it('has a field with the manners of an editor', async () => {
    const ada = await dashboard.person('field')
    const { page } = ada
    await project(ada, 'field')
    await ada.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await ada.open('/dashboard/field/entries/new')
    await text(page).fill('Read the guide')
    await page.keyboard.press('Control+Shift+ArrowLeft')
    await page.keyboard.press('Control+b')
    expect(await text(page).inputValue()).toBe('Read the **guide**')
    await page.keyboard.press('Control+b')
    await page.evaluate(`navigator.clipboard.writeText('https://example.com/guide')`)
    await page.keyboard.press('Control+v')
    expect(await text(page).inputValue()).toBe('Read the [guide](https://example.com/guide)')
    await page.keyboard.press('Control+z')
    expect(await text(page).inputValue()).toBe('Read the guide')

    await text(page).fill('- one')
    await page.keyboard.press('Enter')
    await page.keyboard.type('two')
    await page.keyboard.press('Tab')
    expect(await text(page).inputValue()).toBe('- one\n  - two')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('TEXTAREA')
    ada.expectNoProblems()
  })
})
