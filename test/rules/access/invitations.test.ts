import { expect, test } from 'vitest'
import { browser, openAccess } from '#test/support/access.ts'

const password = 'correct horse battery'

test('an account whose address somebody vouches for accepts without the code', async () => {
  const room = await openAccess()
  const ada = (await room.accounts.signup({ email: 'ada@b.org', password }, browser())).account.id
  await room.lifecycle.create(ada, { slug: 'leaves' })
  const { account } = await room.accounts.createByOperator('bob@b.org')
  const { id } = await room.invitations.create('leaves', { email: 'bob@b.org', role: 'owner' })
  expect(await room.invitations.received(account.id)).toMatchObject([{ id, needsCode: false }])
  await room.invitations.accept(account.id, id, undefined)
  expect(await room.projects.read('leaves')).toMatchObject({ owner: account.id, writers: [ada] })
  expect(room.projects.ownerOf('leaves')).toBe(account.id)
})

test('an account that owns as many projects as it may can write another one, not own it', async () => {
  const room = await openAccess({ most: 1 })
  const ada = (await room.accounts.signup({ email: 'ada@b.org', password }, browser())).account.id
  await room.lifecycle.create(ada, { slug: 'leaves' })
  const { account } = await room.accounts.createByOperator('bob@b.org')
  await room.lifecycle.create(account.id, { slug: 'bobs' })
  const owning = await room.invitations.create('leaves', { email: 'bob@b.org', role: 'owner' })
  await expect(room.invitations.accept(account.id, owning.id, undefined)).rejects.toMatchObject({
    code: 'too_many_projects',
  })
  const writing = await room.invitations.create('leaves', { email: 'bob@b.org', role: 'writer' })
  await room.invitations.accept(account.id, writing.id, undefined)
  expect(await room.projects.read('leaves')).toMatchObject({ owner: ada, writers: [account.id] })
})

test('whoever has the address of a removed account next is not invited', async () => {
  const room = await openAccess()
  const ada = (await room.accounts.signup({ email: 'ada@b.org', password }, browser())).account.id
  await room.lifecycle.create(ada, { slug: 'leaves' })
  await room.accounts.createByOperator('bob@b.org')
  await room.invitations.create('leaves', { email: 'bob@b.org', role: 'writer' })
  await room.removal.removeByEmail('bob@b.org')
  const { account } = await room.accounts.createByOperator('bob@b.org')
  expect(await room.invitations.received(account.id)).toEqual([])
  expect(await room.invitations.list('leaves')).toEqual([])
})
