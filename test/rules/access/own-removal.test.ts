import { describe, expect, test } from 'vitest'
import { OwnRemoval } from '#access/own-removal.ts'
import { browser, openAccess } from '#test/support/access.ts'

const email = 'ada@example.com'
const password = 'correct horse battery'
const at = '192.0.2.1'

/** Ada, who owns two projects and writes one of Grace’s. */
async function ada() {
  const room = await openAccess()
  const { account, token } = await room.accounts.signup({ email, password }, browser(at))
  const grace = await room.records.create({ email: 'grace@example.com', password: null })
  await room.lifecycle.create(grace.id, { slug: 'docs' })
  await room.members.add('docs', email)
  for (const slug of ['leaves', 'atlas']) await room.lifecycle.create(account.id, { slug })
  return { ...room, account, session: token, grace }
}

describe('an account that its owner deletes', () => {
  test('is told what goes with it', async () => {
    const { ownRemoval, account, grace } = await ada()
    const owned = ['atlas', 'leaves']
    expect(await ownRemoval.read(account.id)).toEqual({ proof: 'password', owned, ownedCount: 2, writtenCount: 1 })
    expect(await ownRemoval.read(grace.id)).toMatchObject({ proof: 'email', owned: ['docs'], writtenCount: 0 })
  })

  test('stays while it owns projects, which are named', async () => {
    const { ownRemoval, account, authenticator, session } = await ada()
    await expect(ownRemoval.remove(account.id, { password }, at)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'You own 2 projects: atlas, leaves.',
      hint: expect.stringContaining('invitation'),
      extra: { projects: ['atlas', 'leaves'] },
    })
    expect(await authenticator.identify(session)).not.toBeNull()
  })

  test('goes with its projects, its sessions and its part in projects of others where that is said', async () => {
    const room = await ada()
    const removed = await room.ownRemoval.remove(room.account.id, { password, projects: 'delete' }, at)
    expect(removed).toEqual({ account: room.account, left: [{ id: 'docs', slug: 'docs' }] })
    expect(await room.authenticator.identify(room.session)).toBeNull()
    expect(await room.projects.ids()).toEqual(['docs'])
    expect(await room.members.list('docs')).toMatchObject([{ email: 'grace@example.com' }])
    expect(await room.records.findByEmail(email)).toBeUndefined()
  })

  test('takes the password, or the address typed where there is none', async () => {
    const { ownRemoval, account, grace } = await ada()
    for (const wrong of [{}, { password: 'wrong' }, { email }])
      await expect(ownRemoval.remove(account.id, { ...wrong, projects: 'delete' }, at)).rejects.toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer: '/password' }],
      })
    for (const wrong of [{}, { password }, { email }])
      await expect(ownRemoval.remove(grace.id, { ...wrong, projects: 'delete' }, at)).rejects.toMatchObject({
        errors: [{ pointer: '/email' }],
      })
    const typed = { email: 'Grace@example.com', projects: 'delete' } as const
    expect(await ownRemoval.remove(grace.id, typed, at)).toMatchObject({ account: { email: 'grace@example.com' } })
  })

  test('takes nobody along who gets its address while its projects go', async () => {
    const room = await ada()
    let other = ''
    const lifecycle = {
      remove: async (project: string) => {
        await room.lifecycle.remove(project)
        if (other !== '') return
        await room.records.changeEmail(room.account.id, 'lovelace@example.com', () => undefined)
        other = (await room.records.create({ email, password: null })).id
      },
    }
    const ownRemoval = new OwnRemoval({ ...room, lifecycle, check: { isRight: async () => true } })
    await ownRemoval.remove(room.account.id, { password, projects: 'delete' }, at)
    expect(await room.records.find(room.account.id)).toBeUndefined()
    expect(await room.records.find(other)).toMatchObject({ email })
  })

  test('leaves the invitations of an address that it only claimed', async () => {
    const room = await ada()
    await room.invitations.create('docs', { email, role: 'writer' })
    await room.ownRemoval.remove(room.account.id, { password, projects: 'delete' }, at)
    expect(await room.invitations.list('docs')).toMatchObject([{ email }])
  })

  test('is gone after the next start where the service was killed amidst it', async () => {
    const room = await ada()
    for (const slug of ['leaves', 'atlas']) await room.lifecycle.remove(slug)
    await room.records.beginRemoval(room.account.id)
    const errors: unknown[] = []
    await room.removal.recover((error) => errors.push(error))
    expect(errors).toEqual([])
    expect((await room.accounts.list()).map((one) => one.email)).toEqual(['grace@example.com'])
    expect(await room.members.list('docs')).toHaveLength(1)
  })
})
