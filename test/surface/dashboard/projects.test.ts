import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { refusalOf } from '#test/support/refusal.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('the projects, on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('begin with a first one: its slug follows the title, and its address is shown', async () => {
    const ada = await dashboard.person('first-ada', size)
    const grace = await dashboard.account('first-grace')
    await grace.client.call(contract.projects.create, { body: { slug: 'cafe-handbook' } })
    const { page } = ada
    await ada.open('/dashboard')
    await page.getByRole('heading', { name: 'Your first documentation site' }).waitFor()
    await ada.expectAccessible()
    await page.getByRole('link', { name: 'Create a project' }).click()
    await page.getByLabel('Title').fill('Café  Handbook!')
    const slug = page.getByLabel('Slug')
    expect(await slug.inputValue()).toBe('cafe-handbook')
    await page.getByText(`http://cafe-handbook.localhost:${dashboard.service.port}`).waitFor()
    await ada.expectAccessible()
    const create = page.getByRole('button', { name: 'Create project' })
    await create.click()
    await page.getByText('The slug cafe-handbook is taken.').waitFor()
    expect(await slug.getAttribute('aria-invalid')).toBe('true')
    await ada.expectAccessible()

    await slug.fill('Cafe--Docs')
    await page.getByText('It has two hyphens in a row').waitFor()
    expect(await create.isDisabled()).toBe(true)
    await slug.fill('cafe-docs')
    await page.getByLabel('Title').fill('Café Docs')
    expect(await slug.inputValue()).toBe('cafe-docs')
    await create.click()
    await page.waitForURL('**/dashboard/cafe-docs/start')
    expect(await ada.client.call(contract.projects.read, { params: { slug: 'cafe-docs' } })).toMatchObject({
      title: 'Café Docs',
    })
    await page.goBack()
    await page.getByLabel('Title').waitFor()
    ada.expectNoProblems()
  })

  inDepth('say how each is, and whose it is', async () => {
    const owner = await dashboard.person('owner', size)
    const { client } = owner
    const deploy = (project: string, path: string) =>
      client.call(contract.deploys.create, { query: { project }, body: { files: [{ path, content: '# Hello' }] } })
    const title = 'AllInOneWord'.repeat(16)
    for (const body of [{ slug: 'fresh' }, { slug: 'good', title }, { slug: 'bad' }])
      await client.call(contract.projects.create, { body })
    await deploy('good', 'index.md')
    await deploy('bad', 'index.md')
    expect((await refusalOf(deploy('bad', 'broken.md'))).code).toBe('build_failed')
    await owner.open('/dashboard')
    const card = (name: string) =>
      owner.page.getByRole('listitem').filter({ has: owner.page.getByRole('heading', { name }) })
    await card('fresh').getByText('Nothing deployed yet').waitFor()
    await card(title).getByText('Live', { exact: true }).waitFor()
    await card('bad').getByText('Last deploy failed').waitFor()
    await owner.expectAccessible()
    expect(await card(title).getByRole('link').last().getAttribute('href')).toBe(
      `http://good.localhost:${dashboard.service.port}`,
    )
    await owner.page.getByRole('link', { name: 'fresh' }).click()
    await owner.page.waitForURL('**/dashboard/fresh**')
    owner.expectNoProblems()
  })

  inDepth('are found by words of title and slug, also those of later pages', async () => {
    const mary = await dashboard.person('mary', size)
    await mary.client.call(contract.projects.create, { body: { slug: 'old-one', title: 'Steam Engines' } })
    for (let count = 0; count < 51; count++)
      await mary.client.call(contract.projects.create, { body: { slug: `p${count}-${size}` } })
    await mary.open('/dashboard')
    const list = mary.page.getByRole('list', { name: 'Projects' }).getByRole('listitem')
    await expect.poll(() => list.count()).toBe(50)
    await mary.page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => list.count()).toBe(52)
    await mary.page.getByLabel('Find a project').fill('engines OLD')
    await expect.poll(() => list.count()).toBe(1)
    await mary.page.reload()
    await mary.page.getByRole('link', { name: 'Steam Engines' }).waitFor()
    expect(await mary.page.getByLabel('Find a project').inputValue()).toBe('engines OLD')
    await mary.page.getByLabel('Find a project').fill('nothing')
    await mary.page.getByRole('heading', { name: 'No project has these words' }).waitFor()
    await mary.expectAccessible()
    await mary.page.getByRole('button', { name: 'Show all projects' }).click()
    await mary.page.getByRole('link', { name: 'Steam Engines' }).waitFor()
    mary.expectNoProblems()
  })

  inDepth(
    'say which words they have not been looked through for where a later page fails, and go on when asked',
    async () => {
      const edith = await dashboard.person('edith', size)
      const { page } = edith
      await edith.client.call(contract.projects.create, { body: { slug: `first-${size}`, title: 'Steam Engines' } })
      for (let count = 0; count < 51; count++)
        await edith.client.call(contract.projects.create, { body: { slug: `e${count}-${size}` } })
      let failing = true
      await page.route('**/api/projects?cursor=*', (route) => (failing ? route.abort() : route.continue()))
      await edith.open('/dashboard')
      const list = page.getByRole('list', { name: 'Projects' }).getByRole('listitem')
      await expect.poll(() => list.count()).toBe(50)
      const problem = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' })
      await page.getByRole('button', { name: 'Show more' }).click()
      await problem.waitFor()
      expect(await list.count()).toBe(50)
      await edith.expectAccessible()

      await page.getByLabel('Find a project').fill('engines')
      await problem.waitFor()
      expect(await page.getByText('No project has these words').count()).toBe(0)
      await page.getByLabel('Find a project').fill(`e50-${size}`)
      await page.getByRole('link', { name: `e50-${size}` }).waitFor()
      await problem.waitFor()
      await page.getByLabel('Find a project').fill('engines')
      failing = false
      await problem.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('link', { name: 'Steam Engines' }).waitFor()
      await problem.waitFor({ state: 'detached' })
      edith.expectNoProblems()
    },
  )

  inDepth('begin with the invitations to others, which can be declined', async () => {
    const owner = await dashboard.person('linda')
    const joan = await dashboard.person('joan', size)
    const params = { slug: 'manual' }
    await owner.client.call(contract.projects.create, { body: { ...params, title: 'The Manual' } })
    const { url } = await owner.client.call(contract.invitations.create, { params, body: { email: joan.email } })
    await joan.open('/dashboard')
    const list = joan.page.getByRole('list', { name: 'Invitations' })
    // Nobody vouches for the address of who signed up.
    await list.getByText('Open the link that you were given to accept.').waitFor()
    await joan.open(url.replace(dashboard.url, ''))
    await joan.page.reload()
    await list.getByRole('button', { name: 'Accept' }).waitFor()
    await list.getByRole('button', { name: 'Decline' }).click()
    await joan.page.getByText('You declined the invitation to The Manual.').waitFor()
    // Its link asks for nothing any more.
    await list.waitFor({ state: 'detached' })
    await expect.poll(() => new URL(joan.page.url()).hash).toBe('')
    expect(await joan.page.getByText('This invitation is not here').count()).toBe(0)
    await joan.expectAccessible()
    expect((await joan.client.call(contract.invitations.received)).items).toEqual([])
    joan.expectNoProblems()
  })
})
