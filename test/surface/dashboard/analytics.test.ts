import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { readerPaths } from '#contract/reader-paths.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { bothOn, report, siteWith } from '#test/support/http/support-analytics.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('the analytics of a site on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared('rendering')
  })
  afterAll(() => dashboard.close())

  it('show what its readers read, looked for in vain, and wrote, which can be deleted', async () => {
    const slug = 'counted'
    const ada = await dashboard.person(slug, size)
    const { page, client } = ada
    await client.call(contract.projects.create, { body: { slug } })
    const files = Object.entries(siteWith(bothOn)).map(([path, content]) => ({ path, content }))
    await client.call(contract.deploys.create, { query: { project: slug }, body: { files } })
    const tell = (path: string, fields: Record<string, string>) =>
      report({ slug, port: dashboard.service.port }, path, fields)
    for (const path of ['/', '/guide/keys', '/guide/keys']) await tell(readerPaths.views, { path })
    for (let times = 0; times < 2; times++) await tell(readerPaths.searches, { query: 'quantum', found: 'no' })
    await tell(readerPaths.feedback, { path: '/guide/keys', helpful: 'no', note: 'Say where keys are <b>made</b>.' })

    await ada.open(`/dashboard/${slug}/analytics`)
    const row = page.getByRole('row', { name: /\/guide\/keys/ })
    await row.waitFor()
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['2', '0 %', '0', '1'])
    await page.getByRole('list', { name: 'Searches without results' }).getByText('quantum').waitFor()
    await ada.expectAccessible()
    await page.getByRole('link', { name: '7 days' }).click()
    await page.waitForURL('**/analytics?days=7')
    await page.getByText('Say where keys are <b>made</b>.').waitFor()
    await page.getByRole('button', { name: 'Delete the note on /guide/keys' }).click()
    await page.getByRole('button', { name: 'Delete note', exact: true }).click()
    await page.getByText('Nobody has written anything yet.').waitFor()
    expect((await client.call(contract.feedback.list, { params: { slug }, query: {} })).items).toEqual([])
    ada.expectNoProblems()
  })
})
