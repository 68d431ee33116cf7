import { describe, expect, test, vi } from 'vitest'
import { Identities, type Claims } from '#access/identities.ts'
import { browser, openAccess } from '#test/support/access.ts'

const password = 'correct horse battery'
const email = 'kim@b.org'

async function openIdentities() {
  const room = await openAccess()
  const { records, sessions } = room
  return { ...room, identities: new Identities({ records, sessions, signup: 'open' }) }
}

const claimsOf = (claims: Partial<Claims> = {}): Claims => ({
  issuer: 'https://id.example.org',
  subject: '1',
  email,
  emailVerified: true,
  ...claims,
})

describe('who signs in through an identity provider', () => {
  test.each([
    ['a letter that is another one in lower case', '\u212aim@b.org'],
    ['a dotless i', 'k\u0131m@b.org'],
    ['a letter that looks like another one', 'kim@\u0431.org'],
    ['a direction of writing', '\u202ekim@b.org'],
    ['a line end', 'kim@b.org\n.example'],
    ['half a character', 'kim\ud800@b.org'],
    ['more than an address has', `${'k'.repeat(300)}@b.org`],
    ['two addresses', 'kim@b.org,eve@b.org'],
  ])('reaches and makes no account by an address with %s', async (_what, address) => {
    const { accounts, identities, records, sessions } = await openIdentities()
    const { account, token } = await accounts.signup({ email, password }, browser())
    const attempt = identities.signIn(claimsOf({ email: address }), browser())
    await expect(attempt).rejects.toMatchObject({ code: 'email_not_verified' })
    expect(await sessions.find(token)).toBe(account.id)
    expect(await records.list()).toHaveLength(1)
    await expect(accounts.createByOperator(address)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('keeps the password that the operator gave out', async () => {
    const { accounts, identities } = await openIdentities()
    const { account } = await accounts.createByOperator(email, password)
    expect((await identities.signIn(claimsOf({ email: ' KIM@b.org' }), browser())).account).toEqual(account)
    expect((await accounts.login({ email, password }, browser())).account).toEqual(account)
  })

  test('in two windows at once is in both, and has one account', async () => {
    const { accounts, identities } = await openIdentities()
    const { account } = await accounts.createByOperator(email, password)
    const both = await Promise.all([1, 2].map(() => identities.signIn(claimsOf(), browser())))
    expect(both.map((signedIn) => signedIn.account.id)).toEqual([account.id, account.id])
    expect(await accounts.list()).toMatchObject([{ issuers: ['https://id.example.org'] }])
  })

  test('is the same subject of the same issuer only', async () => {
    const { identities } = await openIdentities()
    const ada = await identities.signIn(claimsOf(), browser())
    const other = claimsOf({ issuer: 'https://id.example.net', email: 'eve@b.org' })
    expect((await identities.signIn(other, browser())).account.id).not.toBe(ada.account.id)
  })
})

describe('an account that somebody made with another person’s address', () => {
  test('loses password and sessions before it is joined, also when the first attempt fails', async () => {
    const { accounts, identities, sessions } = await openIdentities()
    const claimed = await accounts.signup({ email, password }, browser())
    const endAll = vi.spyOn(sessions, 'endAll').mockRejectedValueOnce(new Error('the disk is full'))
    await expect(identities.signIn(claimsOf(), browser())).rejects.toThrow('the disk is full')
    endAll.mockRestore()
    const { token } = await identities.signIn(claimsOf(), browser())
    expect(await sessions.find(claimed.token)).toBeNull()
    expect(await sessions.find(token)).toBe(claimed.account.id)
    await expect(accounts.login({ email, password }, browser())).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('leaves no session to who signs up at that moment', async () => {
    const { accounts, identities, sessions } = await openIdentities()
    const begin = vi.spyOn(sessions, 'begin').mockImplementationOnce(async (id, from) => {
      await identities.signIn(claimsOf(), browser())
      return sessions.begin(id, from)
    })
    await expect(accounts.signup({ email, password }, browser())).rejects.toMatchObject({ code: 'unauthenticated' })
    begin.mockRestore()
    const { account, token } = await identities.signIn(claimsOf(), browser())
    expect(await sessions.list(account.id, token)).toHaveLength(2)
  })
})
