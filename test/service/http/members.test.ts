import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { scopes as everything, type Scope } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { join } from '#test/support/members.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())

interface Person {
  readonly id: string
  readonly email: string
  readonly token: string
  readonly client: Client
}

async function person(name: string): Promise<Person> {
  const body = { email: `${name}@example.com`, password: 'correct horse battery' }
  const { token, account } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, { body })
  return { ...account, token, client: createClient({ baseUrl: service.url, token }) }
}

/** A project with an owner, a writer and somebody who is neither. */
async function team(slug: string) {
  const owner = await person(`${slug}-owner`)
  const writer = await person(`${slug}-writer`)
  const stranger = await person(`${slug}-stranger`)
  await owner.client.call(contract.projects.create, { body: { slug } })
  const params = { slug }
  await join(owner.client, slug, writer)
  return { owner, writer, stranger, params }
}

describe('a writer', () => {
  it('sees the project and its role, writes and deploys, and does not administer', async () => {
    const { owner, writer, stranger, params } = await team('shared')
    const { call } = writer.client
    expect((await call(contract.projects.list, { query: {} })).items).toMatchObject([
      { slug: 'shared', role: 'writer' },
    ])
    expect(await owner.client.call(contract.projects.read, { params })).toMatchObject({
      role: 'owner',
      scopes: everything,
    })
    const everythingButAdmin = everything.filter((scope) => scope !== 'admin')
    expect(await call(contract.projects.read, { params })).toMatchObject({ scopes: everythingButAdmin })
    const files = [{ path: 'index.md', content: 'x' }]
    const query = { project: 'shared' }
    expect(await call(contract.deploys.create, { query, body: { files } })).toMatchObject({ status: 'live' })
    const refused = [
      call(contract.keys.list, { params, query: {} }),
      call(contract.invitations.create, { params, body: { email: stranger.email } }),
      call(contract.invitations.list, { params }),
      call(contract.members.remove, { params, query: { id: owner.id } }),
      call(contract.projects.remove, { params }),
    ]
    const codes = await Promise.all(refused.map(async (each) => (await refusalOf(each)).code))
    expect(new Set(codes)).toEqual(new Set(['forbidden']))
  })

  it('leaves, and is a stranger from then on', async () => {
    const { owner, writer, params } = await team('left')
    await writer.client.call(contract.members.remove, { params, query: { id: writer.id } })
    expect((await refusalOf(writer.client.call(contract.projects.read, { params }))).code).toBe('not_found')
    expect((await writer.client.call(contract.projects.list, { query: {} })).items).toEqual([])
    expect((await owner.client.call(contract.members.list, { params })).items).toHaveLength(1)
  })
})

describe('a key', () => {
  it('is told in the project what it may do there', async () => {
    const { owner, params } = await team('told')
    const granted: Scope[] = ['read', 'deploy']
    const { key } = await owner.client.call(contract.keys.create, { params, body: { name: 'CI', scopes: granted } })
    const { call } = createClient({ baseUrl: service.url, token: key })
    expect((await call(contract.projects.list, { query: {} })).items).toMatchObject([{ slug: 'told', scopes: granted }])
    expect(await call(contract.projects.read, { params })).toMatchObject({ scopes: granted })
  })
})

describe('an owner', () => {
  it('gives the project away by a session, never by a key', async () => {
    const { owner, writer, params } = await team('given')
    const scopes: Scope[] = ['read', 'admin']
    const { key } = await owner.client.call(contract.keys.create, { params, body: { name: 'all', scopes } })
    const ci = await owner.client.call(contract.keys.create, { params, body: { name: 'ci' } })
    const body = { email: writer.email, role: 'owner' } as const
    const keyed = createClient({ baseUrl: service.url, token: key })
    expect((await refusalOf(keyed.call(contract.invitations.create, { params, body }))).code).toBe('forbidden')
    expect(await join(owner.client, 'given', { ...writer, role: 'owner' })).toMatchObject({ role: 'owner' })
    expect((await refusalOf(owner.client.call(contract.keys.list, { params, query: {} }))).code).toBe('forbidden')
    // Who administered by a key does not any more; what deploys by one goes on.
    expect((await refusalOf(keyed.call(contract.projects.read, { params }))).code).toBe('unauthenticated')
    expect((await writer.client.call(contract.keys.list, { params, query: {} })).items).toMatchObject([{ id: ci.id }])
    expect(
      await createClient({ baseUrl: service.url, token: ci.key }).call(contract.projects.read, { params }),
    ).toEqual(expect.objectContaining({ slug: 'given' }))
    const audit = await writer.client.call(contract.audit.list, { params, query: {} })
    expect(audit.items[0]).toMatchObject({
      action: 'invitations.accept',
      target: writer.email,
      detail: 'is owner now',
      actor: { name: writer.email },
    })
  })

  it('removes a writer also with a key that administers, and a key that writes removes nobody', async () => {
    const { owner, writer, params } = await team('keyed')
    const make = async (scope: 'admin' | 'write') => {
      const body = { name: scope, scopes: [scope] }
      const { key } = await owner.client.call(contract.keys.create, { params, body })
      return createClient({ baseUrl: service.url, token: key })
    }
    const removal = { params, query: { id: writer.id } }
    expect((await refusalOf((await make('write')).call(contract.members.remove, removal))).code).toBe('forbidden')
    // The endpoint takes what may write; to remove others takes admin beside it.
    const { key } = await owner.client.call(contract.keys.create, {
      params,
      body: { name: 'both', scopes: ['write', 'admin'] },
    })
    await createClient({ baseUrl: service.url, token: key }).call(contract.members.remove, removal)
    expect((await owner.client.call(contract.members.list, { params })).items).toHaveLength(1)
  })
})

describe('the list of members', () => {
  it('has addresses for those who administer, and names for the others', async () => {
    const { owner, writer, params } = await team('listed')
    const asked = async (client: Client) =>
      (await client.call(contract.members.list, { params })).items.map(({ name, email }) => [name, email])
    const keyOf = async (scopes: Scope[]) => {
      const { key } = await owner.client.call(contract.keys.create, { params, body: { name: 'k', scopes } })
      return createClient({ baseUrl: service.url, token: key })
    }
    const whole = [
      ['listed-owner', owner.email],
      ['listed-writer', writer.email],
    ]
    expect(await asked(owner.client)).toEqual(whole)
    expect(await asked(await keyOf(['read', 'admin']))).toEqual(whole)
    const names = [['listed-owner', undefined]]
    expect(await asked(writer.client)).toEqual([...names, ['listed-writer', writer.email]])
    expect(await asked(await keyOf(['read']))).toEqual([...names, ['listed-writer', undefined]])
  })
})
