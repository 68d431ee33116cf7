import { describe, expect, test } from 'vitest'
import { browser, openAccess, type AccessRoom } from '#test/support/access.ts'

const password = 'correct horse battery'

interface Team extends AccessRoom {
  readonly ada: string
  readonly bob: string
  readonly cleo: string
}

/** Ada’s project on the Pro plan, and two others with accounts. */
async function openTeam(settings: Parameters<typeof openAccess>[0] = {}): Promise<Team> {
  const room = await openAccess(settings)
  const create = async (email: string): Promise<string> =>
    (await room.accounts.signup({ email, password }, browser())).account.id
  const [ada, bob, cleo] = [await create('ada@b.org'), await create('bob@b.org'), await create('cleo@b.org')]
  await room.accounts.setPlan('ada@b.org', 'pro')
  await room.lifecycle.create(ada, { slug: 'leaves' })
  return { ...room, ada, bob, cleo }
}

const slugsOf = async ({ projects }: AccessRoom, account: string): Promise<string[]> =>
  (await projects.list(account)).items.map(({ slug }) => slug)

describe('members of a project', () => {
  test('may be given more projects by an operator than they could make', async () => {
    const { bob, lifecycle, members, projects } = await openTeam({ most: 1 })
    await lifecycle.create(bob, { slug: 'bobs' })
    await members.add('leaves', 'bob@b.org')
    await members.transfer('leaves', bob)
    expect(projects.ownerOf('leaves')).toBe(bob)
  })

  test('are its owner, and writers by the address of their account', async () => {
    const team = await openTeam()
    team.pass(1000)
    const added = await team.members.add('leaves', ' Bob@B.org')
    expect(added).toEqual({
      id: team.bob,
      name: 'bob',
      email: 'bob@b.org',
      role: 'writer',
      addedAt: '2026-11-21T12:00:01.000Z',
    })
    expect(await team.members.list('leaves')).toEqual([
      { id: team.ada, name: 'ada', email: 'ada@b.org', role: 'owner', addedAt: '2026-11-21T12:00:00.000Z' },
      added,
    ])
    expect(await slugsOf(team, team.bob)).toEqual(['leaves'])
    expect(await slugsOf(team, team.cleo)).toEqual([])
    expect((await team.projects.read('leaves')).writers).toEqual([team.bob])
  })

  test('stay what they are when they are added again', async () => {
    const { members, ada, bob } = await openTeam()
    await Promise.all([members.add('leaves', 'bob@b.org'), members.add('leaves', 'bob@b.org')])
    expect(await members.add('leaves', 'ada@b.org')).toMatchObject({ id: ada, role: 'owner' })
    expect((await members.list('leaves')).map(({ id }) => id)).toEqual([ada, bob])
  })

  test('need an account', async () => {
    const { members } = await openTeam()
    await expect(members.add('leaves', 'nobody@b.org')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('nobody@b.org'),
      errors: [{ pointer: '/email' }],
    })
    await expect(members.add('none', 'bob@b.org')).rejects.toMatchObject({ code: 'not_found' })
    await expect(members.list('none')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('are strangers once removed; the owner cannot be', async () => {
    const team = await openTeam()
    await team.members.add('leaves', 'bob@b.org')
    await team.members.remove('leaves', team.bob)
    expect(await slugsOf(team, team.bob)).toEqual([])
    await expect(team.members.remove('leaves', team.bob)).rejects.toMatchObject({ code: 'not_found' })
    await expect(team.members.remove('leaves', team.ada)).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('a writer who is given the project owns it, and its plan counts', async () => {
    const team = await openTeam()
    team.pass(1000)
    await team.members.add('leaves', 'bob@b.org')
    expect((await team.projects.read('leaves')).plan).toBe('pro')
    expect(await team.members.transfer('leaves', team.bob)).toMatchObject({ email: 'bob@b.org', role: 'owner' })
    expect(await team.members.list('leaves')).toEqual([
      { id: team.bob, name: 'bob', email: 'bob@b.org', role: 'owner', addedAt: '2026-11-21T12:00:01.000Z' },
      { id: team.ada, name: 'ada', email: 'ada@b.org', role: 'writer', addedAt: '2026-11-21T12:00:00.000Z' },
    ])
    expect(await team.projects.read('leaves')).toMatchObject({ owner: team.bob, writers: [team.ada], plan: 'free' })
    await team.members.transfer('leaves', team.ada)
    expect((await team.members.list('leaves'))[0]).toMatchObject({
      id: team.ada,
      addedAt: '2026-11-21T12:00:00.000Z',
    })
    await expect(team.members.transfer('leaves', team.cleo)).rejects.toMatchObject({ code: 'not_found' })
    expect((await team.members.transfer('leaves', team.ada)).role).toBe('owner')
  })

  test('are at most a hundred writers', async () => {
    const { members, store, ada } = await openTeam()
    const full = Array.from({ length: 100 }, () => ({ account: ada, addedAt: '2026-01-01T00:00:00.000Z' }))
    await store.mutate<Record<string, unknown>, void>('project/leaves', (draft) => ({
      document: { ...draft, members: full },
      result: undefined,
    }))
    await expect(members.add('leaves', 'bob@b.org')).rejects.toMatchObject({ code: 'invalid_request' })
  })
})
