import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, type Person } from '#test/support/dashboard.ts'

interface Act {
  readonly name: string
  /** Below `/dashboard/`. */
  readonly at: (ids: Ids) => string
  /** Up to the press that sends something, with what is typed for it. */
  readonly begin?: (page: Page) => Promise<void>
  /** Name of the button that sends it. */
  readonly press: string
  /** What was typed, by the label of its field. */
  readonly typed?: Readonly<Record<string, string>>
}

interface Ids {
  readonly slug: string
  readonly branch: string
  readonly entry: string
  readonly webhook: string
}

const fieldOf = (page: Page, label: string) =>
  page.locator('input, textarea').and(page.getByLabel(label, { exact: true }))

const fill =
  (typed: Readonly<Record<string, string>>) =>
  async (page: Page): Promise<void> => {
    for (const [label, text] of Object.entries(typed)) await fieldOf(page, label).fill(text)
  }

/** What opens the dialog, then what is typed into it. */
const inDialog =
  (button: string, typed: Readonly<Record<string, string>> = {}) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: button, exact: true }).first().click()
    await fill(typed)(page)
  }

const fromMenu = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

const passwords = { 'Current password': 'correct horse battery', 'New password': 'another horse battery' }

const acts: readonly Act[] = [
  {
    name: 'a new project',
    at: () => 'new',
    begin: fill({ Title: 'Acme' }),
    press: 'Create project',
    typed: { Title: 'Acme' },
  },
  {
    name: 'its title',
    at: ({ slug }) => `${slug}/settings`,
    begin: fill({ Title: 'Acme 2' }),
    press: 'Save title',
    typed: { Title: 'Acme 2' },
  },
  {
    name: 'a new branch',
    at: ({ slug }) => `${slug}/branches`,
    begin: inDialog('New branch', { Name: 'idea' }),
    press: 'Create branch',
    typed: { Name: 'idea' },
  },
  {
    name: 'a deleted branch',
    at: ({ slug, branch }) => `${slug}/branches/${branch}`,
    begin: inDialog('Delete branch…'),
    press: 'Delete branch',
  },
  {
    name: 'a new key',
    at: ({ slug }) => `${slug}/settings/keys`,
    begin: inDialog('Create key', { Name: 'ci' }),
    press: 'Create key',
    typed: { Name: 'ci' },
  },
  {
    name: 'an invitation',
    at: ({ slug }) => `${slug}/settings/members`,
    begin: inDialog('Invite', { 'Email address': 'grace@example.com' }),
    press: 'Invite writer',
    typed: { 'Email address': 'grace@example.com' },
  },
  {
    name: 'a domain',
    at: ({ slug }) => `${slug}/settings/domains`,
    begin: inDialog('Add domain', { Domain: 'docs.example.com' }),
    press: 'Add domain',
    typed: { Domain: 'docs.example.com' },
  },
  { name: 'a check of the repository', at: ({ slug }) => `${slug}/settings`, press: 'Check repository' },
  {
    name: 'a new webhook',
    at: ({ slug }) => `${slug}/settings/webhooks`,
    begin: inDialog('Add webhook', { URL: 'https://example.com/' }),
    press: 'Add webhook',
    typed: { URL: 'https://example.com/' },
  },
  {
    name: 'a test of a webhook',
    at: ({ slug, webhook }) => `${slug}/settings/webhooks/${webhook}`,
    press: 'Send test',
  },
  {
    name: 'a deleted webhook',
    at: ({ slug, webhook }) => `${slug}/settings/webhooks/${webhook}`,
    begin: fromMenu('Delete'),
    press: 'Delete webhook',
  },
  {
    name: 'an entry',
    at: ({ slug, entry }) => `${slug}/entries/${entry}`,
    begin: fill({ Title: 'Faster', Text: 'Not lost' }),
    press: 'Save draft',
    typed: { Title: 'Faster', Text: 'Not lost' },
  },
  {
    name: 'a published entry',
    at: ({ slug, entry }) => `${slug}/entries/${entry}?dialog=publish`,
    begin: (page) => page.getByRole('dialog').waitFor(),
    press: 'Publish',
  },
  {
    name: 'a deleted entry',
    at: ({ slug, entry }) => `${slug}/entries/${entry}`,
    begin: fromMenu('Delete'),
    press: 'Delete entry',
  },
  {
    name: 'a question to the assistant',
    at: ({ slug, branch }) => `${slug}/branches/${branch}/edit?panel=assistant`,
    begin: fill({ 'Ask the assistant': 'Why?' }),
    press: 'Send',
    typed: { 'Ask the assistant': 'Why?' },
  },
  {
    name: 'a comment',
    at: ({ slug, branch }) => `${slug}/branches/${branch}/changes`,
    begin: inDialog('Comment on the branch', { 'Comment on the branch': 'Good.' }),
    press: 'Comment',
    typed: { 'Comment on the branch': 'Good.' },
  },
  {
    name: 'a new password',
    at: () => 'account',
    begin: inDialog('Change password', passwords),
    press: 'Change password',
    typed: { 'New password': 'another horse battery' },
  },
]

