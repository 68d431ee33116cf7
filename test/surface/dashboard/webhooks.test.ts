import { inDepth } from '#test/support/depth.ts'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person } from '#test/support/dashboard.ts'
import { startReceiver } from '#test/support/receiver.ts'

async function hook(ada: Person, slug: string, url: string): Promise<string> {
  const body = { url, events: ['changelog.published' as const] }
  return (await ada.client.call(contract.webhooks.create, { params: { slug }, body })).id
}

describe.skipIf(!hasBrowser).each(shownSizes)('webhooks on a %s', (size) => {
  let dashboard: DashboardTest

  beforeAll(async () => {
    dashboard = await DashboardTest.shared()
  })
  afterAll(() => dashboard.close())

  /** A project with somebody who looks at it, and a receiver that the service may send to. */
  async function begin(slug: string) {
    const receiver = await startReceiver()
    const ada = await dashboard.person(slug, size)
    await ada.client.call(contract.projects.create, { body: { slug } })
    return { ada, receiver, slug, settings: `/dashboard/${slug}/settings/webhooks` }
  }

  it('are added with the events that are ticked, tested, changed, and deleted', async () => {
    const { ada, receiver, slug, settings } = await begin('hooks-added')
    const { page } = ada
    const stored = async () => (await ada.client.call(contract.webhooks.list, { params: { slug } })).items
    await ada.open(settings)
    await page.getByText('No webhooks yet').waitFor()
    await ada.expectAccessible()

    await page.getByRole('button', { name: 'Add webhook' }).click()
    const form = page.getByRole('dialog', { name: 'Add a webhook' })
    await form.getByLabel('URL').fill('http://example.com/hook')
    await form.getByRole('button', { name: 'Add webhook' }).click()
    await form.getByRole('alert').waitFor()
    expect(await form.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
    await ada.expectAccessible()
    await form.getByLabel('URL').fill(receiver.url)
    for (const type of ['deploy.success', 'deploy.failed']) await form.getByRole('checkbox', { name: type }).uncheck()
    await form.getByRole('button', { name: 'Add webhook' }).click()
    await form.getByText('tick at least one').waitFor()
    await form.getByRole('checkbox', { name: 'changelog.published' }).check()
    await form.getByRole('button', { name: 'Add webhook' }).click()
    const shown = page.getByRole('dialog', { name: 'The webhook is there' })
    const secret = await shown.getByRole('group', { name: 'signing secret' }).innerText()
    await ada.expectAccessible()
    expect(await stored()).toMatchObject([{ url: receiver.url, events: ['changelog.published'] }])

    await shown.getByRole('button', { name: 'Open and test it' }).click()
    await page.getByText('Nothing was sent yet').waitFor()
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('It arrived').waitFor()
    const [arrived] = receiver.arrived
    const verified = new Webhook(secret).verify(arrived?.body ?? '', arrived?.headers as Record<string, string>)
    expect(verified).toMatchObject({ event: 'webhook.test' })
    await page.getByRole('list', { name: 'Deliveries' }).getByText('webhook.test').waitFor()
    await ada.expectAccessible()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit webhook' })
    await edit.getByRole('checkbox', { name: 'preview.failed' }).check()
    await edit.getByRole('button', { name: 'Save' }).click()
    await page.getByText('preview.failed, changelog.published').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(stored).toMatchObject([{ events: ['changelog.published'] }])

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByText('It is disabled', { exact: true }).waitFor()
    await ada.expectAccessible()
    await page.getByRole('button', { name: 'Enable' }).click()
    await expect.poll(stored).toMatchObject([{ enabled: true }])

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Replace secret' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace secret' }).click()
    const rotated = page.getByRole('dialog', { name: 'The new secret' })
    expect(await rotated.getByRole('group', { name: 'signing secret' }).innerText()).not.toBe(secret)
    await rotated.getByText('The secret of before signs').waitFor()
    await ada.expectAccessible()
    await rotated.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
    expect(await stored()).toEqual([])
    ada.expectNoProblems()
  })

  inDepth('show what was sent and answered, and send it again', async () => {
    const { ada, receiver, slug, settings } = await begin('hooks-shown')
    const { page } = ada
    const id = await hook(ada, slug, receiver.url)
    receiver.status = 500
    await ada.open(`${settings}/${id}`)
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('It did not arrive').waitFor()
    await page.getByRole('link', { name: 'Request and response' }).click()
    await page.getByRole('heading', { name: 'Response: 500' }).waitFor()
    await page.getByRole('group', { name: 'Headers of the request' }).getByText('webhook-signature').waitFor()
    await page.getByRole('group', { name: 'body of the request' }).getByText('"event": "webhook.test"').waitFor()
    await page.getByText('status 500').waitFor()
    await ada.expectAccessible()
    await page.reload()
    const failed = page.url()

    receiver.status = 200
    await page.getByRole('button', { name: 'Send again' }).click()
    await page.getByRole('heading', { name: 'Response: 200' }).waitFor()
    expect(page.url()).not.toBe(failed)
    const [first, second] = receiver.arrived
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    await page.goBack()
    await page.getByRole('heading', { name: 'Response: 500' }).waitFor()

    await page.getByRole('link', { name: 'The webhook', exact: true }).click()
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('link', { name: 'Failed' }).click()
    await expect.poll(() => rows.count()).toBe(1)
    await page.reload()
    await rows.getByText('failed').waitFor()
    await ada.expectAccessible()
    ada.expectNoProblems()
  })

  inDepth('say why an address inside a network is not taken, and keep what was typed', async () => {
    const { ada, receiver, slug, settings } = await begin('hooks-inside')
    const { page } = ada
    const id = await hook(ada, slug, receiver.url)
    await ada.open(settings)
    await page.getByRole('button', { name: 'Add webhook' }).click()
    const form = page.getByRole('dialog', { name: 'Add a webhook' })
    for (const url of ['https://10.0.0.7/hook', 'https://localhost/hook', 'https://[::1]/hook']) {
      await form.getByLabel('URL').fill(url)
      await form.getByRole('button', { name: 'Add webhook' }).click()
      await form.getByRole('alert').getByText('Use a receiver that is reachable from the internet.').waitFor()
      await expect.poll(() => form.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
      expect(await form.getByLabel('URL').inputValue()).toBe(url)
    }
    await ada.expectAccessible()

    await ada.open(`${settings}/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const edit = page.getByRole('dialog', { name: 'Edit webhook' })
    await edit.getByLabel('URL').fill('https://192.168.1.1/hook')
    await edit.getByRole('button', { name: 'Save' }).click()
    await edit.getByRole('alert').getByText('Use a receiver that is reachable from the internet.').waitFor()
    expect(receiver.arrived).toEqual([])
    ada.expectNoProblems()
  })

  inDepth('are disabled when their receiver is gone, say what to do then, and get what waited', async () => {
    const { ada, receiver, slug, settings } = await begin('hooks-gone')
    const { page } = ada
    const id = await hook(ada, slug, receiver.url)
    receiver.status = 410
    const body = { title: 'Told', content: 'Text', is_draft: false }
    const publish = () => ada.client.call(contract.changelog.create, { params: { slug }, body })
    const read = () => ada.client.call(contract.webhooks.read, { params: { slug, id } })
    await publish()
    await expect.poll(async () => (await read()).enabled, { timeout: 10_000 }).toBe(false)
    await ada.open(settings)
    await page.getByText('The receiver answered 410').waitFor()
    await ada.expectAccessible()
    await page.getByRole('list', { name: 'Webhooks' }).getByRole('link').click()
    await page.getByText('It is disabled', { exact: true }).waitFor()
    await page.getByText('Send a test to see whether it arrives').waitFor()
    await ada.expectAccessible()

    receiver.status = 200
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('It arrived').waitFor()
    await page.getByRole('button', { name: 'Enable' }).click()
    await expect.poll(() => page.getByText('It is disabled', { exact: true }).count()).toBe(0)
    await publish()
    const arrived = () => receiver.arrived.filter(({ body: sent }) => sent.includes('changelog.published')).length
    await expect.poll(arrived, { timeout: 10_000 }).toBeGreaterThan(1)
    ada.expectNoProblems()
  })

  inDepth('show long answers in a bounded place, and say that there was more', async () => {
    const { ada, receiver, slug, settings } = await begin('hooks-long')
    const { page } = ada
    const id = await hook(ada, slug, receiver.url)
    receiver.status = 500
    receiver.body = `${'A long line of an answer. '.repeat(40)}\n`.repeat(30) + 'line\n'.repeat(1000)
    await ada.open(`${settings}/${id}`)
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByRole('link', { name: 'Request and response' }).click()
    await page.getByText('There was more than is kept.').waitFor()
    const box = await page.getByRole('group', { name: 'body of the response' }).boundingBox()
    expect(box?.height).toBeLessThan(500)
    await ada.expectAccessible()
    ada.expectNoProblems()
  })

  inDepth('say in the list how they are, and which address there is not', async () => {
    const { ada, receiver, slug, settings } = await begin('hooks-listed')
    const { page } = ada
    const id = await hook(ada, slug, receiver.url)
    await ada.client.call(contract.webhooks.test, { params: { slug, id } })
    await ada.open(settings)
    await page.getByRole('list', { name: 'Webhooks' }).getByText('Last').waitFor()
    await ada.expectAccessible()
    await page.getByRole('link', { name: receiver.host }).click()
    await page.getByText('webhook.test').waitFor()
    await ada.open(`${settings}/none`)
    await page.getByRole('heading', { name: 'There is no such webhook' }).waitFor()
    await ada.expectAccessible()
    await ada.open(`${settings}/${id}/deliveries/none`)
    await page.getByRole('heading', { name: 'There is no such delivery' }).waitFor()
    ada.expectNoProblems()
  })
})
