import { describe, expect, test } from 'vitest'
import { openAccess, type AccessRoom } from '#test/support/access.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const dayMs = 24 * 60 * 60_000

async function openWithProject(settings: Parameters<typeof openAccess>[0] = {}): Promise<AccessRoom> {
  const room = await openAccess(settings)
  await room.lifecycle.create('acc_ada', { slug: 'leaves', title: 'Leaves' })
  return room
}

describe('projects', () => {
  test('belong to who made them, newest first', async () => {
    const { projects, lifecycle, pass } = await openWithProject()
    pass(1000)
    await lifecycle.create('acc_bob', { slug: 'bobs' })
    pass(1000)
    await lifecycle.create('acc_ada', { slug: 'service' })
    expect((await projects.list('acc_ada')).items.map(({ slug }) => slug)).toEqual(['service', 'leaves'])
    expect((await projects.list('acc_ada', { limit: 1 })).nextCursor).toEqual(expect.any(String))
    expect(await projects.ids()).toEqual(['bobs', 'leaves', 'service'])
    expect(await projects.read('bobs')).toMatchObject({ title: 'bobs', owner: 'acc_bob', plan: 'free' })
  })

  test('a slug is taken once, also when two try at once', async () => {
    const { lifecycle } = await openWithProject()
    const both = await Promise.allSettled([
      lifecycle.create('acc_ada', { slug: 'fresh' }),
      lifecycle.create('acc_bob', { slug: 'fresh' }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(lifecycle.create('acc_bob', { slug: 'leaves' })).rejects.toMatchObject({ code: 'project_exists' })
    await expect(lifecycle.create('acc_bob', { slug: 'a--b' })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/slug' }],
    })
  })

  test('of one account are as many as it may own, also when many are made at once', async () => {
    const { lifecycle, projects } = await openWithProject({ most: 3 })
    const making = ['a1', 'a2', 'a3', 'a4'].map((slug) => lifecycle.create('acc_ada', { slug }))
    const made = await Promise.allSettled(making)
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    await expect(lifecycle.create('acc_ada', { slug: 'more' })).rejects.toMatchObject({
      code: 'too_many_projects',
      message: 'The account owns 3 projects, and 3 are the most here.',
      hint: expect.stringContaining('MAX_PROJECTS'),
    })
    await lifecycle.create('acc_bob', { slug: 'bobs' })
    await lifecycle.remove('leaves')
    await lifecycle.create('acc_ada', { slug: 'more' })
    expect((await projects.list('acc_ada')).items).toHaveLength(3)
  })

  test('a changed title leaves what other rooms keep in the document', async () => {
    const { projects, store } = await openWithProject()
    await store.mutate<Record<string, unknown>, void>('project/leaves', (draft) => ({
      document: { ...draft, deploying: { next: 7 } },
      result: undefined,
    }))
    expect((await projects.setTitle('leaves', 'Autumn')).title).toBe('Autumn')
    expect(await store.read('project/leaves')).toMatchObject({ title: 'Autumn', deploying: { next: 7 } })
  })

  test('a removed project is gone with its keys', async () => {
    const { projects, lifecycle, keys, authenticator } = await openWithProject()
    const { key } = await keys.create('leaves', { name: 'ci' })
    await lifecycle.remove('leaves')
    expect(await projects.find('leaves')).toBeNull()
    expect(projects.resolve('leaves')).toBeNull()
    expect(await authenticator.identify(key)).toBeNull()
    for (const gone of [
      projects.read('leaves'),
      lifecycle.remove('leaves'),
      lifecycle.rename('leaves', 'twigs'),
      projects.setTitle('leaves', 'x'),
    ])
      await expect(gone).rejects.toMatchObject({ code: 'not_found' })
    await lifecycle.create('acc_ada', { slug: 'leaves' })
    expect(await authenticator.identify(key)).toBeNull()
  })

  test.each(['', '../x', 'a/b', 'LEAVES', '__proto__'])('there is no project %j', async (slug) => {
    const { projects } = await openWithProject()
    expect(await projects.find(slug)).toBeNull()
    expect(projects.resolve(slug)).toBeNull()
  })
})

describe('the slug of a removed project', () => {
  test('is kept for its owner for 90 days, also over a restart', async () => {
    const directory = await temporaryDirectory()
    const room = await openWithProject({ directory })
    await room.lifecycle.remove('leaves')
    const refusal = { code: 'project_exists', message: 'The slug leaves is taken.' }
    await expect(room.lifecycle.create('acc_bob', { slug: 'leaves' })).rejects.toMatchObject({
      ...refusal,
      hint: 'It was left by its project, and is kept for who had it until 2027-02-19. Choose another one.',
    })
    await room.store.close()
    const later = await openAccess({ directory, at: new Date(room.now().getTime() + 89 * dayMs) })
    await expect(later.lifecycle.create('acc_bob', { slug: 'leaves' })).rejects.toMatchObject(refusal)
    later.pass(dayMs)
    expect(await later.lifecycle.create('acc_bob', { slug: 'leaves' })).toMatchObject({ owner: 'acc_bob' })
  })

  test('may be taken again by its owner, for whom it has the same allowance', async () => {
    const { lifecycle } = await openWithProject()
    await lifecycle.remove('leaves')
    expect(await lifecycle.create('acc_ada', { slug: 'leaves' })).toMatchObject({ id: 'leaves', slug: 'leaves' })
    await expect(lifecycle.create('acc_bob', { slug: 'leaves' })).rejects.toMatchObject({ code: 'project_exists' })
  })

  test('is anybody’s at once where the settings say so', async () => {
    const { lifecycle } = await openWithProject({ reservedDays: 0 })
    await lifecycle.remove('leaves')
    expect(await lifecycle.create('acc_bob', { slug: 'leaves' })).toMatchObject({ owner: 'acc_bob' })
  })
})

describe('a renamed project', () => {
  test('keeps its id, its keys and its members; its old slug leads to it, also after a restart', async () => {
    const directory = await temporaryDirectory()
    const room = await openWithProject({ directory })
    const created = await room.keys.create('leaves', { name: 'ci' })
    expect(await room.lifecycle.rename('leaves', 'twigs')).toMatchObject({ id: 'leaves', slug: 'twigs' })
    const resolved = { id: 'leaves', movedTo: 'twigs' }
    expect(room.projects.resolve('twigs')).toEqual({ id: 'leaves', movedTo: null })
    expect(room.projects.resolve('leaves')).toEqual(resolved)
    await room.store.close()
    const again = await openAccess({ directory })
    expect(again.projects.resolve('leaves')).toEqual(resolved)
    expect(await again.authenticator.identify(created.key)).toMatchObject({ project: 'leaves' })
    expect((await again.projects.list('acc_ada')).items).toMatchObject([{ slug: 'twigs' }])
  })

  test('leaves its slug to nobody else until the time is over, then it leads nowhere', async () => {
    const { lifecycle, projects, pass } = await openWithProject()
    await lifecycle.rename('leaves', 'twigs')
    const taking = [
      lifecycle.create('acc_bob', { slug: 'leaves' }),
      lifecycle.create('acc_bob', { slug: 'bobs' }).then(({ id }) => lifecycle.rename(id, 'leaves')),
    ]
    for (const one of taking) await expect(one).rejects.toMatchObject({ code: 'project_exists' })
    pass(90 * dayMs)
    expect(projects.resolve('leaves')).toBeNull()
    const { id } = await lifecycle.create('acc_bob', { slug: 'leaves' })
    // What Ada's project holds is named so.
    expect(id).toMatch(/^leaves-[0-9a-f]{10}$/)
    expect(projects.resolve('leaves')).toEqual({ id, movedTo: null })
    expect(projects.resolve('twigs')).toEqual({ id: 'leaves', movedTo: null })
  })

  test('can have its old slug back, and be renamed again', async () => {
    const { lifecycle, projects } = await openWithProject()
    for (const slug of ['twigs', 'leaves', 'roots']) await lifecycle.rename('leaves', slug)
    expect(projects.resolve('leaves')).toEqual({ id: 'leaves', movedTo: 'roots' })
    expect(projects.resolve('twigs')).toEqual({ id: 'leaves', movedTo: 'roots' })
    expect(await lifecycle.rename('leaves', 'roots')).toMatchObject({ slug: 'roots' })
  })

  test('does not get its old slug back from a new project of its owner', async () => {
    const directory = await temporaryDirectory()
    const room = await openWithProject({ directory })
    await room.lifecycle.rename('leaves', 'twigs')
    const { id } = await room.lifecycle.create('acc_ada', { slug: 'leaves' })
    await room.lifecycle.remove(id)
    expect(room.projects.resolve('leaves')).toBeNull()
    await room.store.close()
    expect((await openAccess({ directory })).projects.resolve('leaves')).toBeNull()
  })

  test('keeps all its slugs for its owner when it is removed', async () => {
    const { lifecycle, projects } = await openWithProject()
    await lifecycle.rename('leaves', 'twigs')
    await lifecycle.remove('leaves')
    for (const slug of ['leaves', 'twigs']) {
      expect(projects.resolve(slug)).toBeNull()
      await expect(lifecycle.create('acc_bob', { slug })).rejects.toMatchObject({ code: 'project_exists' })
      await lifecycle.create('acc_ada', { slug })
    }
  })

  test('holds at most ten former slugs, and none that no project may have', async () => {
    const { lifecycle } = await openWithProject()
    for (let number = 0; number < 10; number++) await lifecycle.rename('leaves', `leaves-${number}`)
    await expect(lifecycle.rename('leaves', 'more')).rejects.toMatchObject({ code: 'invalid_request' })
    await expect(lifecycle.rename('leaves', 'admin')).rejects.toMatchObject({ code: 'invalid_request' })
  })

  test('has the slug for one of two who want it at once', async () => {
    const { lifecycle } = await openWithProject()
    const { id } = await lifecycle.create('acc_bob', { slug: 'bobs' })
    const both = await Promise.allSettled([lifecycle.rename('leaves', 'wanted'), lifecycle.rename(id, 'wanted')])
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  })
})
