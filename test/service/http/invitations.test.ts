import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { invitationLimits } from '#contract/invitations.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const day = 24 * 60 * 60 * 1000

let service: TestService
let time = Date.now()
let round = 0
let slug: string
let owner: Person
let guest: Person

beforeAll(async () => {
  service = await startTestService(
    { SIGN_INS_PER_MINUTE: '100000' },
    { builder: new FakeBuilder(), now: () => new Date(time) },
  )
})
afterAll(() => service.close())
beforeEach(async () => {
  round += 1
  slug = `p${round}`
  owner = await person(`owner-${round}`)
  guest = await person(`guest-${round}`)
  await owner.client.call(contract.projects.create, { body: { slug } })
})

interface Person {
  readonly id: string
  readonly email: string
  readonly client: Client
}

async function person(name: string): Promise<Person> {
  const body = { email: `${name}@example.com`, password: 'correct horse battery' }
  const { token, account } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, { body })
  return { ...account, client: createClient({ baseUrl: service.url, token }) }
}

const invite = (email: string, role: 'writer' | 'owner' = 'writer') =>
  owner.client.call(contract.invitations.create, { params: { slug }, body: { email, role } })
const accept = ({ client }: Person, id: string, code?: string) =>
  client.call(contract.invitations.accept, { params: { id }, body: code === undefined ? {} : { code } })
const received = async ({ client }: Person) => (await client.call(contract.invitations.received)).items
const open = async () => (await owner.client.call(contract.invitations.list, { params: { slug } })).items
const codeOf = async (promise: Promise<unknown>) => (await refusalOf(promise)).code

