import { describe, expect, it, onTestFinished } from 'vitest'
import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { ownPage } from '#http/auth/oidc.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { Browser, startIdentityProvider, type IdentityProvider } from '#test/support/identity-provider.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { freePort } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

interface World {
  readonly provider: IdentityProvider
  readonly service: TestService
  readonly url: string
  /** Where a browser begins. */
  readonly start: string
  /** Where the provider sends it back to. */
  readonly callback: string
}

async function open(environment: Record<string, string> = {}): Promise<World> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const callback = `${url}/api/auth/oidc/callback`
  const provider = await startIdentityProvider(callback)
  const settings = {
    PORT: String(port),
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: provider.clientId,
    OIDC_CLIENT_SECRET: provider.clientSecret,
    OIDC_NAME: 'Example ID',
    ...environment,
  }
  const service = await startTestService(settings, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  provider.people.set('ada', { email: 'Ada@example.com', email_verified: true })
  provider.visitor = 'ada'
  return { provider, service, url, start: `${url}/api/auth/oidc`, callback }
}

/** Path and query of where a browser ends up that signs in. */
async function signIn({ url, start }: World, browser = new Browser(), query = ''): Promise<string> {
  const end = await browser.follow(start + query, `${url}/dashboard`)
  return end.slice(url.length)
}

const meOf = ({ url }: World, browser: Browser) =>
  createClient({ baseUrl: url, token: browser.cookie('localhost', 'quire_session') ?? 'none' }).call(
    contract.accounts.me,
  )

const credentials = { email: 'ada@example.com', password: 'correct horse battery' }
const signUp = async ({ url }: World) => {
  const { token } = await createClient({ baseUrl: url }).call(contract.accounts.signup, { body: credentials })
  return createClient({ baseUrl: url, token })
}

