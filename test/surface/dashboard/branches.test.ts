import { describeInDepth, inDepth } from '#test/support/depth.ts'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { branchWriter as writer } from '#test/support/branch-writer.ts'

describe.skipIf(!hasBrowser)('branches', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  describe.each(shownSizes)('at the size of a %s', (size) => {
    inDepth('show what they changed against main, word by word', async () => {
      const ada = await writer(dashboard, `changes-${size}`, size)
      const { page } = ada
      await ada.open(`/dashboard/changes-${size}/branches/${ada.branch}/changes`)
      await page.getByRole('heading', { name: '4 files: 2 added, 1 changed, 1 deleted' }).waitFor()
      const install = page.getByRole('article', { name: 'guides/install.mdx' })
      await install.getByRole('insertion').getByText('pnpm').waitFor()
      await install.getByRole('deletion').getByText('npm').waitFor()
      await page.getByRole('img', { name: 'images/logo.png, now' }).waitFor()
      await ada.expectAccessible()

      await page
        .getByRole('navigation', { name: 'Changed files' })
        .getByRole('button', { name: /start\.mdx/ })
        .click()
      expect(new URL(page.url()).searchParams.get('path')).toBe('guides/start.mdx')
      await page.reload()
      await page.getByRole('article', { name: 'guides/start.mdx' }).getByText('# Start').waitFor()
      ada.expectNoProblems()
    })

    it('are made, found, looked at and deleted', async () => {
      const lin = await dashboard.person(`list-${size}`, size)
      const { page } = lin
      const slug = `list-${size}`
      await lin.client.call(contract.projects.create, { body: { slug, title: 'Handbook' } })
      await lin.open(`/dashboard/${slug}/branches`)
      await page.getByRole('heading', { name: 'Nobody works on anything here yet' }).waitFor()
      await lin.expectAccessible()

      await page.getByRole('button', { name: 'New branch' }).first().click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Über uns')
      await page.getByText('It becomes uber-uns').waitFor()
      await lin.expectAccessible()
      await page.getByRole('textbox', { name: 'Name' }).fill('main')
      await page.getByText('main is what is live: choose another name.').waitFor()
      await page.getByRole('textbox', { name: 'Name' }).fill('Über uns')
      await page.getByRole('button', { name: 'Create branch' }).click()
      await page.waitForURL('**/edit')
      await page.goBack()

      for (const name of ['one', 'two', 'three', 'four', 'five'])
        await lin.client.call(contract.branches.create, { params: { slug }, body: { name } })
      await page.reload()
      await page.getByRole('searchbox', { name: 'Find a branch' }).fill('uber')
      await expect.poll(() => page.getByRole('list', { name: 'Branches' }).getByRole('listitem').count()).toBe(1)
      expect(new URL(page.url()).searchParams.get('find')).toBe('uber')
      await page.getByText('Preview ready').waitFor()
      await lin.expectAccessible()

      await page.getByRole('button', { name: 'More of uber-uns' }).click()
      await page.getByRole('menuitem', { name: 'Delete…' }).click()
      await page.getByRole('alertdialog').getByText('no changes against main').waitFor()
      await lin.expectAccessible()
      await page.getByRole('button', { name: 'Delete branch' }).click()
      await page.getByText('No branch has “uber” in its name.').waitFor()
      lin.expectNoProblems()
    })

    inDepth('show how one stands', async () => {
      const eve = await writer(dashboard, `branch-${size}`, size)
      const { page } = eve
      await eve.open(`/dashboard/branch-${size}/branches/${eve.branch}`)
      await page.getByRole('heading', { name: 'new-guide' }).waitFor()
      await page.getByRole('list', { name: 'Commits' }).getByText('Add a logo').waitFor()
      await page.getByText('Preview ready').waitFor()
      await page.getByRole('link', { name: 'guides/install.mdx' }).waitFor()
      await eve.expectAccessible()

      await page.getByRole('link', { name: 'Add a logo' }).click()
      await page.getByRole('heading', { name: '1 file: 1 added' }).waitFor()
      await page.goBack()
      await page.getByRole('button', { name: 'Delete branch…' }).click()
      await page.getByRole('button', { name: 'Delete branch', exact: true }).waitFor()
      expect(await page.getByRole('button', { name: 'Delete branch', exact: true }).isDisabled()).toBe(true)
      await page.getByRole('textbox', { name: 'Type new-guide to confirm' }).fill('new-guide')
      await page.getByRole('button', { name: 'Delete branch', exact: true }).click()
      await page.waitForURL('**/branches')
      await page.goBack().catch(() => undefined)
      await eve.open(`/dashboard/branch-${size}/branches/${eve.branch}`)
      await page.getByRole('heading', { name: 'There is no such branch any more' }).waitFor()
      await eve.expectAccessible()
      eve.expectNoProblems()
    })
  })

  inDepth('tell what does not build, with a way to the place', async () => {
    const kim = await writer(dashboard, 'broken', 'desktop')
    await kim.client.call(contract.branches.commit, {
      params: { slug: 'broken', id: kim.branch },
      body: { changes: [{ path: 'broken.md', content: '# Broken' }] },
    })
    await kim.open(`/dashboard/broken/branches/${kim.branch}`)
    await kim.page.getByText('The newest save does not build: 1 error.').waitFor()
    await kim.page.getByText('It is broken').waitFor()
    await kim.expectAccessible()
    await kim.page.getByRole('link', { name: 'broken.md:3:7' }).click()
    await expect.poll(() => new URL(kim.page.url()).pathname).toMatch(/\/edit\/broken\.md$/)
    kim.expectNoProblems()
  })

  inDepth('can be used at once however much they changed: what is far away is not made yet', async () => {
    const max = await writer(dashboard, 'huge', 'desktop')
    const { page } = max
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `Line ${index + 1}\n`).join('')
    const lineOf = (article: Locator, number: number) =>
      article.locator('td').filter({ hasText: new RegExp(`^\\+Line ${number}$`) })
    const pages = Array.from({ length: 300 }, (_, index) => ({ path: `pages/p${index}.mdx`, content: lines(30) }))
    await max.client.call(contract.branches.commit, {
      params: { slug: 'huge', id: max.branch },
      body: { changes: [...pages, { path: 'huge.mdx', content: lines(1_400) }] },
    })
    await max.open(`/dashboard/huge/branches/${max.branch}/changes`)
    await page.getByRole('heading', { name: /^305 files/ }).waitFor()
    const huge = page.getByRole('article', { name: 'huge.mdx' })
    await lineOf(huge, 1).waitFor({ state: 'attached' })
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(5_000)
    expect(await lineOf(huge, 1400).count()).toBe(0)
    await huge.getByRole('button', { name: 'huge.mdx' }).focus()
    await page.evaluate('document.querySelector("article[aria-label=\'huge.mdx\']").scrollIntoView({ block: "end" })')
    await lineOf(huge, 1400).waitFor()
    await page.getByText('Show more (205)').waitFor()
    await page.getByRole('searchbox', { name: 'Find a file' }).fill('p299')
    await lineOf(page.getByRole('article', { name: 'pages/p299.mdx' }), 30).waitFor()
    max.expectNoProblems()
  })

  inDepth('show both sides beside each other, and keep that', async () => {
    const grace = await writer(dashboard, 'split', 'desktop')
    const { page } = grace
    await grace.open(`/dashboard/split/branches/${grace.branch}/changes`)
    await page.getByRole('button', { name: 'Side by side' }).click()
    await page.getByRole('columnheader', { name: 'Text before' }).first().waitFor()
    expect(new URL(page.url()).searchParams.get('layout')).toBe('split')
    await grace.expectAccessible()
    await grace.open(`/dashboard/split/branches/${grace.branch}/changes`)
    await page.getByRole('columnheader', { name: 'Text before' }).first().waitFor()
    grace.expectNoProblems()
  })

  inDepth('show what one commit changed, and from there all', async () => {
    const joan = await writer(dashboard, 'commit', 'desktop')
    const { page } = joan
    const { items } = await joan.client.call(contract.branches.history, {
      params: { slug: 'commit', id: joan.branch },
      query: { limit: 1 },
    })
    await joan.open(`/dashboard/commit/branches/${joan.branch}/changes?commit=${items[0]?.oid ?? ''}`)
    await page.getByRole('heading', { name: '1 file: 1 added' }).waitFor()
    await page.getByRole('link', { name: 'Show all changes' }).click()
    expect(new URL(page.url()).search).toBe('')
    await page.getByRole('heading', { name: '4 files: 2 added, 1 changed, 1 deleted' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: '1 file: 1 added' }).waitFor()
    joan.expectNoProblems()
  })
})

describeInDepth.skipIf(!hasBrowser)('branches of the Free plan', () => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.start({ DEFAULT_PLAN: 'free' })
  })
  afterAll(() => dashboard.close())

  it('say what they count for', async () => {
    const max = await dashboard.person('max', 'phone')
    const { page } = max
    await max.client.call(contract.projects.create, { body: { slug: 'free' } })
    await max.open('/dashboard/free/branches?new')
    await page.getByText('A branch counts as one of the plan’s 1 generation a month; 1 left.').waitFor()
    await max.client.call(contract.branches.create, { params: { slug: 'free' }, body: { name: 'only' } })
    await page.reload()
    await page.getByText('A branch counts as a generation, and the plan’s 1 generation a month is used.').waitFor()
    await max.expectAccessible()
    await page.getByRole('textbox', { name: 'Name' }).fill('another')
    await page.getByRole('button', { name: 'Create branch' }).click()
    await page.getByRole('alert').getByText('The Free plan allows 1 generation a month').waitFor()
    const { items } = await max.client.call(contract.branches.list, { params: { slug: 'free' } })
    expect(items.map(({ name }) => name)).toEqual(['only'])
    max.expectNoProblems()
  })
})
