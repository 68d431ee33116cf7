import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { join } from '../support/members.ts'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { createClient, type Client } from '../../src/client/client.ts'
import { contract } from '../../src/contract/index.ts'
import { FakeBuilder } from '../support/fake-builder.ts'
import { startTestService, type TestService } from '../support/service.ts'

const password = 'correct horse battery'

describe.skipIf(!hasBrowser)('the dashboard', () => {
  let service: TestService
  let url: string
  let browser: Browser

  beforeAll(async () => {
    service = await startTestService({}, { builder: new FakeBuilder() })
    url = `http://localhost:${service.port}`
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await service.close()
  })

  /** A new account, signed in in a browser of a phone’s width. */
  async function person(name: string): Promise<{ page: Page; client: Client; token: string }> {
    const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, {
      body: { email: `${name}@example.com`, password },
    })
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await context.addCookies([
      { name: 'quire_session', value: token, domain: 'localhost', path: '/', httpOnly: true, sameSite: 'Lax' },
    ])
    return { page: await context.newPage(), client: createClient({ baseUrl: url, token }), token }
  }

  it('says what each page is, and that there is nothing yet', async () => {
    const { page } = await person('ada')
    await page.goto(`${url}/dashboard`)
    await page.getByText('None yet. Create one here').waitFor()
    await expect.poll(() => page.title()).toBe('Projects · Quire')
    await page.goto(`${url}/dashboard/account`)
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
    await expect.poll(() => page.title()).toBe('Your account · Quire')
    await page.getByRole('button', { name: 'Sign out' }).first().click()
    await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await expect.poll(() => page.title()).toBe('Sign in · Quire')
  })

  it('fits titles, keys and addresses of any length on a phone', async () => {
    const { page, client } = await person(`grace.${'hopper-'.repeat(7)}x`)
    const title = 'AllInOneWord'.repeat(16)
    await client.call(contract.projects.create, { body: { slug: 'long', title } })
    const body = { name: 'x'.repeat(100) }
    await client.call(contract.keys.create, { params: { slug: 'long' }, body })
    for (const [path, shown] of [
      ['/dashboard', title],
      ['/dashboard/long', body.name],
    ] as const) {
      await page.goto(url + path)
      await page.getByText(shown).first().waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBe(390)
    }
  })

  it('tells a writer whose the project is not', async () => {
    const { client } = await person('owner')
    const writer = await person('writer')
    const { page } = writer
    await client.call(contract.projects.create, { body: { slug: 'shared' } })
    await join(client, 'shared', { client: writer.client, email: 'writer@example.com' })
    await page.goto(`${url}/dashboard`)
    await page.getByText('You are a writer').waitFor()
    await page.goto(`${url}/dashboard/shared`)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('None yet. Create one here').waitFor()
    const { items } = await client.call(contract.members.list, { params: { slug: 'shared' } })
    expect(items.map(({ email }) => email)).toEqual(['owner@example.com'])
  })

  it('says so when the session has ended, and leads to the sign-in', async () => {
    const { page, client, token } = await person('joan')
    await client.call(contract.projects.create, { body: { slug: 'ended' } })
    await page.goto(`${url}/dashboard/ended`)
    await page.getByLabel('Name of the new key').fill('CI')
    await createClient({ baseUrl: url, token }).call(contract.accounts.logout)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('alert').getByText('Your session has ended. Reload this page').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').fill('not this one')
    await page.getByLabel('Email').fill('joan@example.com')
    await page.getByRole('button', { name: 'Sign in' }).click()
    const alert = page.getByRole('alert')
    await alert.waitFor()
    expect(await alert.innerText()).toBe('Email address or password is wrong.')
  })
})
