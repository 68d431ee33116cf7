import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('the overview of a project on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('shows what is live, and what is being worked on', async () => {
    const ada = await dashboard.person('overview-ada', size)
    const { page } = ada
    const params = { slug: 'overview' }
    await ada.client.call(contract.projects.create, { body: { slug: 'overview', title: 'Handbook' } })
    const files = ['index.md', 'odd.md'].map((path) => ({ path, content: path }))
    await ada.client.call(contract.deploys.create, {
      query: { project: 'overview' },
      body: { files, message: 'First words' },
    })
    const branch = await ada.client.call(contract.branches.create, { params, body: { name: 'next' } })
    await ada.client.call(contract.branches.saveFile, {
      params: { ...params, id: branch.id, path: 'new.md' },
      body: { content: 'new' },
    })
    await ada.client.call(contract.changelog.create, {
      params,
      body: { title: 'Faster search', content: 'It is.', version: '2.4.0', is_draft: false },
    })
    await ada.open('/dashboard/overview')
    await page.getByRole('heading', { name: 'Handbook', level: 1 }).waitFor()
    const site = page.getByRole('link', { name: /^overview\.localhost/ })
    expect(await site.getAttribute('href')).toMatch(/^http:\/\/overview\.localhost:/)
    await page.getByRole('link', { name: '1 warning' }).waitFor()
    await page.getByText('2 (2 built, 0 unchanged)').waitFor()
    const branches = page.getByRole('list', { name: 'Open branches' })
    await branches.getByText('1 changed file').waitFor()
    await branches.getByText('Ready, 1 warning').waitFor()
    await page.getByRole('list', { name: 'Latest entry' }).getByText('Published').waitFor()
    await ada.expectAccessible()

    await branches.getByRole('link', { name: 'next' }).click()
    await page.waitForURL(`**/branches/${branch.id}`)
    await page.goBack()
    await page.getByRole('link', { name: 'Faster search' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'First words' }).first().click()
    await page.waitForURL('**/deploys/*')
    ada.expectNoProblems()
  })

  inDepth('has a picture of the site that nobody gets caught in', async () => {
    const pat = await dashboard.person('pat', size)
    const { page } = pat
    await pat.client.call(contract.projects.create, { body: { slug: 'pictured' } })
    const body = { files: [{ path: 'index.md', content: 'one' }] }
    await pat.client.call(contract.deploys.create, { query: { project: 'pictured' }, body })
    await pat.open('/dashboard/pictured')
    const frame = page.locator('iframe')
    await frame.waitFor({ state: 'attached' })
    expect(await frame.getAttribute('src')).toMatch(/^http:\/\/pictured\.localhost:/)
    const site = await (await frame.elementHandle())?.contentFrame()
    await site?.waitForLoadState()
    pat.expectNoProblems()
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.type())
      void dialog.dismiss()
    })
    const tried = await site?.evaluate(`(() => {
      const outcome = (work) => { try { return String(work()) } catch (error) { return error.name } }
      return {
        around: outcome(() => parent.document.title),
        frame: outcome(() => frameElement),
        top: outcome(() => { top.location = 'about:blank'; return 'went' }),
        opened: outcome(() => window.open('about:blank')),
        asked: outcome(() => confirm('Really?')),
        cookie: outcome(() => document.cookie),
      }
    })()`)
    expect(tried).toEqual({
      around: 'SecurityError',
      frame: 'null',
      top: 'SecurityError',
      opened: 'null',
      asked: 'false',
      cookie: '',
    })
    expect(dialogs).toEqual([])
    // With the cookie or without: what a site asks of the dashboard’s service changes and tells nothing.
    const answered = await site?.evaluate(
      `fetch(${JSON.stringify(dashboard.url)} + '/api/auth/me', { credentials: 'include' }).then(({ status }) => String(status), () => 'refused')`,
    )
    expect(answered).toBe('refused')
    expect(new URL(page.url()).pathname).toBe('/dashboard/pictured')
    expect(await page.evaluate('document.querySelector("iframe").closest("[inert][aria-hidden]") !== null')).toBe(true)
    // The browser says of each attempt that it was stopped, and nothing else went wrong.
    expect(pat.problems).toEqual([
      expect.stringContaining('Unsafe attempt to initiate navigation'),
      expect.stringContaining('Blocked opening'),
      expect.stringContaining('Ignored call to'),
      expect.stringContaining('blocked by CORS policy'),
    ])
  })

  inDepth('leads whoever has deployed nothing to the first deploy', async () => {
    const joan = await dashboard.person('joan', size)
    await joan.client.call(contract.projects.create, { body: { slug: 'empty' } })
    await joan.open('/dashboard/empty')
    await joan.page.waitForURL('**/dashboard/empty/start')
    joan.expectNoProblems()
  })

  inDepth('says that nothing is live where the first deploy failed', async () => {
    const kim = await dashboard.person('kim', size)
    await kim.client.call(contract.projects.create, { body: { slug: 'broken' } })
    const body = { files: [{ path: 'broken.md', content: 'x' }] }
    await kim.client.call(contract.deploys.create, { query: { project: 'broken' }, body }).catch(() => undefined)
    await kim.open('/dashboard/broken')
    await kim.page.getByRole('heading', { name: 'Nothing is live yet' }).waitFor()
    await kim.page.getByText('None. A branch is a copy of the site').waitFor()
    await kim.expectAccessible()
    kim.expectNoProblems()
  })

  inDepth('leads into the editor: on a new branch, or on one that is there', async () => {
    const eve = await dashboard.person('eve', size)
    const { page } = eve
    const params = { slug: 'edited' }
    await eve.client.call(contract.projects.create, { body: params })
    const body = { files: [{ path: 'index.mdx', content: '# Home' }] }
    await eve.client.call(contract.deploys.create, { query: { project: 'edited' }, body })
    await eve.open('/dashboard/edited')
    await page.getByRole('link', { name: 'Edit in a branch' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('next')
    await eve.expectAccessible()
    await page.getByRole('button', { name: 'Create branch' }).click()
    await page.waitForURL('**/branches/*/edit')
    await page.goBack()
    await page.getByRole('heading', { name: 'edited', level: 1 }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)

    // A page of the site may be named, too.
    await eve.open('/dashboard/edited?edit=index.mdx&line=1')
    const open = page.getByRole('dialog').getByRole('list', { name: 'Open branches' })
    await open.getByRole('link', { name: 'next' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('edit-index')
    await eve.expectAccessible()
    await open.getByRole('link', { name: 'next' }).click()
    await page.waitForURL('**/edit/index.mdx?line=1')
    eve.expectNoProblems()
  })

  inDepth('offers what one may do, and nothing else', async () => {
    const [grace, bob] = [await dashboard.person('grace', size), await dashboard.person('bob', size)]
    await grace.client.call(contract.projects.create, { body: { slug: 'shared' } })
    const body = { files: [{ path: 'index.md', content: 'one' }] }
    await grace.client.call(contract.deploys.create, { query: { project: 'shared' }, body })
    const { id, code } = await grace.client.call(contract.invitations.create, {
      params: { slug: 'shared' },
      body: { email: bob.email },
    })
    await bob.client.call(contract.invitations.accept, { params: { id }, body: { code } })
    await grace.open('/dashboard/shared')
    await grace.page.getByRole('link', { name: 'Invite' }).waitFor()
    await bob.open('/dashboard/shared')
    await bob.page.getByRole('link', { name: 'Edit in a branch' }).waitFor()
    expect(await bob.page.getByRole('link', { name: 'Invite' }).count()).toBe(0)
    bob.expectNoProblems()
  })
})