describe('signing in through an identity provider', () => {
  it('makes an account without a password, and finds it again by the identity', async () => {
    const world = await open()
    const browser = new Browser()
    expect(await signIn(world, browser)).toBe('/dashboard')
    const { account, hasPassword } = await meOf(world, browser)
    expect({ email: account.email, hasPassword }).toEqual({ email: 'ada@example.com', hasPassword: false })

    // Another address, not even verified: it is the same person.
    world.provider.people.set('ada', { email: 'lovelace@example.com', email_verified: false })
    const again = new Browser()
    await signIn(world, again)
    expect((await meOf(world, again)).account).toEqual(account)
    const sessions = await createClient({
      baseUrl: world.url,
      token: again.cookie('localhost', 'quire_session') ?? '',
    }).call(contract.sessions.list)
    expect(sessions.items).toMatchObject([
      { kind: 'browser', client: 'Firefox' },
      { kind: 'browser', client: 'Firefox' },
    ])
  })

  inDepth('is told to everybody, with where it begins', async () => {
    const { url, start } = await open()
    expect(await createClient({ baseUrl: url }).call(contract.service.read)).toMatchObject({
      signup: 'open',
      identityProvider: { name: 'Example ID', url: start },
    })
  })

  inDepth('joins the account of the verified address, and ends a password that was only claimed with it', async () => {
    const world = await open()
    const claimed = await signUp(world)
    const { account } = await claimed.call(contract.accounts.me)
    const browser = new Browser()
    await signIn(world, browser)
    expect(await meOf(world, browser)).toMatchObject({ account: { id: account.id }, hasPassword: false })
    expect((await refusalOf(claimed.call(contract.accounts.me))).code).toBe('unauthenticated')
    const login = createClient({ baseUrl: world.url }).call(contract.accounts.login, { body: credentials })
    expect((await refusalOf(login)).code).toBe('unauthenticated')
  })

  inDepth('does not hand the account on to whom the provider gives the address next', async () => {
    const world = await open()
    await signIn(world)
    world.provider.people.set('eve', { email: 'ada@example.com', email_verified: true })
    world.provider.visitor = 'eve'
    const browser = new Browser()
    expect(await signIn(world, browser)).toBe('/dashboard?sign_in_problem=account_exists')
    expect(browser.cookie('localhost', 'quire_session')).toBeUndefined()
  })

  inDepth.each([
    ['is not verified', { email: 'ada@example.com', email_verified: false }],
    ['is not said to be verified', { email: 'ada@example.com' }],
    ['is missing', {}],
  ])('is refused when the address %s', async (_why, person) => {
    const world = await open()
    const owner = await signUp(world)
    world.provider.people.set('ada', person)
    const browser = new Browser()
    expect(await signIn(world, browser)).toBe('/dashboard?sign_in_problem=email_not_verified')
    expect(browser.cookie('localhost', 'quire_session')).toBeUndefined()
    expect(await owner.call(contract.accounts.me)).toMatchObject({ hasPassword: true })
  })

  inDepth('makes no account where people may not create any', async () => {
    const world = await open({ SIGNUP: 'closed' })
    expect(await signIn(world)).toBe('/dashboard?sign_in_problem=signup_closed')
  })

  inDepth('says so when the person or the provider refuses', async () => {
    const world = await open()
    world.provider.visitor = null
    expect(await signIn(world)).toBe('/dashboard?sign_in_problem=access_denied')
  })

  inDepth('says so when the provider is away, and works once it is back', async () => {
    const port = await freePort()
    const world = await open({ OIDC_ISSUER: `http://127.0.0.1:${port}` })
    expect(await signIn(world)).toBe('/dashboard?sign_in_problem=unavailable')
    const back = await startIdentityProvider(world.callback, port)
    back.people.set('ada', { email: 'ada@example.com', email_verified: true })
    back.visitor = 'ada'
    expect(await signIn(world)).toBe('/dashboard')
  })

  inDepth('leads back to the page that was asked for, and nowhere else', async () => {
    const world = await open()
    const page = '/dashboard/device?user_code=BCDF-GHJK'
    expect(await signIn(world, new Browser(), `?return_to=${encodeURIComponent(page)}`)).toBe(page)
    const foreign = encodeURIComponent('https://example.org/dashboard')
    expect(await signIn(world, new Browser(), `?return_to=${foreign}`)).toBe('/dashboard')
    world.provider.visitor = null
    expect(await signIn(world, new Browser(), `?return_to=${encodeURIComponent(page)}`)).toBe(
      `${page}&sign_in_problem=access_denied`,
    )
  })
})

describe('an answer of the identity provider', () => {
  const problemOf = async (browser: Browser, url: string): Promise<string | null> =>
    new URL((await browser.get(url)).headers.get('location') ?? '', url).searchParams.get('sign_in_problem')

  it('with another state is refused, and the sign-in cannot be finished any more', async () => {
    const { start, callback } = await open()
    const browser = new Browser()
    const back = await browser.follow(start, callback)
    const forged = new URL(back)
    forged.searchParams.set('state', 'another')
    expect(await problemOf(browser, forged.href)).toBe('invalid_grant')
    expect(await problemOf(browser, back)).toBe('expired_token')
    expect(browser.cookie('localhost', 'quire_session')).toBeUndefined()
  })

  inDepth('for another nonce is refused', async () => {
    const { start, callback, provider } = await open()
    const browser = new Browser()
    const asked = new URL(await browser.follow(start, provider.issuer))
    asked.searchParams.set('nonce', 'another')
    expect(await problemOf(browser, await browser.follow(asked.href, callback))).toBe('invalid_grant')
    expect(browser.cookie('localhost', 'quire_session')).toBeUndefined()
  })

  inDepth('from another issuer is refused', async () => {
    const { start, callback } = await open()
    const browser = new Browser()
    const forged = new URL(await browser.follow(start, callback))
    forged.searchParams.set('iss', 'https://id.example.org')
    expect(await problemOf(browser, forged.href)).toBe('invalid_grant')
  })

  inDepth('is taken once, and its code in no other sign-in', async () => {
    const { start, callback } = await open()
    const browser = new Browser()
    const back = await browser.follow(start, callback)
    expect(await problemOf(browser, back)).toBeNull()
    expect(await problemOf(browser, back)).toBe('expired_token')

    const other = new Browser()
    const replayed = new URL(await other.follow(start, callback))
    replayed.searchParams.set('code', new URL(back).searchParams.get('code') ?? '')
    expect(await problemOf(other, replayed.href)).toBe('invalid_grant')
    expect(other.cookie('localhost', 'quire_session')).toBeUndefined()
  })

  inDepth('is taken in the browser only that began', async () => {
    const { start, callback } = await open()
    const back = await new Browser().follow(start, callback)
    const victim = new Browser()
    expect(await problemOf(victim, back)).toBe('expired_token')
    expect(victim.cookie('localhost', 'quire_session')).toBeUndefined()
  })
})

