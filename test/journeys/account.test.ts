import { expect, it, onTestFinished } from 'vitest'
import { hasBrowser, launchBrowser } from '../support/browser.ts'
import { createClient } from '../../src/client/client.ts'
import { contract } from '../../src/contract/index.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { freePort, startService } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary.ts'

it.skipIf(!hasBrowser)(
  'a person signs in through the identity provider, invites others and signs out elsewhere',
  async () => {
    const port = await freePort()
    const provider = await startIdentityProvider(`http://localhost:${port}/api/auth/oidc/callback`)
    provider.people.set('ada', { email: 'ada@example.com', email_verified: true })
    provider.visitor = 'ada'
    const settings = {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      OIDC_NAME: 'Example ID',
    }
    const service = await startService(await temporaryDirectory(), settings, port)
    onTestFinished(() => service.stop())
    const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, {
      body: { email: 'grace@example.com', password: 'correct horse battery' },
    })
    const grace = createClient({ baseUrl: service.url, token })

    const browser = await launchBrowser()
    onTestFinished(() => browser.close())
    const open = async (path: string) => {
      const page = await (await browser.newContext()).newPage()
      await page.goto(service.url + path)
      await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
      await page.getByText('ada@example.com').first().waitFor()
      return page
    }
    const elsewhere = await open('/dashboard')
    // What was asked for is there after the way over the provider.
    const page = await open('/dashboard/device?user_code=BCDF-GHJK')
    expect(page.url()).toBe(`${service.url}/dashboard/device?user_code=BCDF-GHJK`)

    await page.goto(`${service.url}/dashboard`)
    await page.getByLabel('Slug').fill('leaves')
    await page.getByRole('button', { name: 'Create project' }).click()
    let link = ''
    const invite = async (email: string, role: 'writer' | 'owner'): Promise<string> => {
      const before = link
      await page.getByLabel('Email address of whom you invite').fill(email)
      await page.getByLabel('As', { exact: true }).selectOption(role)
      await page.getByRole('button', { name: 'Invite' }).click()
      const told = page
        .getByRole('status')
        .filter({ hasText: `Give this link to ${email}` })
        .locator('code')
      await expect.poll(async () => (link = await told.innerText())).not.toBe(before)
      return link
    }
    // Nothing tells whether the address has an account.
    expect(await invite('nobody@example.com', 'writer')).toContain('#invitation=')
    const gracePage = await (await browser.newContext()).newPage()
    await gracePage.goto(await invite('grace@example.com', 'writer'))
    await gracePage.getByLabel('Email').fill('grace@example.com')
    await gracePage.getByLabel('Password').fill('correct horse battery')
    await gracePage.getByRole('button', { name: 'Sign in', exact: true }).click()
    await gracePage.getByRole('button', { name: 'Accept' }).click()
    const projectsOfGrace = async () => (await grace.call(contract.projects.list, { query: {} })).items
    await expect.poll(projectsOfGrace).toMatchObject([{ slug: 'leaves', role: 'writer' }])
    await page.getByLabel('Name of the new key').fill('CI')
    await page.getByRole('checkbox', { name: 'write' }).uncheck()
    await page.getByLabel('Expires').selectOption('in 90 days')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('status').getByText('Copy the key now').waitFor()
    await page.getByText(/^read, deploy, generate, expires /).waitFor()

    page.once('dialog', (dialog) => void dialog.accept())
    const [id = '', code = ''] = (await invite('grace@example.com', 'owner')).split('#invitation=')[1]?.split('.') ?? []
    await grace.call(contract.invitations.accept, { params: { id }, body: { code } })
    await page.reload()
    await page.getByRole('button', { name: 'Leave' }).waitFor()
    expect(await page.getByRole('heading', { name: 'API keys' }).count()).toBe(0)

    await page.goto(`${service.url}/dashboard/account`)
    await page.getByText('the account has no password').waitFor()
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await page.getByRole('button', { name: 'Sign out everywhere else' }).waitFor({ state: 'detached' })
    await elsewhere.reload()
    await elsewhere.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
  },
)

it.skipIf(!hasBrowser)('a person signs up, and a changed password signs other browsers out', async () => {
  const service = await startService(await temporaryDirectory())
  onTestFinished(() => service.stop())
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const open = async () => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${service.url}/dashboard/account`)
    await page.getByLabel('Email').fill('ada@example.com')
    return page
  }
  const page = await open()
  await page.getByLabel('Password').fill('guess guess guess')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('Email address or password is wrong').waitFor()
  await page.getByRole('button', { name: 'Create an account' }).click()
  expect(await page.getByRole('alert').count()).toBe(0)
  await page.getByLabel('Password').fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.getByText('this one').waitFor()

  const other = await open()
  await other.getByLabel('Password').fill('correct horse battery')
  await other.getByRole('button', { name: 'Sign in' }).click()
  await other.getByText('this one').waitFor()

  // What password managers go by.
  const names = await page
    .locator('form input')
    .evaluateAll((inputs) => inputs.map((input) => input.getAttribute('autocomplete')))
  expect(names).toEqual(['username', 'current-password', 'new-password'])
  await page.getByLabel('Current password').fill('correct horse battery')
  await page.getByLabel('New password').fill('battery staple horse')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('status').getByText('The password is changed').waitFor()
  await other.reload()
  await other.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
  await page.reload()
  await page.getByText('this one').waitFor()
})
