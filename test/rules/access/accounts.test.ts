import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { Passwords } from '#access/passwords.ts'
import type { Store } from '#storage/store.ts'
import { browser, openAccess } from '#test/support/access.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const password = 'correct horse battery'
const day = 24 * 60 * 60 * 1000

/** All that is stored of sessions, as JSON. */
async function storedSessions(store: Store): Promise<string> {
  return JSON.stringify(await Promise.all((await store.list('sessions/')).map((name) => store.read(name))))
}

describe('accounts', () => {
  test('signing up signs in; the same person signs in again however the address is written', async () => {
    const { accounts, authenticator } = await openAccess()
    const { token, account } = await accounts.signup({ email: ' Ada@Example.com ', password }, browser())
    expect(account).toMatchObject({ email: 'ada@example.com', createdAt: '2026-11-21T12:00:00.000Z' })
    expect(await authenticator.identify(token)).toEqual({ kind: 'account', account, token })
    const again = await accounts.login({ email: 'ADA@example.COM', password }, browser())
    expect(again.account).toEqual(account)
    expect(again.token).not.toBe(token)
  })

  test('an address has one account, also when two sign up at once', async () => {
    const { accounts } = await openAccess()
    const both = await Promise.allSettled([
      accounts.signup({ email: 'a@b.org', password }, browser()),
      accounts.signup({ email: 'A@b.org', password }, browser()),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(accounts.signup({ email: 'a@b.org', password }, browser())).rejects.toMatchObject({
      code: 'account_exists',
    })
  })

  test('a wrong password and an unknown address get the same answer, at the same cost', async () => {
    const { accounts } = await openAccess()
    await accounts.signup({ email: 'a@b.org', password }, browser())
    const verify = vi.spyOn(Passwords.prototype, 'verify')
    const wrong = await accounts
      .login({ email: 'a@b.org', password: 'wrong' }, browser())
      .catch((error: unknown) => error)
    const unknown = await accounts
      .login({ email: 'nobody@b.org', password }, browser())
      .catch((error: unknown) => error)
    expect(wrong).toMatchObject({ code: 'unauthenticated' })
    expect(unknown).toEqual(wrong)
    expect(verify).toHaveBeenCalledTimes(2)
    verify.mockRestore()
  })

  test('nobody signs up where that is closed; who has an account signs in', async () => {
    const directory = await temporaryDirectory()
    const { accounts, store } = await openAccess({ directory })
    await accounts.signup({ email: 'a@b.org', password }, browser())
    await store.close()
    const closed = await openAccess({ directory, signup: 'closed' })
    await expect(closed.accounts.signup({ email: 'c@b.org', password }, browser())).rejects.toMatchObject({
      code: 'signup_closed',
    })
    expect((await closed.accounts.login({ email: 'a@b.org', password }, browser())).account.email).toBe('a@b.org')
  })

  test('a project has the plan of its owner, given when the account was made', async () => {
    const directory = await temporaryDirectory()
    const { accounts, lifecycle, store } = await openAccess({ directory, defaultPlan: 'pro' })
    const { account } = await accounts.signup({ email: 'a@b.org', password }, browser())
    expect((await lifecycle.create(account.id, { slug: 'leaves' })).plan).toBe('pro')
    await store.close()
    const later = await openAccess({ directory, defaultPlan: 'free' })
    expect((await later.projects.read('leaves')).plan).toBe('pro')
  })

  test('neither passwords nor tokens are on disk', async () => {
    const directory = await temporaryDirectory()
    const { accounts } = await openAccess({ directory })
    const { token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    for (const file of await readdir(directory)) {
      const text = await readFile(join(directory, file), 'utf8')
      expect(text).not.toContain(password)
      expect(text).not.toContain(token)
    }
  })
})

describe('sessions', () => {
  test('end with the sign-out, and only the one', async () => {
    const { accounts, authenticator } = await openAccess()
    const { token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    const other = await accounts.login({ email: 'a@b.org', password }, browser())
    await accounts.logout(token)
    await accounts.logout(token)
    expect(await authenticator.identify(token)).toBeNull()
    expect(await authenticator.identify(other.token)).not.toBeNull()
  })

  test('end 30 days after their last use', async () => {
    const { accounts, authenticator, pass, store } = await openAccess()
    const { token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    pass(29 * day)
    expect(await authenticator.identify(token)).not.toBeNull()
    // The use is written behind the request.
    await vi.waitFor(async () => expect(await storedSessions(store)).toContain('2026-12-20'), 15_000)
    pass(29 * day)
    expect(await authenticator.identify(token)).not.toBeNull()
    await vi.waitFor(async () => expect(await storedSessions(store)).toContain('2027-01-18'), 15_000)
    pass(30 * day)
    expect(await authenticator.identify(token)).toBeNull()
  })

  test('survive a restart; ended ones and the oldest of too many are forgotten', async () => {
    const directory = await temporaryDirectory()
    const room = await openAccess({ directory })
    const { account } = await room.accounts.signup({ email: 'a@b.org', password }, browser())
    const first = await room.sessions.begin(account.id, browser())
    for (let index = 0; index < 50; index++) {
      room.pass(1000)
      await room.sessions.begin(account.id, browser())
    }
    expect(await room.sessions.find(first)).toBeNull()
    const last = await room.sessions.begin(account.id, browser())
    await room.store.close()
    const next = await openAccess({ directory })
    expect(await next.sessions.find(last)).toBe(account.id)
    next.pass(40 * day)
    await next.sessions.begin(account.id, browser())
    expect((await storedSessions(next.store)).match(/"usedAt"/g)).toHaveLength(1)
  })

  test('a token that is not one is nobody', async () => {
    const { authenticator } = await openAccess()
    for (const token of ['', 'x', 'quire_', 'quire_s_', `quire_${'a'.repeat(49)}`])
      expect(await authenticator.identify(token)).toBeNull()
  })
})

describe('the list of sessions', () => {
  test('says where each was begun, marks the own one, and has nobody else’s', async () => {
    const { accounts, sessions, pass } = await openAccess()
    const { account, token } = await accounts.signup({ email: 'a@b.org', password }, browser('192.0.2.7'))
    await accounts.signup({ email: 'b@b.org', password }, browser())
    pass(1000)
    await sessions.begin(account.id, { kind: 'terminal', client: 'laptop\u001b[31m\ud800', address: '2001:db8::1' })
    expect(await sessions.list(account.id, token)).toEqual([
      {
        id: expect.stringMatching(/^ses_[0-9a-f]{16}$/),
        kind: 'terminal',
        client: 'laptop[31m',
        address: '2001:db8::1',
        createdAt: '2026-11-21T12:00:01.000Z',
        usedAt: '2026-11-21T12:00:01.000Z',
        current: false,
      },
      {
        id: expect.any(String),
        kind: 'browser',
        client: 'Firefox',
        address: '192.0.2.7',
        createdAt: '2026-11-21T12:00:00.000Z',
        usedAt: '2026-11-21T12:00:00.000Z',
        current: true,
      },
    ])
    await sessions.begin(account.id, { ...browser(), client: 'x'.repeat(5000) })
    expect((await sessions.list(account.id)).map(({ client }) => client.length)).toContain(200)
  })

  test('has sessions from before all that was kept', async () => {
    const { accounts, sessions, store } = await openAccess()
    const { account, token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    const [document = ''] = await store.list('sessions/')
    await store.mutate<{ sessions: Record<string, Record<string, unknown>> }, void>(document, (draft) => {
      for (const session of Object.values(draft?.sessions ?? {}))
        for (const name of ['kind', 'client', 'address']) delete session[name]
      return { document: draft, result: undefined }
    })
    expect(await sessions.find(token)).toBe(account.id)
    expect(await sessions.list(account.id, token)).toMatchObject([
      { kind: 'browser', client: '', address: '', current: true },
    ])
  })

  test('loses those that are ended by id, of the own account only', async () => {
    const { accounts, sessions } = await openAccess()
    const ada = await accounts.signup({ email: 'a@b.org', password }, browser())
    const bob = await accounts.signup({ email: 'b@b.org', password }, browser())
    const [session] = await sessions.list(ada.account.id)
    const id = session?.id ?? ''
    await expect(sessions.revoke(bob.account.id, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await sessions.find(ada.token)).toBe(ada.account.id)
    await sessions.revoke(ada.account.id, id)
    expect(await sessions.find(ada.token)).toBeNull()
    await expect(sessions.revoke(ada.account.id, id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await sessions.find(bob.token)).toBe(bob.account.id)
  })

  test('notes a use once an hour', async () => {
    const { accounts, sessions, pass } = await openAccess()
    const { account, token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    const usedAt = async (): Promise<string | undefined> => (await sessions.list(account.id))[0]?.usedAt
    pass(59 * 60_000)
    await sessions.find(token)
    expect(await usedAt()).toBe('2026-11-21T12:00:00.000Z')
    pass(2 * 60_000)
    await sessions.find(token)
    await vi.waitFor(async () => expect(await usedAt()).toBe('2026-11-21T13:01:00.000Z'), 15_000)
  })
})

describe('a changed password', () => {
  const changed = { currentPassword: password, newPassword: 'battery staple horse' }

  test('ends all sessions but the one that changed it, and the old one is wrong from then on', async () => {
    const { accounts, sessions } = await openAccess()
    const mine = await accounts.signup({ email: 'a@b.org', password }, browser())
    const other = await accounts.login({ email: 'a@b.org', password }, browser())
    await accounts.changePassword(mine.account.id, changed, { token: mine.token, address: '192.0.2.1' })
    expect(await sessions.find(mine.token)).toBe(mine.account.id)
    expect(await sessions.find(other.token)).toBeNull()
    await expect(accounts.login({ email: 'a@b.org', password }, browser())).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    expect((await accounts.login({ email: 'a@b.org', password: changed.newPassword }, browser())).account).toEqual(
      mine.account,
    )
  })

  test('needs the current one', async () => {
    const { accounts, sessions } = await openAccess()
    const { account, token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    const other = await accounts.login({ email: 'a@b.org', password }, browser())
    const wrong = { ...changed, currentPassword: 'wrong wrong wrong' }
    await expect(accounts.changePassword(account.id, wrong, { token, address: '192.0.2.1' })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/currentPassword' }],
    })
    expect(await sessions.find(other.token)).toBe(account.id)
  })

  test('leaves no session to who signs in with the old one at that moment', async () => {
    const { accounts, sessions } = await openAccess()
    const { account, token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    const begin = vi.spyOn(sessions, 'begin').mockImplementationOnce(async (id, from) => {
      await accounts.changePassword(account.id, changed, { token, address: '192.0.2.1' })
      return sessions.begin(id, from)
    })
    await expect(accounts.login({ email: 'a@b.org', password }, browser())).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    begin.mockRestore()
    expect(await sessions.list(account.id, token)).toMatchObject([{ current: true }])
  })
})

describe('an operator', () => {
  test('makes accounts where nobody may sign up, with a password that is told once', async () => {
    const directory = await temporaryDirectory()
    const { accounts } = await openAccess({ directory, signup: 'closed' })
    const { account, password: made } = await accounts.createByOperator('Ada@b.org')
    expect(account.email).toBe('ada@b.org')
    expect(made.length).toBeGreaterThanOrEqual(20)
    expect((await accounts.login({ email: 'ada@b.org', password: made }, browser())).account).toEqual(account)
    expect((await accounts.createByOperator('bob@b.org', password)).password).toBe(password)
    await expect(accounts.createByOperator('ada@b.org')).rejects.toMatchObject({ code: 'account_exists' })
    for (const wrong of [accounts.createByOperator('ada'), accounts.createByOperator('c@b.org', 'short')])
      await expect(wrong).rejects.toMatchObject({ code: 'invalid_request' })
    for (const file of await readdir(directory))
      expect(await readFile(join(directory, file), 'utf8')).not.toContain(made)
  })

  test('resets a password, which ends every session', async () => {
    const { accounts, sessions } = await openAccess()
    const { token } = await accounts.signup({ email: 'a@b.org', password }, browser())
    const reset = await accounts.resetPassword('A@b.org')
    expect(await sessions.find(token)).toBeNull()
    await expect(accounts.login({ email: 'a@b.org', password }, browser())).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await accounts.login({ email: 'a@b.org', password: reset }, browser())
    await expect(accounts.resetPassword('nobody@b.org')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('lists accounts and changes their plans', async () => {
    const { accounts, pass } = await openAccess()
    await accounts.createByOperator('a@b.org', password)
    pass(1000)
    await accounts.createByOperator('b@b.org', password)
    expect(await accounts.setPlan('b@b.org', 'pro')).toMatchObject({ email: 'b@b.org', plan: 'pro' })
    expect((await accounts.list()).map(({ email, plan, hasPassword }) => [email, plan, hasPassword])).toEqual([
      ['a@b.org', 'free', true],
      ['b@b.org', 'pro', true],
    ])
    await expect(accounts.setPlan('nobody@b.org', 'pro')).rejects.toMatchObject({ code: 'not_found' })
  })
})
