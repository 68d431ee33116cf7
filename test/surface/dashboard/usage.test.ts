import { describeInDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ProjectUsage } from '#contract/usage.ts'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, sizes } from '#test/support/dashboard.ts'
import { noonClock } from '#test/support/service.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('the usage of a plan on a %s', (size) => {
  let dashboard: DashboardTest
  const settings = {
    DEFAULT_PLAN: 'free',
    PLAN_CHANGE_TEXT: 'Pro costs 20 € a month.',
    PLAN_CHANGE_URL: 'https://billing.example.com/upgrade',
  }

  beforeAll(async () => {
    dashboard = await DashboardTest.start(settings, { now: noonClock() })
  })
  afterAll(() => dashboard.close())

  it('says what is left, what shares a limit, and how to change the plan', async () => {
    const ada = await dashboard.person('ada', size)
    const { page } = ada
    const params = { slug: 'docs' }
    await ada.client.call(contract.projects.create, { body: { slug: 'docs' } })
    const body = { files: [{ path: 'index.md', content: 'one' }] }
    await ada.client.call(contract.deploys.create, { query: { project: 'docs' }, body })
    await ada.client.call(contract.branches.create, { params, body: { name: 'next' } })
    await ada.open('/dashboard/docs/usage')
    await page.getByRole('heading', { name: /^Free plan/ }).waitFor()
    const generations = page.getByRole('meter', { name: 'Generations' })
    expect(await generations.getAttribute('aria-valuetext')).toBe('1 of 1 used')
    await page.getByText('Nothing left').waitFor()
    await page.getByText('No branch can be created, the assistant takes no messages').waitFor()
    await page.getByText(/There is more on .+, or at once with another plan\./).waitFor()
    const parts = page.getByRole('list', { name: 'What generations were used for' })
    expect(await parts.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/Branches and generations\s*1/),
      expect.stringMatching(/Messages to the assistant\s*0/),
      expect.stringMatching(/Answers to readers\s*0/),
    ])
    expect(await page.getByRole('meter', { name: 'Deploys' }).getAttribute('aria-valuetext')).toBe('1 of 3 used')
    await page.getByText('Pro costs 20 € a month.').waitFor()
    const change = page.getByRole('link', { name: 'Change plan' })
    expect(await change.getAttribute('href')).toBe('https://billing.example.com/upgrade')
    await ada.expectAccessible()

    // The tab of a page is seen also where the tabs are wider than the window.
    const tab = await page
      .getByRole('navigation', { name: 'Project' })
      .getByRole('link', { name: 'Usage' })
      .boundingBox()
    expect(tab?.x).toBeGreaterThanOrEqual(0)
    expect((tab?.x ?? 0) + (tab?.width ?? 0)).toBeLessThanOrEqual(sizes[size].width)

    const rows = page.getByRole('table').getByRole('row')
    expect(await rows.nth(1).innerText()).toMatch(/\d{4}\s+1\s+1\s+0\s+0\s+\$0\.00\s+0/)
    await page.getByRole('button', { name: 'Deploys' }).click()
    await page.waitForURL('**/usage?show=deploys')
    await page.reload()
    await page.getByRole('button', { name: 'Deploys', pressed: true }).waitFor()
    await ada.open('/dashboard/docs/deploys')
    await page.goBack()
    await page.getByRole('button', { name: 'Deploys', pressed: true }).waitFor()

    // Messages to the assistant are generations, too.
    await page.route('**/api/projects/docs/usage', async (route) => {
      const response = await route.fetch()
      const usage = (await response.json()) as ProjectUsage
      const used = {
        generations: { ...usage.generations, used: 5 },
        agentMessages: { ...usage.agentMessages, used: 3 },
      }
      await route.fulfill({ response, json: { ...usage, ...used } })
    })
    await page.reload()
    await expect.poll(() => parts.getByRole('listitem').first().innerText()).toMatch(/^Branches and generations\s*2$/)
    ada.expectNoProblems()
  })
})

describeInDepth.skipIf(!hasBrowser).each(shownSizes)('a plan that is nearly used up, on a %s', (size) => {
  it('says what will stop before it does, and shows each month beside its numbers', async () => {
    const dashboard = await DashboardTest.start({ DEFAULT_PLAN: 'free' })
    try {
      const ada = await dashboard.person('ada', size)
      const { page } = ada
      await ada.client.call(contract.projects.create, { body: { slug: 'docs' } })
      await page.route('**/api/projects/docs/usage', async (route) => {
        const response = await route.fetch()
        const usage = (await response.json()) as ProjectUsage
        const deploys = { ...usage.deploys, used: 95, limit: 100, remaining: 5 }
        await route.fulfill({ response, json: { ...usage, deploys } })
      })
      await ada.open('/dashboard/docs/usage')
      await page.getByText('Nearly used up').waitFor()
      await page.getByText('When nothing is left: Deploys, publishes and pushes to main are refused').waitFor()
      await ada.expectAccessible()
      const table = page.getByRole('group', { name: 'Usage by month' })
      await table.evaluate('(element) => element.scrollTo({ left: element.scrollWidth })')
      const month = await table.getByRole('rowheader').first().boundingBox()
      const around = await table.boundingBox()
      expect(Math.round(month?.x ?? 0)).toBeGreaterThanOrEqual(Math.round(around?.x ?? 0))
      ada.expectNoProblems()
    } finally {
      await dashboard.close()
    }
  })
})

describeInDepth.skipIf(!hasBrowser)('the usage of a plan without limits', () => {
  it('is counted all the same, and the operator is named where nobody said how to change it', async () => {
    const dashboard = await DashboardTest.start({ DEFAULT_PLAN: 'pro' })
    try {
      const ada = await dashboard.person('ada', 'phone')
      await ada.client.call(contract.projects.create, { body: { slug: 'docs' } })
      await ada.open('/dashboard/docs/usage')
      await ada.page.getByRole('heading', { name: /^Pro plan/ }).waitFor()
      await ada.page.getByText('Ask the operator of this service').waitFor()
      expect(await ada.page.getByRole('meter').count()).toBe(0)
      await ada.page.getByText('this month, without a limit').first().waitFor()
      await ada.expectAccessible()
      ada.expectNoProblems()
    } finally {
      await dashboard.close()
    }
  })
})