describeInDepth('where the dashboard is served by HTTPS', () => {
  it('both cookies are bound to its host, and a ticket that another host set is nothing', async () => {
    const world = await open({ PUBLIC_URL: 'https://app.example.com', PREVIEW_DOMAIN: 'sites.example.net' })
    const local = world.url.replace('localhost', '127.0.0.1')
    const begun = await fetch(`${local}/api/auth/oidc`, { redirect: 'manual' })
    expect(begun.status).toBe(303)
    const cookie = begun.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^__Host-quire_oidc=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const [ticket = ''] = cookie.split(';', 1)
    const comeBack = (held: string) =>
      fetch(`${local}/api/auth/oidc/callback?error=access_denied&state=x`, {
        redirect: 'manual',
        headers: { cookie: held },
      })
    const problem = '/dashboard?sign_in_problem='
    expect((await comeBack(ticket.replace('__Host-', ''))).headers.get('location')).toBe(`${problem}expired_token`)
    const back = await comeBack(ticket)
    expect(back.headers.get('location')).toBe(`${problem}invalid_grant`)
    expect(back.headers.get('set-cookie')).toMatch(/^__Host-quire_oidc=; .*Secure/)
    const asked = new URL(begun.headers.get('location') ?? '')
    expect(asked.searchParams.get('redirect_uri')).toBe('https://app.example.com/api/auth/oidc/callback')
  })
})

describeInDepth('a page to return to', () => {
  it.each([
    ['/dashboard', '/dashboard'],
    ['/dashboard/docs?a=b', '/dashboard/docs?a=b'],
    ['/dashboard?sign_in_problem=x&a=b', '/dashboard?a=b'],
    ['//example.org/dashboard', '/dashboard'],
    ['/\\example.org/dashboard', '/dashboard'],
    ['/\t/example.org/dashboard', '/dashboard'],
    ['https://app.example.com.evil.org/dashboard', '/dashboard'],
    ['/dashboard/../api/auth/oidc', '/dashboard'],
    ['/dashboards', '/dashboard'],
    ['javascript:alert(1)', '/dashboard'],
    ['/dashboard/..//example.org', '/dashboard'],
    ['/dashboard/%2e%2e//example.org', '/dashboard'],
    ['/.//example.org/dashboard', '/dashboard'],
    ['/%2f/example.org/dashboard', '/dashboard'],
    ['/dashboard\r\nlocation: https://example.org', '/dashboard'],
    ['/dashboard/\u2028\r\nx', '/dashboard/%E2%80%A8x'],
    ['/dashboard@example.org', '/dashboard'],
    ['\u0000//example.org', '/dashboard'],
    [' //example.org/dashboard', '/dashboard'],
    [`/dashboard?q=${'x'.repeat(500)}`, '/dashboard'],
    ['', '/dashboard'],
    [['/dashboard/a', '/dashboard/b'], '/dashboard'],
    [undefined, '/dashboard'],
  ])('%j becomes %s', (asked, page) => expect(ownPage(asked, 'https://app.example.com')).toBe(page))
})
