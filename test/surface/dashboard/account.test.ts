import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { authorizeDevice } from '#cli/service/device-flow.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { quire } from '#test/support/command-line.ts'
import { deviceGrant, commandLineClient } from '#contract/device-login.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, password, shownSizes } from '#test/support/dashboard.ts'
import { tokenIn } from '#test/support/letters.ts'
import { join } from '#test/support/members.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startLogin } from '#test/support/login-process.ts'
import { startSmtp } from '#test/support/smtp.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1'

describe.skipIf(!hasBrowser).each(shownSizes)('an account, on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  /** Signs in somewhere else. */
  const elsewhere = async (email: string, program: string) => {
    const client = createClient({ baseUrl: dashboard.url, headers: { 'user-agent': program } })
    const { token } = await client.call(contract.accounts.login, { body: { email, password } })
    return createClient({ baseUrl: dashboard.url, token })
  }

  inDepth('says where it is signed in, and signs out there', async () => {
    const ada = await dashboard.person('ada', size)
    const [telephone, script, other] = [
      await elsewhere(ada.email, phone),
      await elsewhere(ada.email, 'curl/8.5'),
      await elsewhere(ada.email, ''),
    ]
    await ada.open('/dashboard/account')
    const list = ada.page.getByRole('list', { name: 'Browsers and terminals' })
    await list.getByText('This one').waitFor()
    await list.getByText('Safari on iPhone').waitFor()
    await ada.expectAccessible()
    await list.getByRole('button', { name: 'Sign out Safari on iPhone' }).click()
    await list.getByText('Safari on iPhone').waitFor({ state: 'detached' })
    expect((await refusalOf(telephone.call(contract.accounts.me))).code).toBe('unauthenticated')
    await script.call(contract.accounts.me)

    await ada.page.getByRole('button', { name: 'Sign out everywhere else' }).click()
    const question = ada.page.getByRole('alertdialog')
    await question.getByText('API keys go on working').waitFor()
    await ada.expectAccessible()
    await question.getByRole('button', { name: 'Sign out everywhere else' }).click()
    await ada.page.getByText('Only this browser is signed in now.').waitFor()
    await question.waitFor({ state: 'detached' })
    await list.getByText('curl/8.5').waitFor({ state: 'detached' })
    for (const client of [script, other])
      expect((await refusalOf(client.call(contract.accounts.me))).code).toBe('unauthenticated')
    ada.expectNoProblems()
  })

  inDepth('has terminals among its sessions, and one that is signed out there is told so', async () => {
    const home = await temporaryDirectory()
    const rosa = await dashboard.person('rosa', size)
    const { page } = rosa
    const environment = { HOME: home, XDG_CONFIG_HOME: home, QUIRE_URL: dashboard.url }
    const login = await startLogin([], environment)
    await rosa.open(new URL(login.page).pathname + new URL(login.page).search)
    await page.getByRole('button', { name: 'Approve' }).click()
    expect((await login.finished).code).toBe(0)
    expect((await quire(['whoami'], environment)).stdout).toContain(rosa.email)

    await rosa.open('/dashboard/account')
    const terminal = page
      .getByRole('list', { name: 'Browsers and terminals' })
      .getByRole('listitem')
      .filter({ hasText: 'Quire command line' })
    await terminal.getByText('From 127.0.0.1.').waitFor()
    expect(await terminal.getByText('This one').count()).toBe(0)
    await rosa.expectAccessible()
    await terminal.getByRole('button', { name: /^Sign out Quire command line/ }).click()
    await terminal.waitFor({ state: 'detached' })
    const told = await quire(['whoami'], environment)
    expect(told.code).not.toBe(0)
    expect(told.stderr).toMatch(/Your session has ended\.\s+next\s+Run quire login again\./)
    rosa.expectNoProblems()
  })

  inDepth('changes its password in a dialog that has an address', async () => {
    const grace = await dashboard.person('password-grace', size)
    const { page } = grace
    const other = await elsewhere(grace.email, phone)
    await grace.open('/dashboard/account')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.waitForURL('**/dashboard/account?change=password')
    await page.reload()
    const dialog = page.getByRole('dialog', { name: 'Change your password' })
    await dialog.getByLabel('Current password').fill('not this one')
    await dialog.getByLabel('New password').fill('battery staple horse')
    await grace.expectAccessible()
    const inputs = dialog.locator('form input')
    const names = await inputs.evaluateAll((all) => all.map((input) => input.getAttribute('autocomplete')))
    expect(names).toEqual(['username', 'current-password', 'new-password'])
    await dialog.getByRole('button', { name: 'Change password' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Current password').fill(password)
    await dialog.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('Your password is changed.').waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect((await refusalOf(other.call(contract.accounts.me))).code).toBe('unauthenticated')
    await grace.client.call(contract.accounts.login, { body: { email: grace.email, password: 'battery staple horse' } })

    await page.getByRole('button', { name: 'Change password' }).click()
    await dialog.waitFor()
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    grace.expectNoProblems()
  })

  inDepth('changes its address at once where nothing can be mailed', async () => {
    const joan = await dashboard.person('joan', size)
    await joan.open('/dashboard/account?change=email')
    const dialog = joan.page.getByRole('dialog', { name: 'Change your email' })
    await dialog.getByText('It changes at once').waitFor()
    await joan.expectAccessible()
    await dialog.getByLabel('New email').fill('clarke@example.com')
    await dialog.getByLabel('Your password').fill(password)
    await dialog.getByRole('button', { name: 'Change email' }).click()
    await joan.page.getByText('Your address is clarke@example.com now.').waitFor()
    expect((await joan.client.call(contract.accounts.me)).account.email).toBe('clarke@example.com')
    joan.expectNoProblems()
  })

  inDepth('changes its address by the link of a letter where letters can be sent', async () => {
    const smtp = await startSmtp()
    const mailing = await DashboardTest.start({ SMTP_URL: smtp.url, MAIL_FROM: 'quire@example.com' })
    onTestFinished(() => mailing.close())
    const joan = await mailing.person('joan', size)
    const { page } = joan
    await joan.open('/dashboard/account?change=email')
    const dialog = page.getByRole('dialog', { name: 'Change your email' })
    await dialog.getByLabel('New email').fill('clarke@example.com')
    await dialog.getByLabel('Your password').fill(password)
    await dialog.getByRole('button', { name: 'Change email' }).click()
    await page.getByText('clarke@example.com takes its place').waitFor()
    await expect.poll(() => smtp.arrived.flatMap(({ to }) => to)).toContain('clarke@example.com')
    const letter = smtp.arrived.find(({ to }) => to.includes('clarke@example.com')) ?? { text: '' }
    await joan.open(`/dashboard/auth/confirm-email#token=${tokenIn(letter)}`)
    await page.getByRole('button', { name: 'Confirm address' }).waitFor()
    await joan.expectAccessible()
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByText('You sign in with clarke@example.com').waitFor()
    await joan.expectAccessible()
    await page.reload()
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByText('This link cannot be used').waitFor()
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByText('clarke@example.com').first().waitFor()
    joan.expectNoProblems()
  })

  inDepth('is deleted with its projects when that is said, and leaves those of others', async () => {
    const owner = await dashboard.person('owner')
    await owner.client.call(contract.projects.create, { body: { slug: 'theirs' } })
    const mary = await dashboard.person('mary', size)
    const { page } = mary
    await join(owner.client, 'theirs', mary)
    await mary.client.call(contract.projects.create, { body: { slug: 'hers' } })
    await mary.open('/dashboard/account')
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete your account' })
    await dialog.getByRole('link', { name: 'hers' }).waitFor()
    await dialog.getByText('You leave one project of others').waitFor()
    await mary.expectAccessible()
    const submit = dialog.getByRole('button', { name: 'Delete account' })
    await dialog.getByLabel(`Type ${mary.email} to confirm`).fill(mary.email)
    expect(await submit.isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Delete my project, too' }).check()
    await dialog.getByLabel('Your password').fill('not this one')
    await submit.click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Your password').fill(password)
    await submit.click()
    await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await page.getByText('Your account is deleted.').waitFor()
    expect((await refusalOf(mary.client.call(contract.accounts.me))).code).toBe('unauthenticated')
    const params = { slug: 'theirs' }
    expect((await owner.client.call(contract.members.list, { params })).items).toHaveLength(1)
    mary.expectNoProblems()
  })

  inDepth('keeps the theme that was chosen, in this browser', async () => {
    const lin = await dashboard.person('lin', size)
    await lin.open('/dashboard/account')
    await lin.page.getByRole('radio', { name: 'Dark', exact: true }).check()
    await lin.page.reload()
    expect(await lin.page.getByRole('radio', { name: 'Dark', exact: true }).isChecked()).toBe(true)
    expect(await lin.page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    lin.expectNoProblems()
  })

  it('approves a terminal that shows the same code, and denies another', async () => {
    const vera = await dashboard.person('device-vera', size)
    const { page } = vera
    const terminal = createClient({ baseUrl: dashboard.url })
    const ask = () => authorizeDevice(terminal)
    const poll = (device_code: string) =>
      terminal.call(contract.device.token, {
        body: { grant_type: deviceGrant, client_id: commandLineClient, device_code },
      })
    const first = await ask()
    await vera.open('/dashboard/device')
    await page.getByRole('textbox', { name: 'Code' }).waitFor()
    await vera.expectAccessible()
    await page.getByRole('textbox', { name: 'Code' }).fill(first.user_code.toLowerCase())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Does your terminal show this code?' }).waitFor()
    // Neither button is one stray Enter away.
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BUTTON')
    await page.reload()
    await page.getByText(first.user_code).waitFor()
    for (const fact of ['the same as yours here', vera.email, 'If somebody sent you here, deny.'])
      await page.getByText(fact).first().waitFor()
    await vera.expectAccessible()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: `Signed in as ${vera.email}` }).waitFor()
    await vera.expectAccessible()
    const { access_token: token } = await poll(first.device_code)
    await createClient({ baseUrl: dashboard.url, token }).call(contract.accounts.me)

    const second = await ask()
    await vera.open(
      new URL(second.verification_uri_complete).pathname + new URL(second.verification_uri_complete).search,
    )
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    expect((await refusalOf(poll(second.device_code))).code).toBe('access_denied')

    await vera.open('/dashboard/device?user_code=BCDF-GHJK')
    await page.getByRole('heading', { name: 'This code cannot be used' }).waitFor()
    await vera.expectAccessible()
    await page.getByRole('button', { name: 'Enter another code' }).click()
    await page.getByRole('textbox', { name: 'Code' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'This code cannot be used' }).waitFor()
    vera.expectNoProblems()
  })

  inDepth.each([
    ['Approve', 'Signed in as'],
    ['Deny', 'Denied'],
  ])('hears of what it told a terminal also when no answer came: %s', async (press, told) => {
    const vera = await dashboard.person(`vera-${press.toLowerCase()}`, size)
    const { page } = vera
    const ask = () => authorizeDevice(createClient({ baseUrl: dashboard.url }))
    const heading = page.getByRole('heading', { name: told })
    const open = async (): Promise<void> => {
      const { user_code: code } = await ask()
      await vera.open(`/dashboard/device?user_code=${code}`)
      await page.getByText(code).waitFor()
    }
    // It arrives, and the connection ends before the answer.
    const lose = () =>
      page.route(
        '**/api/auth/device/*',
        async (route) => {
          await route.fetch()
          await route.abort('connectionreset')
        },
        { times: 1 },
      )
    await open()
    await lose()
    await page.getByRole('button', { name: press }).click()
    await heading.waitFor()
    await vera.expectAccessible()
    await page.reload()
    await heading.waitFor()

    // Nothing at all arrives for a while: it is pressed again.
    await open()
    await lose()
    await page.route('**/api/auth/device/request?*', (route) => route.abort())
    await page.getByRole('button', { name: press }).click()
    await page.getByRole('alert').filter({ hasText: 'The service cannot be reached' }).first().waitFor()
    await vera.expectAccessible()
    await page.getByRole('button', { name: press }).click()
    await heading.waitFor()
    vera.expectNoProblems()
  })
})
