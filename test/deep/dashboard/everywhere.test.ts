import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, password, shownSizes, type Person } from '#test/support/dashboard.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('wherever somebody is, on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.start()
  })
  afterAll(() => dashboard.close())

  async function owner(name: string): Promise<Person> {
    const person = await dashboard.person(name, size)
    await person.client.call(contract.projects.create, { body: { slug: name } })
    return person
  }

  it('a lost connection is told, and what could not come comes when it is back', async () => {
    const ada = await owner('ada')
    const { page, context } = ada
    await ada.open('/dashboard/ada/usage')
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await context.setOffline(true)
    await page.getByText('You are offline.').waitFor()
    await ada.expectAccessible()
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Deploys' }).click()
    await page.getByRole('heading', { name: 'This page is not here yet' }).waitFor()
    await ada.expectAccessible()
    await context.setOffline(false)
    await page.getByRole('heading', { name: 'Deploys', level: 1 }).waitFor()
    await expect.poll(() => page.getByText('You are offline.').count()).toBe(0)
  })

  it('a page whose code is gone since an update says so, and comes with a reload', async () => {
    const grace = await owner('grace')
    const { page } = grace
    await grace.open('/dashboard/grace/usage')
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.route('**/_assets/branches-*.js', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Branches' }).click()
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor()
    await grace.expectAccessible()
    await page.goBack()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()
    await page.goForward()
    await page.unroute('**/_assets/branches-*.js')
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { name: 'Branches', level: 1 }).waitFor()
  })

  it('what failed is told, also where the code that tells it cannot be fetched', async () => {
    const joan = await owner('joan')
    const { page } = joan
    await page.route('**/_assets/toast-list-*.js', (route) => route.abort())
    await page.route('**/api/**/logout', (route) => route.abort())
    await joan.open('/dashboard/joan/usage')
    const signOut = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Your account' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    await signOut()
    const told = page.getByText('The service cannot be reached').first()
    await told.waitFor()
    await joan.expectAccessible()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await told.waitFor({ state: 'detached' })

    await page.unroute('**/_assets/toast-list-*.js')
    await page.reload()
    await signOut()
    await told.waitFor()
    await joan.expectAccessible()
    joan.expectNoProblems()
  })

  it('a session that has ended elsewhere loses nothing: after signing in, all is as it was', async () => {
    const lin = await owner('lin')
    const { page, client } = lin
    const params = { slug: 'lin' }
    const { id } = await client.call(contract.branches.create, { params, body: { name: 'draft' } })
    const changes = [{ path: 'index.mdx', content: '# Home\n' }]
    await client.call(contract.branches.commit, { params: { ...params, id }, body: { changes } })
    await lin.open(`/dashboard/lin/branches/${id}/edit/index.mdx?panel=assistant`)
    const question = page.getByRole('textbox', { name: 'Ask the assistant' })
    await question.fill('What about')
    const address = page.url()
    await client.call(contract.accounts.logout)
    await page.getByText('Your session has ended.').waitFor()
    await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await lin.expectAccessible()
    await page.getByLabel('Email').fill(lin.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await question.waitFor()
    expect(await question.inputValue()).toBe('What about')
    expect(page.url()).toBe(address)
    await page.getByRole('textbox', { name: 'Text of index.mdx' }).waitFor()
    lin.expectNoProblems()
  })

  it('somebody else who signs in sees nothing of what was there', async () => {
    const ken = await owner('ken')
    const dana = await dashboard.person('dana', size)
    const { page, client } = ken
    await ken.open('/dashboard/ken/settings/keys')
    await page.getByText('No keys yet').waitFor()
    await client.call(contract.accounts.logout)
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Deploys' }).click()
    await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await page.getByLabel('Email').fill(dana.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'No such project' }).waitFor()
    ken.expectNoProblems()
  })
})
