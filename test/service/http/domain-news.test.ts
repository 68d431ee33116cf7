import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeDns } from '#test/support/domains/support.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { join } from '#test/support/members.ts'
import { startTestService } from '#test/support/service.ts'
import { startSmtp } from '#test/support/smtp.ts'

const password = 'correct horse battery'
const dayMs = 24 * 60 * 60_000

async function open(environment: Record<string, string> = {}) {
  const dns = new FakeDns()
  let ahead = 0
  const now = (): Date => new Date(Date.now() + ahead)
  const service = await startTestService(environment, { builder: new FakeBuilder(), lookupTxt: dns.lookup, now })
  onTestFinished(() => service.close())
  const person = async (name: string): Promise<{ client: Client; email: string }> => {
    const email = `${name}@example.com`
    const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, {
      body: { email, password },
    })
    return { client: createClient({ baseUrl: service.url, token }), email }
  }
  const project = async (client: Client, slug: string, domain: string): Promise<void> => {
    await client.call(contract.projects.create, { body: { slug } })
    dns.enter(await client.call(contract.domains.create, { params: { slug }, body: { domain } }))
    await client.call(contract.domains.verify, { params: { slug, domain } })
  }
  const told = async (client: Client, slug: string) => {
    const { items } = await client.call(contract.audit.list, { params: { slug }, query: { action: 'domains' } })
    return items
      .filter(({ actor }) => actor.kind === 'service')
      .map(({ action, target }) => `${action} ${target}`)
      .toReversed()
  }
  return { dns, person, project, told, pass: (ms: number) => void (ahead += ms) }
}

describe('a domain whose record is gone', () => {
  it('is told in the audit log and to whoever owns the project then, when it is missing first and when it is lost', async () => {
    const smtp = await startSmtp()
    const { dns, person, project, told, pass } = await open({ SMTP_URL: smtp.url, MAIL_FROM: 'quire@example.com' })
    const ada = await person('ada')
    const bob = await person('bob')
    const domain = 'docs.example.com'
    const params = { slug: 'docs', domain }
    await project(ada.client, 'docs', domain)
    const letters = () =>
      smtp.arrived
        .filter(({ text }) => text.includes(domain))
        .map(({ to, text }) => [...to, text.includes('not served there any more')])

    dns.records.clear()
    await ada.client.call(contract.domains.verify, { params })
    await ada.client.call(contract.domains.verify, { params })
    expect(await told(ada.client, 'docs')).toEqual(['domains.missing docs.example.com'])
    await expect.poll(letters).toEqual([[ada.email, false]])

    await join(ada.client, 'docs', { ...bob, role: 'owner' })
    pass(8 * dayMs)
    await bob.client.call(contract.domains.verify, { params })
    await bob.client.call(contract.domains.verify, { params })
    expect(await told(bob.client, 'docs')).toEqual([
      'domains.missing docs.example.com',
      'domains.lost docs.example.com',
    ])
    await expect.poll(letters).toEqual([
      [ada.email, false],
      [bob.email, true],
    ])
  })

  it('is told where another project has shown that it is its own, also without mail', async () => {
    const { dns, person, project, told } = await open()
    const ada = await person('ada')
    const bob = await person('bob')
    const domain = 'docs.example.com'
    await project(ada.client, 'docs', domain)
    dns.records.clear()
    await project(bob.client, 'other', domain)
    expect(await told(ada.client, 'docs')).toEqual(['domains.moved docs.example.com'])
    expect(await told(bob.client, 'other')).toEqual([])
  })

  it('is told once: a record that is back in time is nothing to tell', async () => {
    const { dns, person, project, told } = await open()
    const ada = await person('ada')
    const params = { slug: 'docs', domain: 'docs.example.com' }
    await project(ada.client, 'docs', params.domain)
    const records = new Map(dns.records)
    dns.records.clear()
    await ada.client.call(contract.domains.verify, { params })
    for (const [name, texts] of records) dns.records.set(name, texts)
    await ada.client.call(contract.domains.verify, { params })
    dns.records.set(`_quire.${params.domain}`, null)
    await ada.client.call(contract.domains.verify, { params })
    expect(await told(ada.client, 'docs')).toEqual(['domains.missing docs.example.com'])
  })
})
