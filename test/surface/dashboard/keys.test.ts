import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('API keys on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('are created with the scopes that are ticked, shown once, renamed, and revoked', async () => {
    const ada = await dashboard.person('keys-ada', size)
    const { page } = ada
    await ada.client.call(contract.projects.create, { body: { slug: 'with-keys' } })
    await ada.open('/dashboard/with-keys/settings/keys')
    await page.getByText('No keys yet').waitFor()
    await ada.expectAccessible()

    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    await dialog.getByLabel('Name').fill('CI')
    for (const scope of ['write', 'generate']) await dialog.getByRole('checkbox', { name: scope }).uncheck()
    await dialog.getByLabel('Expires').selectOption('In 90 days')
    await ada.expectAccessible()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    const shown = page.getByRole('dialog', { name: 'The key “CI”' })
    const key = await shown.getByRole('group', { name: 'API key' }).innerText()
    await ada.expectAccessible()
    const { items } = await createClient({ baseUrl: dashboard.url, token: key }).call(contract.projects.list)
    expect(items.map(({ slug, scopes }) => [slug, scopes])).toEqual([['with-keys', ['read', 'deploy']]])
    await shown.getByRole('button', { name: 'Done' }).click()

    const row = page.getByRole('listitem').filter({ hasText: key.slice(0, 10) })
    await row.getByText('read, deploy.').waitFor()
    await row.getByText('Last used').waitFor()
    await page.getByRole('button', { name: 'Actions for CI' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Build server')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await row.getByText('Build server').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByRole('button', { name: 'Actions for CI' }).waitFor()
    await page.reload()
    await row.getByText('read, deploy.').waitFor()
    await ada.expectAccessible()

    await page.getByRole('button', { name: 'Actions for CI' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke key' }).click()
    await page.getByText('No keys yet').waitFor()
    expect((await ada.client.call(contract.keys.list, { params: { slug: 'with-keys' } })).items).toEqual([])
    ada.expectNoProblems()
  })

  inDepth('need a scope, and a name that the service takes', async () => {
    const grace = await dashboard.person('grace', size)
    const { page } = grace
    await grace.client.call(contract.projects.create, { body: { slug: 'notes' } })
    await grace.open('/dashboard/notes/settings/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('  ')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Name').fill('CI')
    for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText('tick at least one').waitFor()
    grace.expectNoProblems()
  })
})
