import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({}, { builder: new FakeBuilder() })
})
afterAll(() => service.close())

const password = 'correct horse battery'
const clientOf = (token: string): Client => createClient({ baseUrl: service.url, token })

/** Signs up, and signs in twice more from other programs. */
async function signInThrice(email: string): Promise<readonly [Client, Client, Client]> {
  const tokens: string[] = []
  for (const program of ['first', 'second', 'third']) {
    const client = createClient({ baseUrl: service.url, headers: { 'user-agent': program } })
    const endpoint = program === 'first' ? contract.accounts.signup : contract.accounts.login
    tokens.push((await client.call(endpoint, { body: { email, password } })).token)
  }
  const [a = '', b = '', c = ''] = tokens
  return [clientOf(a), clientOf(b), clientOf(c)]
}

const isSignedIn = (client: Client): Promise<boolean> =>
  client.call(contract.accounts.me).then(
    () => true,
    () => false,
  )

describe('sessions over HTTP', () => {
  it('are listed with where they come from, and ended one by one', async () => {
    const [first, second, third] = await signInThrice('one@example.com')
    const { items } = await first.call(contract.sessions.list)
    expect(items.map(({ client }) => client).sort()).toEqual(['first', 'second', 'third'])
    expect(items.filter(({ current }) => current)).toMatchObject([{ client: 'first', address: '127.0.0.1' }])
    const id = items.find(({ client }) => client === 'second')?.id ?? ''
    await first.call(contract.sessions.revoke, { query: { id } })
    expect([await isSignedIn(first), await isSignedIn(second), await isSignedIn(third)]).toEqual([true, false, true])
    expect((await refusalOf(first.call(contract.sessions.revoke, { query: { id } }))).code).toBe('not_found')
  })

  it('are ended everywhere else at once', async () => {
    const [first, second, third] = await signInThrice('two@example.com')
    await second.call(contract.sessions.revokeOthers)
    expect([await isSignedIn(first), await isSignedIn(second), await isSignedIn(third)]).toEqual([false, true, false])
  })

  it('end with a changed password, but for the one that changed it', async () => {
    const [first, second] = await signInThrice('three@example.com')
    const body = { currentPassword: 'wrong wrong wrong', newPassword: 'battery staple horse' }
    expect((await refusalOf(first.call(contract.accounts.changePassword, { body }))).code).toBe('invalid_request')
    const short = first.call(contract.accounts.changePassword, { body: { ...body, newPassword: 'short' } })
    expect((await refusalOf(short)).errors).toMatchObject([{ pointer: '/newPassword' }])
    await first.call(contract.accounts.changePassword, { body: { ...body, currentPassword: password } })
    expect([await isSignedIn(first), await isSignedIn(second)]).toEqual([true, false])
  })
})
