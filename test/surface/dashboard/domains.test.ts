import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person } from '#test/support/dashboard.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('domains on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  const listed = async ({ client }: Person, slug: string) =>
    (await client.call(contract.domains.list, { params: { slug } })).items

  it('are added, looked for until their record is there, and removed', async () => {
    const ada = await dashboard.person('domain-ada', size)
    const { page } = ada
    await page.clock.install()
    await ada.client.call(contract.projects.create, { body: { slug: 'domain' } })
    await ada.open('/dashboard/domain/settings/domains')
    await page.getByText('No domain of your own yet').waitFor()
    await ada.expectAccessible()
    await page.getByRole('button', { name: 'Add domain' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a domain' })
    await dialog.getByRole('textbox', { name: 'Domain' }).fill('localhost')
    await dialog.getByRole('button', { name: 'Add domain' }).click()
    await dialog.getByRole('alert').waitFor()
    await ada.expectAccessible()
    await dialog.getByRole('textbox', { name: 'Domain' }).fill('docs.example.com')
    await dialog.getByRole('button', { name: 'Add domain' }).click()

    await page.getByRole('heading', { name: 'docs.example.com' }).waitFor()
    const records = page.getByRole('list', { name: 'Records of docs.example.com' })
    await records.getByText('not looked for yet').waitFor()
    await records.getByRole('button', { name: 'Copy TXT value' }).waitFor()
    await records.getByRole('button', { name: 'Copy CNAME value' }).waitFor()
    await ada.expectAccessible()
    await page.reload()
    await page.getByRole('button', { name: 'Check now: docs.example.com' }).click()
    await records.getByText('not found yet').waitFor()
    await page.getByText('There is no TXT record').waitFor()
    await ada.expectAccessible()

    dashboard.dns.enter(...(await listed(ada, 'domain')))
    await page.clock.runFor(31_000)
    await page.getByText('verified', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Open the site there' }).waitFor()
    await page.getByRole('button', { name: 'Show the records' }).click()
    await records.getByText('found', { exact: true }).waitFor()
    await ada.expectAccessible()

    await page.getByRole('button', { name: 'Make primary: docs.example.com' }).click()
    await page.getByText('primary', { exact: true }).waitFor()
    expect((await listed(ada, 'domain'))[0]?.primary).toBe(true)
    await ada.expectAccessible()
    await page.getByRole('button', { name: 'Not primary: docs.example.com' }).waitFor()

    await page.getByRole('button', { name: 'Remove docs.example.com' }).click()
    await page.getByRole('alertdialog', { name: 'Remove docs.example.com?' }).waitFor()
    await ada.expectAccessible()
    await page.getByRole('button', { name: 'Remove domain' }).click()
    await page.getByText('No domain of your own yet').waitFor()
    expect(await listed(ada, 'domain')).toEqual([])
    ada.expectNoProblems()
  })

  inDepth('without a name below them need another record, and say so; a lost record is told', async () => {
    const grace = await dashboard.person('grace', size)
    const { page } = grace
    const params = { slug: 'apex' }
    await grace.client.call(contract.projects.create, { body: params })
    dashboard.dns.enter(
      await grace.client.call(contract.domains.create, { params, body: { domain: 'grace-hopper.com' } }),
    )
    await grace.open('/dashboard/apex/settings/domains')
    const records = page.getByRole('list', { name: 'Records of grace-hopper.com' })
    await records.getByText('ALIAS, ANAME or a flattened CNAME').waitFor()
    await page.getByRole('button', { name: 'Check now: grace-hopper.com' }).click()
    await page.getByText('verified', { exact: true }).waitFor()
    dashboard.dns.records.clear()
    await page.getByRole('button', { name: 'Check now: grace-hopper.com' }).click()
    await page.getByText('failing').waitFor()
    await records.getByText('missing').waitFor()
    await page.getByText('Served until').waitFor()
    await grace.expectAccessible()
    grace.expectNoProblems()
  })

  inDepth('that another project has are refused with what to do', async () => {
    const joan = await dashboard.person('joan', size)
    for (const slug of ['first', 'second']) {
      await joan.client.call(contract.projects.create, { body: { slug } })
      const added = { params: { slug }, body: { domain: 'one.example.com' } }
      dashboard.dns.enter(await joan.client.call(contract.domains.create, added))
    }
    await joan.client.call(contract.domains.verify, { params: { slug: 'first', domain: 'one.example.com' } })
    await joan.open('/dashboard/second/settings/domains')
    await joan.page.getByRole('button', { name: 'Check now: one.example.com' }).click()
    await joan.page.getByRole('alert').getByText('Another project of this service has the domain').waitFor()
    await joan.expectAccessible()
    joan.expectNoProblems()
  })
})
