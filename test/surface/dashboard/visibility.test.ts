import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { getSite } from '#test/support/site.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('the visibility of a site on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('is made private, with a password and a link for some readers, and public again', async () => {
    const slug = 'hidden'
    const ada = await dashboard.person(slug, size)
    const { page, client } = ada
    const params = { slug }
    await client.call(contract.projects.create, { body: params })
    const files = [{ path: 'index.md', content: 'For members' }]
    await client.call(contract.deploys.create, { query: { project: slug }, body: { files } })
    const isShown = async (): Promise<boolean> =>
      (await getSite(dashboard.service.port, `${slug}.localhost`, '/index.md')).text.includes('For members')
    expect(await isShown()).toBe(true)

    await ada.open(`/dashboard/${slug}/settings/visibility`)
    await page.getByRole('button', { name: 'Make private' }).click()
    await page.getByText('Only some people see the site').waitFor()
    await ada.expectAccessible()
    expect(await isShown()).toBe(false)

    await page.getByRole('button', { name: 'Set a password…' }).click()
    const setting = page.getByRole('dialog', { name: 'Set a password' })
    await setting.getByLabel('Password').fill('open sesame, please')
    await setting.getByRole('button', { name: 'Set password' }).click()
    await page.getByText('One for all readers').waitFor()

    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByLabel('For whom').fill('Reviewers')
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByRole('group', { name: 'share link' }).innerText()
    expect(link).toContain(`//${slug}.localhost:`)
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke the link for Reviewers' }).click()
    await page.getByRole('button', { name: 'Revoke link' }).click()
    await page.getByText('The link for Reviewers is revoked.').waitFor()
    expect(await client.call(contract.visibility.read, { params })).toMatchObject({ visibility: 'private', links: [] })

    await page.getByRole('button', { name: 'Make public…' }).click()
    await page.getByRole('button', { name: 'Make public', exact: true }).click()
    await page.getByText('Everybody sees the site now.').waitFor()
    expect(await isShown()).toBe(true)
    ada.expectNoProblems()
  })
})