/** How a request fails, and what is told of it. */
const failures: readonly (readonly [how: string, words: string | RegExp, fail: (route: Route) => Promise<void>])[] = [
  ['breaks off', 'The service cannot be reached. Check your connection and try again.', (route) => route.abort()],
  [
    'is refused by the service',
    /The disk is full\. Free some space\./,
    problem(503, { code: 'unavailable', detail: 'The disk is full.', hint: 'Free some space.' }),
  ],
  [
    'meets a mistake of the service',
    /Something went wrong in the service/,
    problem(500, { code: 'internal', detail: 'Something went wrong in the service.' }),
  ],
  [
    'comes too often',
    /Too many requests\. Try again in 30 seconds\./,
    problem(429, { code: 'rate_limited', detail: 'Too many requests.', hint: 'Try again in 30 seconds.' }),
  ],
  [
    'meets a proxy without a service',
    /The server answered 502.* Try again in a moment\./,
    (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  ],
]

function problem(status: number, body: object) {
  return (route: Route) =>
    route.fulfill({ status, contentType: 'application/problem+json', body: JSON.stringify(body) })
}

describe.skipIf(!hasBrowser)('what fails', () => {
  let dashboard: DashboardTest
  let ada: Person
  let ids: Ids

  beforeAll(async () => {
    dashboard = await DashboardTest.start()
    ada = await dashboard.person('ada', 'phone')
    const params = { slug: 'docs' }
    await ada.client.call(contract.projects.create, { body: params })
    const branch = await ada.client.call(contract.branches.create, { params, body: { name: 'draft' } })
    const entry = await ada.client.call(contract.changelog.create, { params, body: { title: 'New', content: 'Text' } })
    const url = 'https://example.com/hook'
    const webhook = await ada.client.call(contract.webhooks.create, { params, body: { url } })
    ids = { slug: 'docs', branch: branch.id, entry: entry.id, webhook: webhook.id }
  })
  afterAll(() => dashboard.close())

  it.each(acts)('is told, and nothing that was typed is lost: $name', async ({ at, begin, press, typed = {} }) => {
    const page = await ada.context.newPage()
    try {
      ada.watch(page)
      await page.goto(`${dashboard.url}/dashboard/${at(ids)}`)
      await begin?.(page)
      const button = page.getByRole('button', { name: press, exact: true }).last()
      const isWhole = async (): Promise<void> => {
        for (const [label, text] of Object.entries(typed))
          expect(await fieldOf(page, label).inputValue(), label).toBe(text)
      }
      await button.waitFor()
      for (const [how, words, fail] of failures) {
        const isSent = (route: Route) =>
          !['GET', 'HEAD'].includes(route.request().method()) && !route.request().url().endsWith('/preview')
        let isHeld = true
        let release = (): void => undefined
        const held = new Promise<void>((resolve) => (release = resolve))
        await page.route('**/api/**', async (route) => {
          if (!isSent(route)) return route.fallback()
          if (isHeld) await held
          return fail(route)
        })
        await button.click()
        // Whoever waits sees that something is under way, and no success.
        if (press !== 'Send') await page.locator('button[aria-disabled="true"]').first().waitFor()
        isHeld = false
        release()
        await page
          .getByText(words)
          .first()
          .waitFor({ timeout: 8_000 })
          .catch(() => expect.unreachable(`${how}: nothing was told`))
        await isWhole()
        await page.unrouteAll()
      }
      await page.context().setOffline(true)
      await button.click()
      await page.getByText('You are offline: nothing was sent.').first().waitFor({ timeout: 8_000 })
      await isWhole()
      ada.expectNoProblems()
    } finally {
      await page.context().setOffline(false)
      await page.close({ runBeforeUnload: false })
    }
  })
})
