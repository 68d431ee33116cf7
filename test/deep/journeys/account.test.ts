import { expect, it, onTestFinished } from 'vitest'
import { hasBrowser, launchBrowser } from '#test/support/browser.ts'
import { startIdentityProvider } from '#test/support/identity-provider.ts'
import { freePort, startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

it.skipIf(!hasBrowser)('a person signs in through the identity provider and signs out elsewhere', async () => {
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
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const open = async (path: string) => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(service.url + path)
    await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
    await page.getByRole('button', { name: 'Your account' }).waitFor()
    return page
  }
  const elsewhere = await open('/dashboard')
  // What was asked for is there after the way over the provider.
  const page = await open('/dashboard/device?user_code=BCDF-GHJK')
  expect(page.url()).toBe(`${service.url}/dashboard/device?user_code=BCDF-GHJK`)

  await page.goto(`${service.url}/dashboard/account`)
  await page.getByText('the account has no password').waitFor()
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
  await page.getByRole('button', { name: 'Sign out everywhere else' }).waitFor({ state: 'detached' })
  await elsewhere.reload()
  await elsewhere.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
})
