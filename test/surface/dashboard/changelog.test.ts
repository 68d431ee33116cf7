import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { entriesOf, entry, project, seePreview, text } from '#test/support/dashboard/entries.ts'

describe.skipIf(!hasBrowser)('the changelog', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared('rendering')
  })
  afterAll(() => dashboard.close())

  describe.each(shownSizes)('on a %s', (size) => {
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
      await text(page).fill(
        'Results come **at once**.\n\n<Note>Also on phones.</Note>\n\n<p className="soft">Like the dashboard.</p>\n',
      )
      const preview = await seePreview(page, size)
      await preview.locator('strong', { hasText: 'at once' }).waitFor()
      await preview.locator('[class*="q-"]', { hasText: 'Also on phones.' }).last().waitFor()
      // No class of the dashboard dresses what somebody wrote.
      await preview.locator('p:not(.soft)', { hasText: 'Like the dashboard.' }).waitFor()
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

    inDepth('keeps what is typed when the tab is killed, and gives it back', async () => {
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

    inDepth('is written on while its first save is under way, and after it', async () => {
      const slug = `ongoing-${size}`
      const ida = await dashboard.person(slug, size)
      const { page } = ida
      await project(ida, slug)
      await ida.open(`/dashboard/${slug}/entries/new`)
      await page.getByRole('textbox', { name: 'Title' }).fill('Faster search')
      await text(page).click()
      await page.keyboard.type('It has')
      await page.keyboard.press('Control+s')
      await page.waitForURL(/\/entries\/[0-9a-f-]{36}$/)
      await page.keyboard.type(' new settings.')
      expect(await text(page).inputValue()).toBe('It has new settings.')
      await page.keyboard.press('Control+s')
      await expect.poll(() => entriesOf(ida, slug)).toMatchObject([{ content: 'It has new settings.' }])

      // Another new one, from anywhere, is not the first: neither has the words of the other.
      await page.getByRole('button', { name: 'Go to' }).click()
      await page.getByRole('combobox', { name: 'Go to' }).fill('new changelog')
      await page.getByRole('option', { name: /New changelog entry/ }).click()
      await page.waitForURL('**/entries/new')
      const title = page.getByRole('textbox', { name: 'Title' })
      await expect.poll(() => title.inputValue()).toBe('')
      await title.fill('Dark theme')
      await page.goBack()
      await page.waitForURL(/\/entries\/[0-9a-f-]{36}$/)
      await expect.poll(() => title.inputValue()).toBe('Faster search')
      await page.goForward()
      await page.waitForURL('**/entries/new')
      await expect.poll(() => title.inputValue()).toBe('Dark theme')
      ida.expectNoProblems()
    })

    inDepth('has what is typed in the moment in which its first save is answered, and nobody else', async () => {
      const slug = `answered-${size}`
      const kay = await dashboard.person(slug, size)
      const { page } = kay
      await project(kay, slug)
      await kay.open(`/dashboard/${slug}/entries/new`)
      await page.getByRole('textbox', { name: 'Title' }).fill('Faster search')
      await text(page).click()
      await page.keyboard.type('It has')
      await page.evaluate(`{
        const replaceState = history.replaceState.bind(history)
        history.replaceState = (...args) => {
          replaceState(...args)
          if (location.pathname.endsWith('/new')) return
          history.replaceState = replaceState
          document.execCommand('insertText', false, ' moved.')
        }
      }`)
      await page.keyboard.press('Control+s')
      await page.waitForURL(/\/entries\/[0-9a-f-]{36}$/)
      expect(await text(page).inputValue()).toBe('It has moved.')
      await page.keyboard.press('Control+s')
      await expect.poll(() => entriesOf(kay, slug)).toMatchObject([{ content: 'It has moved.' }])
      await kay.open(`/dashboard/${slug}/entries/new`)
      await text(page).waitFor()
      expect(await text(page).inputValue()).toBe('')
      kay.expectNoProblems()
    })

    inDepth('is one entry where it is saved and published before the first answer', async () => {
      const slug = `once-${size}`
      const max = await dashboard.person(slug, size)
      const { page } = max
      await project(max, slug)
      await max.open(`/dashboard/${slug}/entries/new`)
      await page.getByRole('textbox', { name: 'Title' }).fill('Faster search')
      await text(page).fill('It has')
      let goOn = (): void => undefined
      const isAsked = new Promise<void>((resolve) => {
        goOn = resolve
      })
      await page.route('**/changelog', async (route) => {
        if (route.request().method() === 'POST') await isAsked
        await route.continue()
      })
      await page.keyboard.press('Control+s')
      await page.getByRole('button', { name: 'Publish' }).click()
      const dialog = page.getByRole('dialog', { name: 'Publish the entry' })
      await dialog.getByRole('button', { name: 'Publish' }).click()
      goOn()
      await expect.poll(() => entriesOf(max, slug)).toMatchObject([{ title: 'Faster search', status: 'published' }])
      await dialog.waitFor({ state: 'hidden' })
      expect(await entriesOf(max, slug)).toHaveLength(1)
      max.expectNoProblems()
    })

    inDepth('can be saved as a new one when somebody has deleted it, and saved again', async () => {
      const slug = `again-${size}`
      const lea = await dashboard.person(slug, size)
      const { page } = lea
      await project(lea, slug)
      const { id } = await entry(lea, slug)
      await lea.open(`/dashboard/${slug}/entries/${id}`)
      await text(page).fill('It stays.')
      await lea.client.call(contract.changelog.remove, { params: { slug }, query: { id } })
      await page.reload()
      await page.getByText('deleted').first().waitFor()
      await page.getByRole('button', { name: 'Save' }).first().click()
      await expect.poll(() => entriesOf(lea, slug)).toMatchObject([{ content: 'It stays.' }])
      await page.waitForURL((url) => !url.pathname.endsWith(id))
      await text(page).click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(' For good.')
      await page.keyboard.press('Control+s')
      await expect.poll(() => entriesOf(lea, slug)).toMatchObject([{ content: 'It stays. For good.' }])
      lea.expectNoProblems()
    })

    inDepth('is scheduled in the zone of who writes, and brought forward', async () => {
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
      await time.fill('2020-06-01T09:30')
      await dialog.getByText('nobody is told').waitFor()
      await page.reload()
      await dialog.getByRole('radio', { name: /At a time/ }).check()
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
      await dialog.getByLabel(/Date and time in/).fill('2999-01-02T03:04')
      await dialog.getByText('readers do not see it until then').waitFor()
      await dialog.getByLabel(/Date and time in/).fill('2020-01-02T03:04')
      await dialog.getByRole('button', { name: 'Change date' }).click()
      await page.getByText('The date is changed.').waitFor()
      const old = await page.evaluate<string>("new Date('2020-01-02T03:04').toISOString()")
      expect(await entriesOf(joan, slug)).toMatchObject([{ status: 'published', published_at: old }])
      joan.expectNoProblems()
    })

    inDepth(
      'gets another date, is withdrawn and brought back without what is typed, which is saved when it is said',
      async () => {
        const slug = `unsaved-${size}`
        const ada = await dashboard.person(slug, size)
        const { page } = ada
        await project(ada, slug)
        const content = 'Results come **at once**.'
        const { id } = await entry(ada, slug, { is_draft: false, published_at: '2021-01-01T00:00:00.000Z' })
        const more = async (item: string): Promise<void> => {
          await page.getByRole('button', { name: 'More actions' }).click()
          await page.getByRole('menuitem', { name: item }).click()
        }
        await ada.open(`/dashboard/${slug}/entries/${id}`)
        await text(page).fill('Not for readers yet.')
        await more('Change the date')
        const dialog = page.getByRole('dialog', { name: 'Change the date' })
        await dialog.getByLabel(/Date and time in/).fill('2020-01-02T03:04')
        const old = await page.evaluate<string>("new Date('2020-01-02T03:04').toISOString()")
        await dialog.getByRole('button', { name: 'Change date' }).click()
        await page.getByText('The date is changed.').waitFor()
        expect(await entriesOf(ada, slug)).toMatchObject([{ content, status: 'published', published_at: old }])
        expect(await text(page).inputValue()).toBe('Not for readers yet.')
        await page.getByText('Not saved yet').waitFor()

        await more('Unpublish')
        await page.getByText('It is a draft again').waitFor()
        expect(await entriesOf(ada, slug)).toMatchObject([{ content, status: 'draft' }])
        await page
          .getByRole('dialog')
          .filter({ hasText: 'It is a draft again' })
          .getByRole('button', { name: 'Undo' })
          .click()
        await expect
          .poll(() => entriesOf(ada, slug))
          .toMatchObject([{ content, status: 'published', published_at: old }])
        await page.reload()
        expect(await text(page).inputValue()).toBe('Not for readers yet.')
        await page.getByRole('button', { name: 'Save changes' }).click()
        await page.getByText('Saved: readers see it.').waitFor()
        expect(await page.getByRole('heading', { name: 'Somebody else changed this entry' }).count()).toBe(0)
        expect(await entriesOf(ada, slug)).toMatchObject([{ content: 'Not for readers yet.', published_at: old }])
        ada.expectNoProblems()
      },
    )

    inDepth('is listed by status, tag and words, each at an address', async () => {
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
      // More than a page of the list, and the oldest is looked for.
      await entry(mary, slug, {
        title: 'Long ago',
        content: 'Of yore.',
        is_draft: false,
        published_at: '2001-01-01T00:00:00Z',
      })
      for (let index = 0; index < 50; index++)
        await entry(mary, slug, { title: `Filler ${index}`, is_draft: false, published_at: '2002-01-01T00:00:00Z' })
      await page.getByRole('searchbox', { name: 'Find an entry' }).fill('OF YORE')
      await expect.poll(shown).toEqual(['Long ago'])
      await page.reload()
      await expect.poll(shown).toEqual(['Long ago'])
      await page.getByRole('searchbox', { name: 'Find an entry' }).fill('a dra')
      await expect.poll(shown).toEqual(['A draft'])
      await page.getByRole('searchbox', { name: 'Find an entry' }).fill('nowhere')
      await page.getByText('None has “nowhere”').waitFor()
      await mary.expectAccessible()
      await page.getByRole('link', { name: 'Show all entries' }).click()
      await expect.poll(() => page.getByRole('searchbox', { name: 'Find an entry' }).inputValue()).toBe('')
      mary.expectNoProblems()
    })

    inDepth('keeps what is typed also when its process dies amid a word', async () => {
      const slug = `crashed-${size}`
      const ada = await dashboard.person(slug, size)
      await project(ada, slug)
      await ada.open(`/dashboard/${slug}/entries/new`)
      await ada.page.getByRole('textbox', { name: 'Title' }).fill('Never saved')
      await text(ada.page).pressSequentially('It was typed unti')
      await ada.page.getByRole('combobox', { name: 'Tags' }).pressSequentially('a ta')
      const crashed = ada.page.waitForEvent('crash')
      const session = await ada.context.newCDPSession(ada.page)
      void session.send('Page.crash').catch(() => undefined)
      await crashed

      const page = await ada.context.newPage()
      await page.goto(`${dashboard.url}/dashboard/${slug}/entries/new`)
      await page.getByText('Your unsaved changes are back').waitFor()
      expect(await text(page).inputValue()).toBe('It was typed unti')
      expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Never saved')
      const tags = page.getByRole('combobox', { name: 'Tags' })
      expect(await tags.inputValue()).toBe('a ta')
      await tags.fill('a tag')
      await page.keyboard.press('Control+s')
      await expect.poll(() => entriesOf(ada, slug)).toMatchObject([{ title: 'Never saved', tags: ['a tag'] }])
      await expect.poll(() => tags.inputValue()).toBe('')
    })
  })

  inDepth('has a field with the manners of an editor', async () => {
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
