import { describe, expect, test } from 'vitest'
import { AccountRemoval } from '#access/account-removal.ts'
import { projectDocument, type ProjectDocument } from '#projects/document.ts'
import { Identities } from '#access/identities.ts'
import { browser, openAccess, type AccessRoom } from '#test/support/access.ts'

const email = 'ada@example.com'
const ada = { issuer: 'https://id.example', subject: 'ada', email, emailVerified: true }

/** Ada, who signs in through a provider, and Grace, who owns the project docs that Ada writes. */
async function people() {
  const room = await openAccess()
  const identities = new Identities({ records: room.records, sessions: room.sessions, signup: 'open' })
  const { token, account } = await identities.signIn(ada, browser())
  const grace = await room.records.create({ email: 'grace@example.com', password: null })
  await room.lifecycle.create(grace.id, { slug: 'docs' })
  await room.members.add('docs', email)
  return { ...room, identities, token, account, grace }
}

async function writersOf({ members }: Pick<AccessRoom, 'members'>, slug: string): Promise<string[]> {
  return (await members.list(slug)).flatMap((member) => (member.role === 'writer' ? [member.email] : []))
}

describe('removing an account', () => {
  test('ends its sessions and its part in projects, and nobody is it any more', async () => {
    const room = await people()
    expect(await room.removal.removeByEmail('ADA@example.com')).toEqual({
      account: room.account,
      left: [{ id: 'docs', slug: 'docs' }],
    })
    expect(await room.authenticator.identify(room.token)).toBeNull()
    expect(await room.sessions.list(room.account.id)).toEqual([])
    expect(await writersOf(room, 'docs')).toEqual([])
    expect((await room.accounts.list()).map((account) => account.email)).toEqual(['grace@example.com'])
  })

  test('frees its address and its identity for an account that has nothing of the old one', async () => {
    const room = await people()
    await room.removal.removeByEmail(email)
    const again = await room.identities.signIn(ada, browser())
    expect(again.account.id).not.toBe(room.account.id)
    expect((await room.projects.list(again.account.id)).items).toEqual([])
  })

  test('does nothing when there is none', async () => {
    const room = await people()
    await room.removal.removeByEmail(email)
    expect(await room.removal.removeByEmail(email)).toBeNull()
  })

  test('is refused while it owns projects, which it names, and changes nothing', async () => {
    const room = await people()
    await room.lifecycle.create(room.account.id, { slug: 'leaves' })
    await room.lifecycle.create(room.account.id, { slug: 'atlas' })
    await expect(room.removal.removeByEmail(email)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'ada@example.com owns 2 projects: atlas, leaves.',
      hint: expect.stringContaining('quire admin transfer'),
    })
    expect(await room.authenticator.identify(room.token)).not.toBeNull()
    expect(await writersOf(room, 'docs')).toEqual([email])
    await room.members.add('atlas', 'grace@example.com')
    await room.members.transfer('atlas', room.grace.id)
    await expect(room.removal.removeByEmail(email)).rejects.toThrow('owns the project leaves.')
    await room.lifecycle.remove('leaves')
    expect(await room.removal.removeByEmail(email)).toMatchObject({
      left: [
        { id: 'atlas', slug: 'atlas' },
        { id: 'docs', slug: 'docs' },
      ],
    })
  })

  test('is refused when it is given a project at that moment, and leaves it able to sign in', async () => {
    const room = await people()
    const giving = {
      remove: async (slug: string, id: string): Promise<void> => {
        await room.store.mutate<ProjectDocument, void>(projectDocument(slug), (draft) => ({
          document: draft && { ...draft, owner: id, members: [] },
          result: undefined,
        }))
        await room.members.remove(slug, id)
      },
    }
    const removal = new AccountRemoval({ ...room, members: giving })
    await expect(removal.removeByEmail(email)).rejects.toThrow('owns the project docs.')
    expect((await room.identities.signIn(ada, browser())).account.id).toBe(room.account.id)
    expect(await room.authenticator.identify(room.token)).not.toBeNull()
  })

  test('that was cut off keeps its sessions out and its address taken, and goes on when it is asked for again', async () => {
    const room = await people()
    await room.records.beginRemoval(room.account.id)
    expect(await room.authenticator.identify(room.token)).toBeNull()
    await expect(room.identities.signIn(ada, browser())).rejects.toMatchObject({ code: 'account_exists' })
    await expect(room.members.add('docs', email)).rejects.toMatchObject({ code: 'not_found' })
    expect(await writersOf(room, 'docs')).toEqual([])
    expect(await room.removal.removeByEmail(email)).toMatchObject({ left: [{ id: 'docs', slug: 'docs' }] })
    expect((await room.accounts.list()).map((account) => account.email)).toEqual(['grace@example.com'])
  })
})
