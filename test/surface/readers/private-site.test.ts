import { request as httpRequest } from 'node:http'
import { createServer } from 'node:https'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { deskOf, openDesk, type Desk } from '#test/support/branching/support.ts'
import { hasBrowser, launchBrowser, sharedBrowser } from '#test/support/browser.ts'
import { certificate, privateKey } from '#test/support/certificate.ts'
import { isDeep } from '#test/support/depth.ts'
import { listen } from '#test/support/loopback.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** A service in front of a browser. */
interface Place {
  readonly desk: Desk
  readonly browser: Browser
  /** Origin of the dashboard. */
  readonly app: string
  readonly site: string
  readonly cookie: { readonly name: string; readonly secure: boolean }
}

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
    response.once('close', () => onward.destroy())
    request.pipe(onward)
  })
  return listen(server)
}

async function openHere(): Promise<Place> {
  const desk = await openDesk(await sharedService())
  const app = `http://localhost:${desk.port}`
  const site = `http://${desk.slug}.localhost:${desk.port}`
  return { desk, browser: await sharedBrowser(), app, site, cookie: { name: 'quire_session', secure: false } }
}

/** On domains of their own, in a browser that keeps the cookies of sites from frames on other ones. */
async function openOverHttps(): Promise<Place> {
  const app = 'https://app.example.com'
  const settings = { PUBLIC_URL: app, PREVIEW_DOMAIN: 'sites.example.net', SIGNUP: 'open' }
  const directory = await temporaryDirectory()
  const service = await startService(directory, settings)
  onTestFinished(() => service.stop())
  const port = await startTlsProxy(service.url)
  const browser = await launchBrowser(
    '--ignore-certificate-errors',
    '--test-third-party-cookie-phaseout',
    `--host-resolver-rules=MAP * 127.0.0.1:${port}`,
  )
  onTestFinished(() => browser.close())
  const desk = deskOf(
    { port: service.port, directory },
    await createProject(`http://127.0.0.1:${service.port}`, 'leaves'),
  )
  const cookie = { name: '__Host-quire_session', secure: true }
  return { desk, browser, app, site: 'https://leaves.sites.example.net', cookie }
}

/** Somebody with a browser of their own. */
async function openBrowser({ browser, app, cookie }: Place, session?: string): Promise<[BrowserContext, Page]> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' })
  onTestFinished(() => context.close())
  if (session !== undefined)
    await context.addCookies([{ ...cookie, value: session, url: app, httpOnly: true, sameSite: 'Lax' }])
  return [context, await context.newPage()]
}

const secret = 'Nobody knows of these leaves.'
const isRead = (page: Page) => page.getByText(secret).first().waitFor()
const isShut = (page: Page) => page.getByRole('heading', { name: 'This site is private' }).waitFor()

const places = [
  ['on this machine', openHere],
  ['over HTTPS', openOverHttps],
] as const

describe.skipIf(!hasBrowser).each(isDeep ? places : places.slice(0, 1))('a private site %s', (_where, open) => {
  it('is closed in the dashboard, read by member, link and password, and seen there in frames', async () => {
    const place = await open()
    const { desk, app, site } = place
    await desk.deploy({ 'index.mdx': `# Leaves\n\n${secret}`, 'next.mdx': `# Next\n\n${secret}` })
    const [, owner] = await openBrowser(place, desk.session)
    await owner.goto(`${app}/dashboard/${desk.slug}/settings/visibility`)
    await owner.getByRole('button', { name: 'Make private' }).click()
    await owner.getByRole('heading', { name: 'Only some people see the site' }).waitFor()
    await owner.getByRole('button', { name: 'Create link' }).click()
    await owner.getByLabel('For whom').fill('Reviewers')
    await owner.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    const link = (await owner.getByRole('group', { name: 'share link' }).textContent()) ?? ''
    await owner.getByRole('button', { name: 'Done' }).click()
    await owner.getByRole('button', { name: 'Set a password…' }).click()
    await owner.getByRole('textbox', { name: 'Password' }).fill('open sesame please')
    await owner.getByRole('button', { name: 'Set password' }).click()
    await owner.getByText('The site has this password now.').waitFor()

    const [guest, byPassword] = await openBrowser(place)
    await byPassword.goto(`${site}/next?from=mail`)
    await isShut(byPassword)
    await byPassword.getByLabel('Password').fill('close sesame')
    await byPassword.keyboard.press('Enter')
    await byPassword.getByText('That is not the password.').waitFor()
    await byPassword.getByLabel('Password').fill('open sesame please')
    await byPassword.keyboard.press('Enter')
    await isRead(byPassword)
    expect(byPassword.url()).toBe(`${site}/next?from=mail`)
    expect(await byPassword.evaluate(() => document.cookie)).toBe('')
    expect((await guest.cookies()).map(({ domain, httpOnly }) => [domain, httpOnly])).toEqual([
      [new URL(site).hostname, true],
    ])

    const [, byLink] = await openBrowser(place)
    await byLink.goto(link)
    await isRead(byLink)
    expect(byLink.url()).toBe(`${site}/`)

    // Nobody yet.
    const [, member] = await openBrowser(place)
    await member.goto(`${site}/next`)
    await member.getByRole('link', { name: 'Sign in as a member' }).click()
    await member.getByLabel('Email').fill(`${desk.slug}@example.com`)
    await member.getByLabel('Password').fill('correct horse battery')
    await member.getByRole('button', { name: 'Sign in' }).click()
    await isRead(member)
    expect(member.url()).toBe(`${site}/next`)

    await owner.getByRole('button', { name: 'Revoke the link for Reviewers' }).click()
    await owner.getByRole('button', { name: 'Revoke link' }).click()
    await owner.getByText('The link for Reviewers is revoked.').waitFor()
    await byLink.reload()
    await isShut(byLink)
    await byPassword.reload()
    await isRead(byPassword)

    await owner.goto(`${app}/dashboard/${desk.slug}`)
    await owner.getByText('Live site · private').waitFor()
    await owner.frameLocator('iframe').getByText(secret).first().waitFor({ state: 'attached' })
    if (isDeep) {
      const branch = await desk.branch('draft')
      await desk.previewed(branch)
      await owner.goto(`${app}/dashboard/${desk.slug}/branches/${branch.id}/edit/index.mdx`)
      await owner.frameLocator('iframe[title^="Preview of"]').getByText(secret).first().waitFor({ state: 'attached' })
    }

    await createClient({ baseUrl: `http://127.0.0.1:${desk.port}`, token: desk.session }).call(
      contract.accounts.logout,
      {},
    )
    await member.reload()
    await isRead(member)
    await owner.goto(`${site}/`)
    await isShut(owner)
  })
})
