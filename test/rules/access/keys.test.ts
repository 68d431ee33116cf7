import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CreatedKey } from '#contract/keys.ts'
import { openAccess, type AccessRoom, type AccessSettings } from '#test/support/access.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

async function openWithProject(settings: AccessSettings = {}): Promise<AccessRoom> {
  const room = await openAccess(settings)
  await room.lifecycle.create('acc_ada', { slug: 'leaves', title: 'Leaves' })
  return room
}

describe('keys', () => {
  const identify = ({ authenticator }: AccessRoom, { key }: CreatedKey) => authenticator.identify(key)

  test('a key is shown once and stored as its hash', async () => {
    const directory = await temporaryDirectory()
    const room = await openWithProject({ directory })
    const created = await room.keys.create('leaves', { name: 'ci' })
    expect(created).toMatchObject({
      name: 'ci',
      scopes: ['read', 'write', 'deploy', 'generate'],
      created_at: '2026-11-21T12:00:00.000Z',
    })
    expect(created).not.toHaveProperty('expiresAt')
    expect(created.key.startsWith(created.prefix)).toBe(true)
    const file = await readFile(join(directory, 'leaves.json'), 'utf8')
    expect(file).toContain('"key_hash"')
    expect(file).not.toContain(created.key)
    const { items } = await room.keys.list('leaves')
    expect(JSON.stringify(items)).not.toMatch(/key_hash|"key"/)
    expect(items).toMatchObject([{ id: created.id, name: 'ci' }])
  })

  test('a key says project, scopes and name, also after a restart', async () => {
    const directory = await temporaryDirectory()
    const room = await openWithProject({ directory })
    const created = await room.keys.create('leaves', { name: 'ci', scopes: ['deploy'] })
    const principal = { kind: 'key', project: 'leaves', key: { id: created.id, name: 'ci', scopes: ['deploy'] } }
    expect(await identify(room, created)).toEqual(principal)
    await room.store.close()
    expect(await identify(await openAccess({ directory }), created)).toEqual(principal)
  })

  test('a revoked key is refused from the next request on; the others work', async () => {
    const room = await openWithProject()
    const [first, second] = [
      await room.keys.create('leaves', { name: 'a' }),
      await room.keys.create('leaves', { name: 'b' }),
    ]
    await room.keys.revoke('leaves', first.id)
    expect(await identify(room, first)).toBeNull()
    expect(await identify(room, second)).not.toBeNull()
    await expect(room.keys.revoke('leaves', first.id)).rejects.toMatchObject({ code: 'not_found' })
    await room.lifecycle.create('acc_ada', { slug: 'other' })
    await expect(room.keys.revoke('other', second.id)).rejects.toMatchObject({ code: 'not_found' })
    expect(await identify(room, second)).not.toBeNull()
  })

  test('a key ends when it was to; one cannot be made that has ended', async () => {
    const room = await openWithProject()
    const created = await room.keys.create('leaves', { name: 'ci', expiresAt: '2026-11-21T15:00:00+02:00' })
    expect(created.expiresAt).toBe('2026-11-21T13:00:00.000Z')
    room.pass(59 * 60_000)
    expect(await identify(room, created)).not.toBeNull()
    room.pass(60_000)
    expect(await identify(room, created)).toBeNull()
    const ended = room.keys.create('leaves', { name: 'ci', expiresAt: '2026-11-21T13:00:00Z' })
    await expect(ended).rejects.toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/expiresAt' }] })
  })

  test('the last use shows at once and is written later, without any request waiting for it', async () => {
    const directory = await temporaryDirectory()
    const room = await openWithProject({ directory })
    const created = await room.keys.create('leaves', { name: 'ci' })
    const file = (): Promise<string> => readFile(join(directory, 'leaves.json'), 'utf8')
    expect((await room.keys.list('leaves')).items[0]).not.toHaveProperty('last_used_at')
    room.pass(5000)
    await identify(room, created)
    expect((await room.keys.list('leaves')).items[0]?.last_used_at).toBe('2026-11-21T12:00:05.000Z')
    expect(await file()).not.toContain('last_used_at')
    await room.lastUse.flush()
    expect(await file()).toContain('"last_used_at":"2026-11-21T12:00:05.000Z"')
    expect((await room.keys.list('leaves')).items[0]?.last_used_at).toBe('2026-11-21T12:00:05.000Z')
    room.pass(60_000)
    await identify(room, created)
    await room.lastUse.flush()
    expect(await file()).toContain('"last_used_at":"2026-11-21T12:01:05.000Z"')
    expect(room.errors).toEqual([])
  })

  test('a project has at most a hundred', async () => {
    const { keys } = await openWithProject()
    await Promise.all(Array.from({ length: 100 }, (_, index) => keys.create('leaves', { name: String(index) })))
    await expect(keys.create('leaves', { name: 'more' })).rejects.toMatchObject({ code: 'invalid_request' })
    expect((await keys.list('leaves', { limit: 200 })).items).toHaveLength(100)
  })

  test('a project that is not there has none', async () => {
    const { keys } = await openWithProject()
    await expect(keys.create('none', { name: 'x' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(keys.list('none')).rejects.toMatchObject({ code: 'not_found' })
  })
})
