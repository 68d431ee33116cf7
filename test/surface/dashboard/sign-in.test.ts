import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, password, shownSizes } from '#test/support/dashboard.ts'
import { tokenIn } from '#test/support/letters.ts'
import { startSmtp } from '#test/support/smtp.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('whoever is not signed in, on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('makes an account at the address that was asked for, and signs in to it', async () => {
    const ada = await dashboard.stranger('new-ada', size)
    const { page } = ada
    await ada.open('/dashboard/account?from=letter')
    await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await ada.expectAccessible()
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password').fill('guess guess guess')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    expect(await page.getByRole('alert').innerText()).toBe('Email address or password is wrong.')
    await ada.expectAccessible()

    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.reload()
    await page.getByRole('heading', { name: 'Create your account' }).waitFor()
    await ada.expectAccessible()
    // What password managers go by.
    const inputs = page.locator('form input')
    const names = await inputs.evaluateAll((all) => all.map((input) => input.getAttribute('autocomplete')))
    expect(names).toEqual(['username', 'new-password'])
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Your account', exact: true }).waitFor()
    expect(page.url()).toBe(`${dashboard.url}/dashboard/account?from=letter`)

    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await page.getByLabel('Email').fill(ada.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText(ada.email).first().waitFor()
    ada.expectNoProblems()
  })

  inDepth('is told why an identity provider did not let them in, once', async () => {
    const grace = await dashboard.person('grace', size)
    await grace.context.clearCookies()
    await grace.open('/dashboard/account?sign_in_problem=access_denied')
    await grace.page.getByRole('alert').getByText('You did not sign in at the identity provider').waitFor()
    await grace.expectAccessible()
    await grace.page.getByLabel('Email').fill(grace.email)
    await grace.page.getByLabel('Password').fill(password)
    await grace.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await grace.page.getByRole('heading', { name: 'Your account', exact: true }).waitFor()
    expect(grace.page.url()).toBe(`${dashboard.url}/dashboard/account`)
    grace.expectNoProblems()
  })

  it('joins a project by the link of an invitation, whose code stays behind the #', async () => {
    const owner = await dashboard.account('inviting-owner')
    await owner.client.call(contract.projects.create, { body: { slug: 'inviting', title: 'Shared Manual' } })
    const joan = await dashboard.stranger('invited-joan', size)
    const body = { email: joan.email }
    const { url } = await owner.client.call(contract.invitations.create, { params: { slug: 'inviting' }, body })
    const { page } = joan
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(url)
    await page.getByText('You are invited to a project').waitFor()
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('Email').fill(joan.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    const invitation = page.getByRole('list', { name: 'Invitations' })
    await invitation.getByText('Shared Manual').waitFor()
    await joan.expectAccessible()
    await invitation.getByRole('button', { name: 'Accept' }).click()
    await page.waitForURL(/\/dashboard\/inviting\b/)
    await page.goBack()
    await page.getByRole('list', { name: 'Projects' }).getByText('You are a writer').waitFor()
    expect(asked.filter((one) => one.includes('invitation=')).map((one) => new URL(one).search)).not.toContain(
      expect.stringContaining('invitation'),
    )
    joan.expectNoProblems()
  })

  inDepth('asks the operator for a new password where the service sends no mail', async () => {
    const mary = await dashboard.stranger('mary', size)
    await mary.open('/dashboard')
    await mary.page.getByRole('link', { name: 'Forgotten your password?' }).click()
    await mary.page.getByText('Ask its operator for a new password').waitFor()
    await mary.expectAccessible()
    await mary.page.reload()
    await mary.page.getByRole('link', { name: 'Back to the sign-in' }).click()
    await mary.page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
    await mary.page.goBack()
    await mary.page.getByText('This service sends no mail').waitFor()
    mary.expectNoProblems()
  })

  it('chooses a new password by the link of a letter, which is good once', async () => {
    const smtp = await startSmtp()
    const mailing = await DashboardTest.start({ SMTP_URL: smtp.url, MAIL_FROM: 'quire@example.com' })
    try {
      const mary = await mailing.person('mary', size)
      const { page } = mary
      await mary.context.clearCookies()
      await mary.open('/dashboard/auth/forgotten-password')
      await page.getByLabel('Email').fill(mary.email)
      await mary.expectAccessible()
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByText('Look into your mail').waitFor()
      await mary.expectAccessible()
      await expect.poll(() => smtp.arrived.length).toBe(1)
      const [letter = { text: '' }] = smtp.arrived
      const link = `/dashboard/auth/reset-password#token=${tokenIn(letter)}`
      expect(letter.text).toContain(link)

      await mary.open(link)
      await page.getByRole('textbox', { name: 'New password' }).fill('battery staple horse')
      await mary.expectAccessible()
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
      await mary.expectAccessible()
      await page.getByRole('link', { name: 'Sign in' }).click()
      await page.getByLabel('Email').fill(mary.email)
      await page.getByLabel('Password').fill('battery staple horse')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Projects' }).waitFor()

      await mary.open(link)
      await page.reload()
      await page.getByRole('textbox', { name: 'New password' }).fill('another horse battery')
      await page.getByRole('button', { name: 'Change password' }).click()
      await page.getByRole('heading', { name: 'This link cannot be used' }).waitFor()
      await mary.expectAccessible()
      mary.expectNoProblems()
    } finally {
      await mailing.close()
    }
  })

  inDepth('is not offered an account where the operator makes them', async () => {
    const closed = await DashboardTest.start({ SIGNUP: 'closed' })
    try {
      const nobody = await closed.stranger('nobody', size)
      await nobody.open('/dashboard?new_account=')
      await nobody.page.getByRole('heading', { name: 'Sign in to Quire' }).waitFor()
      expect(await nobody.page.getByRole('link', { name: 'Create an account' }).count()).toBe(0)
      nobody.expectNoProblems()
    } finally {
      await closed.close()
    }
  })
})