describe('an invitation', () => {
  it('makes a writer of whoever accepts it with its code', async () => {
    const { id, code, url, expiresAt } = await invite(guest.email.toUpperCase())
    expect(url).toBe(`http://localhost:${service.port}/dashboard#invitation=${id}.${code}`)
    expect(Date.parse(expiresAt)).toBe(time + invitationLimits.days * day)
    expect(await received(guest)).toMatchObject([{ id, project: slug, role: 'writer', needsCode: true }])
    expect(await accept(guest, id, code)).toMatchObject({ project: slug, member: { id: guest.id, role: 'writer' } })
    expect(await guest.client.call(contract.projects.read, { params: { slug } })).toMatchObject({ role: 'writer' })
    expect([await received(guest), await open()]).toEqual([[], []])
    expect(await codeOf(accept(guest, id, code))).toBe('not_found')
  })

  it('is not told apart, whether its address has an account or not', async () => {
    const known = await invite(guest.email)
    const unknown = await invite(`nobody-${round}@example.com`)
    const shape = ({ id, code, url, email, ...rest }: typeof known) => [
      rest,
      id.length,
      code.length,
      url.length - id.length,
      typeof email,
    ]
    expect(shape(unknown)).toEqual(shape(known))
    // Whoever comes later finds it.
    const later = await person(`nobody-${round}`)
    expect(await received(later)).toMatchObject([{ id: unknown.id }])
  })

  it('is for its address only, and for an address that nobody vouches for only with the code', async () => {
    const { id, code } = await invite(guest.email)
    const other = await person(`other-${round}`)
    expect(await received(other)).toEqual([])
    expect(await codeOf(accept(other, id, code))).toBe('not_found')
    expect(await codeOf(accept(guest, id))).toBe('forbidden')
    expect(await codeOf(accept(guest, id, 'x'.repeat(32)))).toBe('forbidden')
    expect(await codeOf(guest.client.call(contract.projects.read, { params: { slug } }))).toBe('not_found')
  })

  it('gives the project to whoever takes it over, and ends keys that administer', async () => {
    const ci = await owner.client.call(contract.keys.create, { params: { slug }, body: { name: 'ci' } })
    await owner.client.call(contract.keys.create, { params: { slug }, body: { name: 'all', scopes: ['admin'] } })
    const rival = await invite(`rival-${round}@example.com`, 'owner')
    const { id, code } = await invite(guest.email, 'owner')
    expect(await accept(guest, id, code)).toMatchObject({ member: { role: 'owner' } })
    const { items } = await guest.client.call(contract.members.list, { params: { slug } })
    expect(items.map((member) => [member.id, member.role])).toEqual([
      [guest.id, 'owner'],
      [owner.id, 'writer'],
    ])
    const keys = await guest.client.call(contract.keys.list, { params: { slug } })
    expect(keys.items.map((key) => key.id)).toEqual([ci.id])
    // What the former owner had promised besides is void.
    const other = await person(`rival-${round}`)
    expect(await codeOf(accept(other, rival.id, rival.code))).toBe('not_found')
    const audit = await guest.client.call(contract.audit.list, { params: { slug }, query: {} })
    expect(audit.items[0]).toMatchObject({ action: 'invitations.accept', target: guest.email, detail: 'is owner now' })
  })

  it('is declined, taken back or replaced', async () => {
    const declined = await invite(guest.email)
    await guest.client.call(contract.invitations.decline, { params: { id: declined.id } })
    expect(await open()).toEqual([])
    const revoked = await invite(guest.email)
    await owner.client.call(contract.invitations.revoke, { params: { slug }, query: { id: revoked.id } })
    expect(await codeOf(accept(guest, revoked.id, revoked.code))).toBe('not_found')
    const first = await invite(guest.email)
    const second = await invite(guest.email, 'owner')
    expect(await open()).toMatchObject([{ id: second.id, role: 'owner' }])
    expect(await codeOf(accept(guest, first.id, first.code))).toBe('not_found')
  })

  it('expires', async () => {
    const { id, code } = await invite(guest.email)
    const before = time
    time += invitationLimits.days * day
    try {
      expect([await received(guest), await open()]).toEqual([[], []])
      expect(await codeOf(accept(guest, id, code))).toBe('not_found')
    } finally {
      time = before
    }
  })

  it('outlasts a restart; it ends with the project and with the account', async () => {
    const { id, code } = await invite(guest.email)
    await service.restart()
    expect(await received(guest)).toMatchObject([{ id }])
    await owner.client.call(contract.projects.remove, { params: { slug } })
    expect(await received(guest)).toEqual([])
    expect(await codeOf(accept(guest, id, code))).toBe('not_found')
  })

  it('is one of at most fifty; those that have gone do not count', async () => {
    for (let index = 0; index < invitationLimits.ofProject; index++) await invite(`x${index}@example.com`)
    expect(await codeOf(invite(guest.email))).toBe('invalid_request')
    await invite('x0@example.com')
    const [last] = await open()
    await owner.client.call(contract.invitations.revoke, { params: { slug }, query: { id: last?.id ?? '' } })
    await invite(guest.email)
    expect(await open()).toHaveLength(invitationLimits.ofProject)
  })

  it('is accepted once, however often at once', async () => {
    const { id, code } = await invite(guest.email)
    const all = await Promise.allSettled(Array.from({ length: 5 }, () => accept(guest, id, code)))
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect((await owner.client.call(contract.members.list, { params: { slug } })).items).toHaveLength(2)
  })

  it('keeps its code to itself', async () => {
    const { code } = await invite(guest.email)
    const shown = JSON.stringify([await open(), await received(guest)])
    expect(shown).not.toContain(code)
    const audit = await owner.client.call(contract.audit.list, { params: { slug }, query: {} })
    expect(JSON.stringify(audit)).not.toContain(code)
    expect(audit.items[0]).toMatchObject({ action: 'invitations.create', target: guest.email, detail: 'writer' })
  })
})

describe('a key', () => {
  it('is renamed, and what it may do stays', async () => {
    const params = { slug }
    const key = await owner.client.call(contract.keys.create, { params, body: { name: 'old', scopes: ['read'] } })
    const renamed = await owner.client.call(contract.keys.rename, { params, body: { id: key.id, name: 'new' } })
    expect(renamed).toMatchObject({ id: key.id, name: 'new', scopes: ['read'], prefix: key.prefix })
    expect(JSON.stringify(renamed)).not.toContain(key.key)
    const client = createClient({ baseUrl: service.url, token: key.key })
    expect(await client.call(contract.projects.read, { params })).toMatchObject({ slug })
    const { items } = await owner.client.call(contract.audit.list, { params, query: {} })
    expect(items[0]).toMatchObject({ action: 'keys.rename', target: key.id, detail: 'new' })
    const absent = owner.client.call(contract.keys.rename, { params, body: { id: 'none', name: 'x' } })
    expect(await codeOf(absent)).toBe('not_found')
    expect(await codeOf(client.call(contract.keys.rename, { params, body: { id: key.id, name: 'x' } }))).toBe(
      'forbidden',
    )
  })
})
