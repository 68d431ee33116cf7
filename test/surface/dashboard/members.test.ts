import { inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes } from '#test/support/dashboard.ts'
import { startSmtp } from '#test/support/smtp.ts'

describe.skipIf(!hasBrowser).each(shownSizes)('members on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  it('are invited by a link that is shown once, and removed', async () => {
    const ada = await dashboard.person('members-ada', size)
    const bob = await dashboard.account('members-bob')
    const { page } = ada
    const params = { slug: 'members' }
    await ada.client.call(contract.projects.create, { body: { slug: 'members', title: 'Docs' } })
    await ada.open('/dashboard/members/settings/members')
    await page.getByText('You are alone here.').waitFor()
    await ada.expectAccessible()

    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a writer' })
    await ada.expectAccessible()
    await page.goBack()
    await dialog.waitFor({ state: 'hidden' })
    await page.goForward()
    await dialog.getByLabel('Email address').fill(bob.email)
    await dialog.getByRole('button', { name: 'Invite writer' }).click()
    const link = page.getByRole('group', { name: 'link of the invitation' })
    await page.getByText('no letter was sent').waitFor()
    const open = page.getByRole('list', { name: 'Open invitations', includeHidden: true })
    await open.getByText(bob.email).waitFor()
    await ada.expectAccessible()
    const first = await link.innerText()
    await page.getByRole('button', { name: 'Done' }).click()

    await page.reload()
    await open.getByText('good until').waitFor()
    await ada.expectAccessible()
    await page.getByRole('button', { name: `Actions for the invitation of ${bob.email}` }).click()
    await page.getByRole('menuitem', { name: 'Make a new link' }).click()
    await dialog.getByRole('button', { name: 'Invite writer' }).click()
    await link.waitFor()
    const url = await link.innerText()
    expect(url).not.toBe(first)
    await page.getByRole('button', { name: 'Done' }).click()

    const [, id = '', code = ''] = /#invitation=([^.]+)\.(.+)$/.exec(url) ?? []
    await bob.client.call(contract.invitations.accept, { params: { id }, body: { code } })
    await page.reload()
    await page.getByRole('button', { name: `Actions for ${bob.email}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('alertdialog', { name: `Remove ${bob.email} from Docs?` }).waitFor()
    await ada.expectAccessible()
    await page.getByRole('button', { name: 'Remove member' }).click()
    await page.getByText('You are alone here.').waitFor()
    expect((await ada.client.call(contract.members.list, { params })).items).toHaveLength(1)
    ada.expectNoProblems()
  })

  inDepth('are invited by a letter where the service sends mail', async () => {
    const smtp = await startSmtp()
    const mailing = await DashboardTest.start({ SMTP_URL: smtp.url, MAIL_FROM: 'quire@example.com' })
    onTestFinished(() => mailing.close())
    const lin = await mailing.person('lin', size)
    const { page } = lin
    await lin.client.call(contract.projects.create, { body: { slug: 'mailed', title: 'Mailed' } })
    await lin.open('/dashboard/mailed/settings/members?invite=writer')
    await page.getByLabel('Email address').fill('eve@example.com')
    await page.getByRole('button', { name: 'Invite writer' }).click()
    await page.getByText('A letter with this link is on its way to eve@example.com.').waitFor()
    expect(await page.getByText('no letter was sent').count()).toBe(0)
    await lin.expectAccessible()
    const url = await page.getByRole('group', { name: 'link of the invitation' }).innerText()
    await expect
      .poll(() => smtp.arrived.map(({ to, text }) => [to, text.includes(url)]))
      .toEqual([[['eve@example.com'], true]])
    lin.expectNoProblems()
  })

  inDepth('are not invited any more once that is taken back', async () => {
    const grace = await dashboard.person('grace', size)
    const { page } = grace
    const params = { slug: 'notes' }
    await grace.client.call(contract.projects.create, { body: params })
    await grace.client.call(contract.invitations.create, { params, body: { email: 'eve@example.com' } })
    await grace.open('/dashboard/notes/settings/members')
    await page.getByRole('button', { name: 'Actions for the invitation of eve@example.com' }).click()
    await page.getByRole('menuitem', { name: 'Take back' }).click()
    await page.getByRole('button', { name: 'Take back' }).click()
    await page.getByText('is taken back').waitFor()
    expect((await grace.client.call(contract.invitations.list, { params })).items).toEqual([])
    grace.expectNoProblems()
  })

  inDepth('get the project when its owner gives it away, and the owner may leave then', async () => {
    const joan = await dashboard.person('joan', size)
    const mary = await dashboard.person('mary', size)
    const { page } = joan
    await joan.client.call(contract.projects.create, { body: { slug: 'gift', title: 'Gift' } })
    await joan.open('/dashboard/gift/settings')
    await page.getByRole('button', { name: 'Transfer…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Transfer Gift' })
    await dialog.getByText('API keys with the scope admin are revoked').waitFor()
    await joan.expectAccessible()
    await dialog.getByLabel('Email address').fill(mary.email)
    await dialog.getByRole('button', { name: 'Invite the new owner' }).click()
    const url = await page.getByRole('group', { name: 'link of the invitation' }).innerText()
    await page.getByRole('button', { name: 'Done' }).click()
    const [, id = '', code = ''] = /#invitation=([^.]+)\.(.+)$/.exec(url) ?? []
    await mary.client.call(contract.invitations.accept, { params: { id }, body: { code } })

    await joan.open('/dashboard/gift/settings/members')
    await page
      .getByRole('listitem')
      .filter({ hasText: mary.email.split('@')[0] ?? '' })
      .getByText('owner')
      .first()
      .waitFor()
    expect(await page.getByRole('button', { name: 'Invite' }).count()).toBe(0)
    await joan.expectAccessible()
    await page.getByRole('button', { name: 'Leave…' }).click()
    await page.getByRole('button', { name: 'Leave project' }).click()
    await page.waitForURL('**/dashboard')
    await page.getByText('You left Gift.').waitFor()
    joan.expectNoProblems()
  })

  inDepth('are offered the project from its list of members, too', async () => {
    const rosa = await dashboard.person('rosa', size)
    await rosa.client.call(contract.projects.create, { body: { slug: 'offer', title: 'Offer' } })
    await rosa.open('/dashboard/offer/settings/members?invite=owner')
    await rosa.page.getByRole('dialog', { name: 'Transfer Offer' }).waitFor()
    await rosa.page.keyboard.press('Escape')
    await rosa.page.waitForURL('**/dashboard/offer/settings/members')
    rosa.expectNoProblems()
  })
})
