import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { branchWriter, moveMain, type BranchWriter } from '#test/support/branch-writer.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'

/** Somebody deploys, and it does not end. @returns lets it go on */
async function deployUnderWay(builder: FakeBuilder, { client }: BranchWriter, project: string): Promise<() => void> {
  const goOn = builder.hold()
  onTestFinished(goOn)
  await client.call(contract.deploys.create, {
    query: { project },
    body: { files: [{ path: 'index.mdx', content: 'another' }] },
    headers: { prefer: 'respond-async' },
  })
  return goOn
}

describe.skipIf(!hasBrowser).each(shownSizes)('a publish on a %s', (size) => {
  let dashboard: DashboardTest
  const builder = new FakeBuilder()

  beforeAll(async () => {
    dashboard = await DashboardTest.start({}, { builder })
  })
  afterAll(() => dashboard.close())

  it('waits while another deploy is under way, and then begins by itself', async () => {
    const ada = await branchWriter(dashboard, 'waiting', size)
    const { page } = ada
    const goOn = await deployUnderWay(builder, ada, 'waiting')
    await ada.open(`/dashboard/waiting/branches/${ada.branch}/publish`)
    await page.getByRole('button', { name: 'Publish now' }).click()
    await page.getByText('Another deploy is under way. Yours begins when that one has ended.').waitFor()
    await ada.expectAccessible()
    await page.getByRole('button', { name: 'Stop waiting' }).click()
    await page.getByText('It was not published: you stopped waiting.').waitFor()

    await page.getByRole('button', { name: 'Publish now' }).click()
    await page.getByRole('button', { name: 'Stop waiting' }).waitFor()
    await page.getByRole('link', { name: 'Changes', exact: true }).click()
    await page.getByText('new-guide was not published: you left the page while it waited for another deploy.').waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Publish now' }).click()
    await page.getByRole('button', { name: 'Stop waiting' }).waitFor()
    goOn()
    // What the other deploy did to the same pages is asked for, as ever.
    await page.getByRole('heading', { name: /to settle$/ }).waitFor()
    ada.expectNoProblems()
  })

  it('names what is typed and not saved, on the way and when the branch is gone', async () => {
    const grace = await branchWriter(dashboard, 'unsaved', size)
    const { page } = grace
    const address = `/dashboard/unsaved/branches/${grace.branch}`
    await grace.open(`${address}/edit/guides/start.mdx`)
    await page.getByRole('textbox', { name: 'Text of guides/start.mdx' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('A thought of mine.')
    await page.getByText('A thought of mine.').first().waitFor()
    await grace.open(`${address}/publish`)
    const notice = page.getByText('Not saved on the branch, so not published')
    await notice.waitFor()
    await grace.expectAccessible()
    await page.getByRole('link', { name: 'guides/start.mdx' }).click()
    await page.getByRole('textbox', { name: 'Text of guides/start.mdx' }).getByText('A thought of mine.').waitFor()
    await page.goBack()

    // In conflict it is named as well.
    await moveMain(grace, 'unsaved')
    await page.getByRole('button', { name: 'Publish now' }).click()
    await page.getByRole('heading', { name: /to settle$/ }).waitFor()
    await notice.waitFor()

    await grace.client.call(contract.branches.remove, { params: { slug: 'unsaved' }, query: { id: grace.branch } })
    for (const part of ['publish', 'edit/guides/start.mdx']) {
      await grace.open(`${address}/${part}`)
      await page
        .getByRole('group', { name: 'your draft of guides/start.mdx' })
        .getByText('A thought of mine.')
        .waitFor()
    }
    await grace.expectAccessible()
    grace.expectNoProblems()
  })

  it('is nothing that somebody is offered who may only read', async () => {
    const eve = await branchWriter(dashboard, 'reading', size)
    const { page } = eve
    await moveMain(eve, 'reading')
    await page.route('**/api/projects/reading', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), scopes: ['read'] } })
    })
    const address = `/dashboard/reading/branches/${eve.branch}`
    const offers = page.getByRole('main').getByRole('link', { name: /^(Edit|Publish|Update)/ })
    for (const [part, seen] of [
      ['', 'Changed files'],
      ['/changes', /^4 files/],
    ] as const) {
      await eve.open(address + part)
      await page.getByRole('heading', { name: seen }).waitFor()
      expect(await offers.count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Delete branch…' }).count()).toBe(0)
      await eve.expectAccessible()
    }
    await eve.open(`${address}/publish`)
    await page.getByText('You may not publish in this project: ask its owner.').waitFor()
    await eve.open(`${address}/update`)
    await page.getByText('You may read this project, and not change its branches: ask its owner.').waitFor()
    await eve.open('/dashboard/reading/branches')
    await page.getByRole('link', { name: 'new-guide', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'New branch' }).count()).toBe(0)
    for (const path of ['', '/deploys']) {
      await eve.open(`/dashboard/reading${path}`)
      await page
        .getByRole('link', { name: /#2|Deploy of files/ })
        .first()
        .waitFor()
      expect(await offers.count()).toBe(0)
      expect(await page.getByRole('button', { name: /^Serve/ }).count()).toBe(0)
    }
    eve.expectNoProblems()
  })
})
