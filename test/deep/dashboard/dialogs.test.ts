import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { FakeDns } from '#test/support/domains/support.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, password, shownSizes, type Person } from '#test/support/dashboard.ts'
import { join } from '#test/support/members.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('dialogs on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.start({}, { lookupTxt: new FakeDns().lookup })
  })
  afterAll(() => dashboard.close())

  async function owner(slug: string): Promise<Person> {
    const person = await dashboard.person(slug, size)
    await person.client.call(contract.projects.create, { body: { slug } })
    return person
  }

  const focused = async ({ page }: Person): Promise<string | null> =>
    page.evaluate<string | null>(
      `document.activeElement.labels?.[0]?.innerText ?? document.activeElement.ariaLabel ?? document.activeElement.innerText`,
    )

  it('begin at their first field, or at what does the least harm', async () => {
    const ada = await owner('ada')
    const { page } = ada
    await ada.open('/dashboard/ada/settings/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    await expect.poll(() => focused(ada)).toBe('Name')
    await page.keyboard.type('CI')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'The key “CI”' }).getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Actions for CI' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await expect.poll(() => focused(ada)).toBe('Cancel')
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    expect((await ada.client.call(contract.keys.list, { params: { slug: 'ada' } })).items).toHaveLength(1)

    await ada.open('/dashboard/ada/settings?delete')
    await expect.poll(() => focused(ada)).toBe('Type ada to confirm')
    await ada.open('/dashboard/ada/settings/members?invite=writer')
    await expect.poll(() => focused(ada)).toBe('Email address')
    await page.getByLabel('Email address').fill('eve@example.com')
    await page.getByRole('button', { name: 'Invite writer' }).click()
    await page.getByRole('group', { name: 'link of the invitation' }).waitFor()
    // Not lost with the button that is gone.
    expect(await page.evaluate(`document.querySelector('[role=dialog]').contains(document.activeElement)`)).toBe(true)
    ada.expectNoProblems()
  })

  it('have addresses: a reload leaves them open, going back closes them', async () => {
    const grace = await owner('grace')
    const { client, page } = grace
    const params = { slug: 'grace' }
    const guest = await dashboard.person('guest', size)
    const { id: member } = await join(client, 'grace', guest)
    const key = await client.call(contract.keys.create, { params, body: { name: 'CI' } })
    const invitation = await client.call(contract.invitations.create, { params, body: { email: 'eve@example.com' } })
    await client.call(contract.domains.create, { params, body: { domain: `docs-${size}.example.com` } })
    const url = 'https://hooks.example.com/one'
    const webhook = await client.call(contract.webhooks.create, { params, body: { url, events: ['deploy.success'] } })
    const hook = `webhooks/${webhook.id}`
    await client.call(contract.visibility.set, { params, body: { visibility: 'private' } })
    await client.call(contract.visibility.setPassword, { params, body: { password: 'open sesame please' } })
    const link = await client.call(contract.visibility.createLink, { params, body: { name: 'Reviewers' } })
    const all = [
      ['?transfer', 'Transfer grace'],
      ['?delete', 'Delete grace?'],
      ['?rename=hopper', 'Rename grace to hopper?'],
      ['keys?new', 'Create an API key'],
      [`keys?rename=${key.id}`, 'Rename key'],
      [`keys?revoke=${key.id}`, 'Revoke the key “CI”?'],
      ['members?invite=writer', 'Invite a writer'],
      [`members?remove=${member}`, `Remove ${guest.email} from grace?`],
      [`members?revoke=${invitation.id}`, 'Take the invitation of eve@example.com back?'],
      ['domains?add', 'Add a domain'],
      [`domains?remove=docs-${size}.example.com`, `Remove docs-${size}.example.com?`],
      ['visibility?public', 'Show the site to everybody?'],
      ['visibility?password', 'Change the password'],
      ['visibility?no-password', 'Remove the password?'],
      ['visibility?new', 'Create a share link'],
      [`visibility?revoke=${link.id}`, 'Revoke the link for “Reviewers”?'],
      ['git?new', 'Create an API key'],
      ['webhooks?new', 'Add a webhook'],
      [`${hook}?edit`, 'Edit webhook'],
      [`${hook}?rotate`, 'Replace the secret?'],
      [`${hook}?delete`, 'Delete the webhook to hooks.example.com/one?'],
    ] as const
    const dialog = page.locator('[role=dialog], [role=alertdialog]')
    for (const [address, title] of all) {
      const whole = `/dashboard/grace/settings${address.startsWith('?') ? '' : '/'}${address}`
      await grace.open(whole)
      await dialog.getByRole('heading', { name: title, exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      expect(page.url(), address).toBe(dashboard.url + whole.replace(/\?.*/, ''))
    }

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.waitFor()
    await page.reload()
    await dialog.waitFor()
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'hooks.example.com/one' }).waitFor()
    await guest.open('/dashboard/grace/settings?leave')
    await guest.page.getByRole('button', { name: 'Leave project' }).click()
    await guest.page.getByText('You left grace.').waitFor()
    expect(guest.page.url()).toBe(`${dashboard.url}/dashboard`)
    grace.expectNoProblems()
    guest.expectNoProblems()
  })

  it('leave nothing in the history once they are closed', async () => {
    const mary = await owner('mary')
    const { page } = mary
    const dialog = page.locator('[role=dialog], [role=alertdialog]')
    await mary.open('/dashboard/mary/settings')
    await mary.open('/dashboard/mary/settings/members')
    for (const name of ['Escape', 'Close']) {
      await page.getByRole('button', { name: 'Invite' }).click()
      await dialog.getByRole('heading', { name: 'Invite a writer' }).waitFor()
      if (name === 'Escape') await page.keyboard.press(name)
      else await dialog.getByRole('button', { name }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(page.url()).toBe(`${dashboard.url}/dashboard/mary/settings/members`)
    }
    // Forward leads to it again, and it closes again.
    await page.goForward()
    await dialog.getByRole('heading', { name: 'Invite a writer' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.goBack()
    await page.waitForURL('**/mary/settings')
    mary.expectNoProblems()
  })

  it('wait with what was typed while their session has ended', async () => {
    const joan = await owner('joan')
    const { client, page } = joan
    const signIn = async (): Promise<void> => {
      await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
      expect(await page.locator('[role=dialog]:visible, [role=alertdialog]:visible').count()).toBe(0)
      await joan.expectAccessible()
      await page.getByLabel('Email').fill(joan.email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    }
    await joan.open('/dashboard/joan/settings/keys')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create an API key' })
    await dialog.getByLabel('Name').fill('Build server')
    await dialog.getByRole('checkbox', { name: 'generate' }).uncheck()
    await client.call(contract.accounts.logout)
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await signIn()
    await dialog.waitFor()
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog', { name: 'The key “Build server”' }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByText('read, write, deploy.').waitFor()
    joan.expectNoProblems()
  })
})
