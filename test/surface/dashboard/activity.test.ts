import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { dayOf } from '#dashboard/pages/activity/days.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person, type Size } from '#test/support/dashboard.ts'
import { startModelServer } from '#test/support/model-server.ts'

/** Somebody in whose project an account and a key did things. @returns with the id of the branch */
async function busy(dashboard: DashboardTest, slug: string, size: Size): Promise<Person & { readonly branch: string }> {
  const person = await dashboard.person(slug, size)
  const params = { slug }
  await person.client.call(contract.projects.create, { body: { slug } })
  const { key } = await person.client.call(contract.keys.create, {
    params,
    body: { name: 'CI', scopes: ['read', 'deploy'] },
  })
  const robot = createClient({ baseUrl: dashboard.url, token: key })
  await robot.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: 'one' }] } })
  const { id } = await person.client.call(contract.branches.create, { params, body: { name: 'next' } })
  await person.client.call(contract.branches.saveFile, {
    params: { ...params, id, path: 'guides/install.mdx' },
    body: { content: '# Install' },
  })
  return Object.assign(person, { branch: id })
}

describe.skipIf(!hasBrowser).each(shownSizes)('the activity of a project on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('tells in sentences who did what, from where, and leads to it', async () => {
    const ada = await busy(dashboard, 'told', size)
    const { page } = ada
    await ada.open('/dashboard/told/activity')
    const today = page.getByRole('region', { name: 'Today' }).getByRole('listitem')
    await today.filter({ hasText: 'told saved guides/install.mdx on the branch next' }).waitFor()
    await today.filter({ hasText: 'told created the API key CI, which may read, deploy' }).waitFor()
    const deployed = today.filter({ hasText: 'Key CI deployed the site' })
    await deployed.waitFor()
    await ada.expectAccessible()
    await deployed.getByRole('button', { name: 'Details' }).click()
    await deployed.getByText('127.0.0.1').waitFor()
    await deployed.getByText('deploys.create').waitFor()
    await ada.expectAccessible()
    await deployed.getByRole('link', { name: 'the site' }).click()
    await page.getByRole('heading', { name: '#1 Deploy of files' }).waitFor()
    await page.goBack()
    await today.getByRole('link', { name: 'next' }).first().click()
    await page.waitForURL(`**/branches/${ada.branch}`)
    ada.expectNoProblems()
  })

  inDepth('is filtered by who, what and when, in its address', async () => {
    const ada = await busy(dashboard, 'filtered', size)
    const { page } = ada
    await ada.open('/dashboard/filtered/activity')
    const entries = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Details' }) })
    await expect.poll(() => entries.count()).toBe(5)
    await page.getByLabel('Who').selectOption('Key CI')
    await expect.poll(() => entries.allInnerTexts()).toHaveLength(1)
    await page.getByLabel('What').selectOption('API keys')
    await page.getByText('Nothing like that happened').waitFor()
    await ada.expectAccessible()
    await page.getByLabel('Who').selectOption('Everybody')
    await entries.filter({ hasText: 'created the API key' }).waitFor()
    await page.reload()
    await entries.filter({ hasText: 'created the API key' }).waitFor()
    expect(new URL(page.url()).search).toBe('?what=keys')
    await page.goBack()
    await page.getByText('Nothing like that happened').waitFor()
    await page.getByRole('link', { name: 'Show everything' }).first().click()
    await expect.poll(() => entries.count()).toBe(5)
    await page.getByLabel('To', { exact: true }).fill('2020-01-01')
    await page.getByText('Nothing like that happened').waitFor()
    ada.expectNoProblems()
  })

  inDepth('is of the days that the address says, or that are typed, also after a reload and with back', async () => {
    const ada = await busy(dashboard, 'dated', size)
    const { page } = ada
    const day = (after: number): string => {
      const now = new Date()
      return dayOf(new Date(now.getFullYear(), now.getMonth(), now.getDate() + after))
    }
    const entries = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Details' }) })
    const nothing = page.getByText('Nothing like that happened')
    const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
    await ada.open(`/dashboard/dated/activity?from=${day(-1)}&to=${day(1)}`)
    await expect.poll(() => entries.count()).toBe(5)
    expect([await from.inputValue(), await to.inputValue()]).toEqual([day(-1), day(1)])
    await ada.open(`/dashboard/dated/activity?from=${day(1)}`)
    await nothing.waitFor()
    await ada.open(`/dashboard/dated/activity?to=${day(-1)}`)
    await nothing.waitFor()
    // What is no day asks for nothing.
    await ada.open('/dashboard/dated/activity?from=2026-99&to=soon')
    await expect.poll(() => entries.count()).toBe(5)

    await ada.open('/dashboard/dated/activity')
    await expect.poll(() => entries.count()).toBe(5)
    const [year, month, date] = day(2).split('-')
    await from.focus()
    await page.keyboard.type(`${month}${date}${year}`, { delay: 50 })
    await nothing.waitFor()
    await page.waitForURL(`**/activity?from=${day(2)}`)
    expect(await from.inputValue()).toBe(day(2))
    await ada.expectAccessible()
    await page.reload()
    await nothing.waitFor()
    expect(await from.inputValue()).toBe(day(2))
    // A date is one step, whichever of its digits were typed one by one.
    await page.goBack()
    await page.waitForURL('**/activity')
    await expect.poll(() => entries.count()).toBe(5)
    expect(await from.inputValue()).toBe('')
    await to.fill(day(0))
    await page.waitForURL(`**/activity?to=${day(0)}`)
    await expect.poll(() => entries.count()).toBe(5)
    ada.expectNoProblems()
  })

  inDepth('names the branch on which the assistant was asked, and leads to the conversation', async () => {
    const model = await startModelServer(() => ({ chunks: ['Yes.'] }))
    onTestFinished(() => model.close())
    const answering = await DashboardTest.start({ ...model.settings })
    onTestFinished(() => answering.close())
    const ada = await busy(answering, 'asked', size)
    const { page } = ada
    const question = { messages: [{ role: 'user' as const, content: 'Is all well?' }] }
    const params = { slug: 'asked', id: ada.branch }
    for await (const _ of ada.client.events(contract.assistant.send, { params, body: question })) continue
    await ada.open('/dashboard/asked/activity?what=assistant')
    const asked = page.getByRole('listitem').filter({ hasText: 'asked asked the assistant on the branch next' })
    await asked.waitFor()
    await ada.expectAccessible()
    await asked.getByRole('link', { name: 'the assistant' }).click()
    await page.getByText('Is all well?').first().waitFor()
    await page.getByText('Yes.').first().waitFor()
    ada.expectNoProblems()
  })

  inDepth('goes on to look where the newest entries have none of what is asked for', async () => {
    const ada = await busy(dashboard, 'sought', size)
    const { page } = ada
    let looks = 0
    await page.route('**/api/projects/sought/audit?*', async (route) => {
      const url = new URL(route.request().url())
      looks += 1
      if (looks <= 3) return route.fulfill({ json: { items: [], nextCursor: String(looks) } })
      url.searchParams.delete('cursor')
      return route.fulfill({ response: await route.fetch({ url: url.href }) })
    })
    await ada.open('/dashboard/sought/activity?what=keys')
    await page.getByRole('listitem').filter({ hasText: 'created the API key' }).waitFor()
    expect(looks).toBe(4)
    ada.expectNoProblems()
  })

  inDepth('is shown page by page', async () => {
    const ada = await dashboard.person('paged', size)
    const { page } = ada
    await ada.client.call(contract.projects.create, { body: { slug: 'paged' } })
    for (let number = 1; number <= 55; number++) {
      await ada.client.call(contract.projects.update, { params: { slug: 'paged' }, body: { title: `Title ${number}` } })
    }
    await ada.open('/dashboard/paged/activity')
    const entries = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: 'Details' }) })
    await expect.poll(() => entries.count()).toBe(50)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => entries.count()).toBe(56)
    ada.expectNoProblems()
  })
})
