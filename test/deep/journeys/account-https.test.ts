import { request as httpRequest } from 'node:http'
import { createServer } from 'node:https'
import { expect, it, onTestFinished } from 'vitest'
import { hasBrowser, launchBrowser } from '#test/support/browser.ts'
import { certificate, privateKey } from '#test/support/certificate.ts'
import { listen } from '#test/support/loopback.ts'
import { startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** A proxy that ends TLS in front of a service, as in production. Returns its port. */
async function startTlsProxy(target: string): Promise<number> {
  const { port } = new URL(target)
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    const { method, url, headers } = request
    const onward = httpRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.once('error', () => response.destroy())
    request.pipe(onward)
  })
  return listen(server)
}

it.skipIf(!hasBrowser)(
  'over HTTPS a browser keeps the session’s cookie for the one host, and writes with it',
  async () => {
    const origin = 'https://app.example.com'
    const settings = { PUBLIC_URL: origin, PREVIEW_DOMAIN: 'sites.example.net', SIGNUP: 'open' }
    const service = await startService(await temporaryDirectory(), settings)
    onTestFinished(() => service.stop())
    const port = await startTlsProxy(service.url)
    const browser = await launchBrowser('--ignore-certificate-errors', `--host-resolver-rules=MAP * 127.0.0.1:${port}`)
    onTestFinished(() => browser.close())
    const context = await browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    await page.goto(`${origin}/dashboard`)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('link', { name: 'Create a project' }).click()
    await page.getByLabel('Title').fill('Leaves')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.waitForURL('**/dashboard/leaves/start')
    await page.getByText('https://leaves.sites.example.net').first().waitFor()

    expect(await context.cookies()).toMatchObject([
      {
        name: '__Host-quire_session',
        domain: 'app.example.com',
        path: '/',
        httpOnly: true,
        secure: true,
        sameSite: 'Lax',
      },
    ])
    expect(await page.evaluate(() => document.cookie)).toBe('')
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    expect(await context.cookies()).toEqual([])
  },
)
