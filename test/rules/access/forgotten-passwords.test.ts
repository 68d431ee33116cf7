import { describe, expect, test } from 'vitest'
import { Identities } from '#access/identities.ts'
import { browser, openAccess } from '#test/support/access.ts'
import { tokenIn } from '#test/support/letters.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
const newPassword = 'another horse battery'
const minute = 60_000

/** Ada, who is signed in, and a way to get a link. */
async function ada() {
  const room = await openAccess({ mail: true })
  const { account, token } = await room.accounts.signup({ email, password }, browser())
  const link = async (): Promise<string> => {
    room.forgottenPasswords.request(email, '192.0.2.9')
    const [letter] = await room.posted.take()
    if (!letter) throw new Error('no letter')
    return tokenIn(letter)
  }
  const signIn = (secret: string) => room.accounts.login({ email, password: secret }, browser())
  return { ...room, account, session: token, link, signIn }
}

describe('a forgotten password', () => {
  test('is replaced by a link to the address, which ends all sessions', async () => {
    const room = await ada()
    await room.forgottenPasswords.reset({ token: await room.link(), newPassword }, '192.0.2.9')
    expect(await room.authenticator.identify(room.session)).toBeNull()
    await expect(room.signIn(password)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect((await room.signIn(newPassword)).account.id).toBe(room.account.id)
  })

  test('has links that are good once, for an hour, and only while the password is what it was', async () => {
    const room = await ada()
    const reset = (token: string) => room.forgottenPasswords.reset({ token, newPassword }, '192.0.2.9')
    const first = await room.link()
    const second = await room.link()
    await reset(first)
    for (const used of [first, second]) await expect(reset(used)).rejects.toMatchObject({ code: 'expired_token' })
    const late = await room.link()
    room.pass(60 * minute)
    await expect(reset(late)).rejects.toMatchObject({ code: 'expired_token' })
    const overtaken = await room.link()
    const { token } = await room.signIn(newPassword)
    const change = { currentPassword: newPassword, newPassword: password }
    await room.accounts.changePassword(room.account.id, change, { token, address: '192.0.2.1' })
    await expect(reset(overtaken)).rejects.toMatchObject({ code: 'expired_token' })
    expect((await room.signIn(password)).account.id).toBe(room.account.id)
  })

  test('gives one of two who follow a link at once the password', async () => {
    const room = await ada()
    const token = await room.link()
    const outcomes = await Promise.allSettled(
      ['first horse battery', 'second horse battery'].map((one) =>
        room.forgottenPasswords.reset({ token, newPassword: one }, '192.0.2.9'),
      ),
    )
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('keeps only hashes of links, the last three of an account', async () => {
    const room = await ada()
    const tokens = [await room.link(), await room.link(), await room.link(), await room.link()]
    const stored = JSON.stringify(await room.records.find(room.account.id))
    for (const token of tokens) expect(stored).not.toContain(token)
    expect((await room.records.find(room.account.id))?.proofs).toHaveLength(3)
    const [oldest = ''] = tokens
    await expect(room.forgottenPasswords.reset({ token: oldest, newPassword }, '192.0.2.9')).rejects.toMatchObject({
      code: 'expired_token',
    })
  })

  test('is asked for in vain where there is no account, and nobody is told', async () => {
    const room = await ada()
    expect(room.forgottenPasswords.request('nobody@example.com', '192.0.2.9')).toBeUndefined()
    expect(await room.posted.take()).toEqual([null])
  })

  test('of an account without one is not made: the letter says how to sign in', async () => {
    const room = await ada()
    await room.records.create({ email: 'grace@example.com', password: null })
    room.forgottenPasswords.request('Grace@example.com', '192.0.2.9')
    const [letter] = await room.posted.take()
    expect(letter).toMatchObject({ to: 'grace@example.com', subject: expect.stringContaining('has no password') })
    expect(letter?.text).not.toContain('#token=')
  })

  test('is asked for five times an hour for an address, whether it has an account or not, and twenty from a network', async () => {
    const room = await ada()
    for (const address of [email, 'nobody@example.com']) {
      for (let count = 0; count < 5; count++) room.forgottenPasswords.request(address, '192.0.2.9')
      expect(() => room.forgottenPasswords.request(address, '198.51.100.7')).toThrow('too many letters to this address')
    }
    for (let count = 0; count < 10; count++) room.forgottenPasswords.request(`${count}@example.com`, '192.0.2.9')
    expect(() => room.forgottenPasswords.request('x@example.com', '192.0.2.9')).toThrow('from your network')
    room.pass(60 * minute)
    expect(() => room.forgottenPasswords.request(email, '192.0.2.9')).not.toThrow()
  })

  test('is asked for a hundred times an hour from networks that one party may have all of', async () => {
    const room = await ada()
    const ask = (count: number) => room.forgottenPasswords.request(`${count}@example.com`, `2001:db8:0:${count}::1`)
    for (let count = 0; count < 100; count++) ask(count)
    expect(() => ask(100)).toThrow('from networks next to yours')
    expect(() => room.forgottenPasswords.request('x@example.com', '2001:db8:1::1')).not.toThrow()
  })

  test('is one of the letters that an address is sent, whatever for', async () => {
    const room = await ada()
    const grace = 'grace@example.com'
    const letter = { email: grace, slug: 'docs', role: 'writer', url: '/', expiresAt: '' } as const
    for (let count = 0; count < 2; count++) {
      expect(await room.invitationMail.send(letter, { owner: 'acc_1', inviter: undefined })).toBe(true)
      room.forgottenPasswords.request(grace, '192.0.2.9')
    }
    await room.emailChanges.request(room.account.id, { email: grace, password }, '192.0.2.1')
    expect(() => room.forgottenPasswords.request(grace, '192.0.2.9')).toThrow('too many letters to this address')
    expect(await room.invitationMail.send(letter, { owner: 'acc_2', inviter: undefined })).toBe(false)
  })

  test('cannot be replaced where no mail is sent, and the operator is named', async () => {
    const { forgottenPasswords } = await openAccess()
    expect(() => forgottenPasswords.request(email, '192.0.2.9')).toThrow(
      expect.objectContaining({ code: 'mail_not_configured', hint: expect.stringContaining('operator') }),
    )
  })

  test('is not waited for by who guessed the one before too often', async () => {
    const room = await ada()
    const guess = () => room.accounts.login({ email, password: 'wrong' }, browser('203.0.113.5'))
    for (let count = 0; count < 5; count++) await expect(guess()).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(guess()).rejects.toMatchObject({ code: 'rate_limited' })
    await room.forgottenPasswords.reset({ token: await room.link(), newPassword }, '203.0.113.5')
    const again = room.accounts.login({ email, password: newPassword }, browser('203.0.113.5'))
    expect((await again).account.id).toBe(room.account.id)
  })

  test.each([false, true])(
    'that who has the mailbox replaces leaves nothing to who had the account before',
    async (vouched) => {
      const room = await ada()
      const mallory = { issuer: 'https://id.example', subject: 'mallory' }
      await room.records.change(
        room.account.id,
        (draft) => void Object.assign(draft, { identities: [mallory], vouched }),
      )
      await room.emailChanges.request(room.account.id, { email: 'mallory@example.com', password }, '192.0.2.1')
      const [confirm] = await room.posted.take()
      await room.forgottenPasswords.reset({ token: await room.link(), newPassword }, '192.0.2.9')
      expect(await room.records.find(room.account.id)).toMatchObject({ vouched: true, email })
      if (!confirm) throw new Error('no letter')
      await expect(room.emailChanges.confirm(tokenIn(confirm))).rejects.toMatchObject({ code: 'expired_token' })
      const identities = new Identities({ records: room.records, sessions: room.sessions, signup: 'open' })
      const claims = { ...mallory, email: 'mallory@example.com', emailVerified: true }
      expect((await identities.signIn(claims, browser())).account.id).not.toBe(room.account.id)
    },
  )
})
