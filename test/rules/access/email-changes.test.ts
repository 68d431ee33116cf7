import { describe, expect, test } from 'vitest'
import { Identities } from '#access/identities.ts'
import { Failure } from '#contract/failure.ts'
import { browser, openAccess } from '#test/support/access.ts'
import { tokenIn } from '#test/support/letters.ts'

const email = 'ada@example.com'
const wanted = 'lovelace@example.com'
const password = 'correct horse battery'
const at = '192.0.2.1'

async function ada(settings: { readonly mail?: boolean } = { mail: true }) {
  const room = await openAccess(settings)
  const { account, token } = await room.accounts.signup({ email, password }, browser(at))
  const ask = (to = wanted, secret = password) =>
    room.emailChanges.request(account.id, { email: to, password: secret }, at)
  return { ...room, account, session: token, ask }
}

describe('changing the address of an account', () => {
  test('takes effect when the link to the new one is followed, and the old one is told', async () => {
    const room = await ada()
    expect(await room.ask(' Lovelace@Example.com '.trim())).toBeNull()
    expect((await room.accounts.read(room.account.id))?.email).toBe(email)
    expect(await room.accounts.credentialsOf(room.account.id)).toEqual({ hasPassword: true, pendingEmail: wanted })
    const [confirm, notice] = await room.posted.take()
    expect(confirm).toMatchObject({ to: wanted })
    expect(notice).toMatchObject({ to: email, text: expect.stringContaining(wanted) })
    expect(notice?.text).not.toContain('#token=')
    if (!confirm) throw new Error('no letter')
    const changed = await room.emailChanges.confirm(tokenIn(confirm))
    expect(changed).toEqual({ account: { ...room.account, email: wanted }, before: email })
    expect(await room.accounts.credentialsOf(room.account.id)).toEqual({ hasPassword: true })
    expect(await room.authenticator.identify(room.session)).toMatchObject({ account: { email: wanted } })
    expect((await room.accounts.login({ email: wanted, password }, browser())).account.id).toBe(room.account.id)
    await expect(room.accounts.login({ email, password }, browser())).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('has links that are good once, for an hour; a later one takes the place of the one before', async () => {
    const room = await ada()
    const link = async (to: string): Promise<string> => {
      await room.ask(to)
      const [letter] = await room.posted.take()
      if (!letter) throw new Error('no letter')
      return tokenIn(letter)
    }
    const expired = { code: 'expired_token' }
    const [first, second] = [await link('one@example.com'), await link(wanted)]
    await expect(room.emailChanges.confirm(first)).rejects.toMatchObject(expired)
    await room.emailChanges.confirm(second)
    await expect(room.emailChanges.confirm(second)).rejects.toMatchObject(expired)
    const late = await link('two@example.com')
    room.pass(60 * 60_000)
    await expect(room.emailChanges.confirm(late)).rejects.toMatchObject(expired)
    await expect(room.forgottenPasswords.reset({ token: late, newPassword: password }, at)).rejects.toMatchObject(
      expired,
    )
  })

  test('says the same for an address that has an account: only its letter tells', async () => {
    const room = await ada()
    const grace = await room.records.create({ email: 'grace@example.com', password: null })
    expect(await room.ask(grace.email)).toBeNull()
    expect(await room.accounts.credentialsOf(room.account.id)).toMatchObject({ pendingEmail: grace.email })
    const [letter] = await room.posted.take()
    expect(letter).toMatchObject({ to: grace.email, subject: expect.stringContaining('already') })
    expect(letter?.text).not.toContain('#token=')
  })

  test('is refused at the end where somebody has got the address meanwhile', async () => {
    const room = await ada()
    await room.ask()
    const [letter] = await room.posted.take()
    if (!letter) throw new Error('no letter')
    await room.records.create({ email: wanted, password: null })
    await expect(room.emailChanges.confirm(tokenIn(letter))).rejects.toMatchObject({ code: 'account_exists' })
    expect((await room.accounts.read(room.account.id))?.email).toBe(email)
  })

  test('without mail is done at once, and nobody vouches for the address', async () => {
    const room = await ada({})
    await room.records.change(room.account.id, (draft) => void (draft.vouched = true))
    expect(await room.ask()).toEqual({ account: { ...room.account, email: wanted }, before: email })
    expect((await room.records.find(room.account.id))?.vouched).toBeUndefined()
    const grace = await room.records.create({ email: 'grace@example.com', password: null })
    await room.lifecycle.create(grace.id, { slug: 'docs' })
    const { id, code } = await room.invitations.create('docs', { email: wanted, role: 'writer' })
    expect(await room.invitations.received(room.account.id)).toMatchObject([{ needsCode: true }])
    await expect(room.invitations.accept(room.account.id, id, undefined)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await room.invitations.accept(room.account.id, id, code)).toMatchObject({ projectId: 'docs' })
  })

  test('without mail tells of other accounts as often as signing up does, both together', async () => {
    const room = await ada({})
    const taken = { code: 'account_exists' }
    for (let count = 0; count < 4; count++) {
      await room.records.create({ email: `${count}@example.com`, password: null })
      await expect(room.ask(`${count}@example.com`)).rejects.toMatchObject(taken)
    }
    await expect(room.accounts.signup({ email, password }, browser(at))).rejects.toMatchObject(taken)
    await expect(room.ask('0@example.com')).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(room.ask('free@example.com')).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('once confirmed needs no code for invitations of the new address, and leaves those of the old one', async () => {
    const room = await ada()
    const grace = await room.records.create({ email: 'grace@example.com', password: null })
    for (const slug of ['docs', 'atlas']) await room.lifecycle.create(grace.id, { slug })
    await room.invitations.create('docs', { email: wanted, role: 'writer' })
    const old = await room.invitations.create('atlas', { email, role: 'writer' })
    await room.ask()
    const [letter] = await room.posted.take()
    if (!letter) throw new Error('no letter')
    await room.emailChanges.confirm(tokenIn(letter))
    expect(await room.invitations.received(room.account.id)).toMatchObject([{ project: 'docs', needsCode: false }])
    // The mailbox is not this account’s any more: proving one must not open what the other was invited to.
    const accept = room.invitations.accept(room.account.id, old.id, undefined)
    await expect(accept).rejects.toMatchObject({ code: 'not_found', hint: expect.stringContaining('another address') })
    expect(await room.invitations.list('atlas')).toMatchObject([{ email }])
  })

  test('is refused with a wrong password, without one, and for the address that it has', async () => {
    const room = await ada()
    await expect(room.ask(wanted, 'wrong')).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/password' }],
    })
    await expect(room.ask('ADA@example.com')).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/email' }],
    })
    await room.records.change(room.account.id, (draft) => void (draft.password = null))
    await expect(room.ask()).rejects.toMatchObject({
      code: 'invalid_request',
      hint: expect.stringContaining('identity provider'),
    })
    expect(await room.posted.take()).toEqual([])
  })

  test('is taken back by a new password, and by an identity provider that knows who the address belongs to', async () => {
    const room = await ada()
    const link = async (to: string) => {
      await room.ask(to)
      const [letter] = await room.posted.take()
      if (!letter) throw new Error('no letter')
      return tokenIn(letter)
    }
    const first = await link(wanted)
    const change = { currentPassword: password, newPassword: password }
    await room.accounts.changePassword(room.account.id, change, { token: room.session, address: at })
    await expect(room.emailChanges.confirm(first)).rejects.toMatchObject({ code: 'expired_token' })
    const second = await link(wanted)
    const identities = new Identities({ records: room.records, sessions: room.sessions, signup: 'open' })
    await identities.signIn({ issuer: 'https://id.example', subject: 'ada', email, emailVerified: true }, browser())
    await expect(room.emailChanges.confirm(second)).rejects.toMatchObject({ code: 'expired_token' })
  })

  test('is asked for five times an hour, and leaves nothing where its letter cannot be posted', async () => {
    const room = await ada()
    room.posted.refusal = new Failure('rate_limited', 'Too many letters wait.')
    await expect(room.ask()).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await room.accounts.credentialsOf(room.account.id)).toEqual({ hasPassword: true })
    room.posted.refusal = null
    for (let count = 0; count < 4; count++) await room.ask(`${count}@example.com`)
    await expect(room.ask()).rejects.toMatchObject({
      message: 'You have asked five times within an hour to change your email address, as often as you may.',
      hint: 'Follow the link in the last letter, also among junk, or ask again in 60 minutes.',
    })
  })
})
