import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { mintToken } from '#access/tokens.ts'
import type { Store } from '#storage/store.ts'
import { browser, openAccess } from '#test/support/access.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const password = 'correct horse battery'
const people = Array.from({ length: 40 }, (_, index) => `acc_${index}`)

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

async function write(store: Store, name: string, sessions: Readonly<Record<string, unknown>>): Promise<void> {
  await store.mutate(name, () => ({ document: { sessions }, result: undefined }))
}

describe('stored sessions', () => {
  test('of many accounts lie in many documents, and those of one account in one', async () => {
    const { sessions, store } = await openAccess()
    const tokens = new Map<string, string>()
    for (const account of people) tokens.set(account, await sessions.begin(account, browser()))
    expect((await store.list('sessions/')).length).toBeGreaterThan(20)
    for (const [account, token] of tokens) expect(await sessions.find(token)).toBe(account)
    const before = new Map<string, unknown>()
    for (const at of await store.list('sessions/')) before.set(at, await store.read(at))
    for (let index = 0; index < 5; index++) await sessions.begin('acc_7', browser())
    const changed: string[] = []
    for (const name of await store.list('sessions/'))
      if ((await store.read(name)) !== before.get(name)) changed.push(name)
    expect(changed).toHaveLength(1)
  })

  test('that lie together do not end together', async () => {
    const { sessions, store } = await openAccess()
    const many = Array.from({ length: 300 }, (_, index) => `acc_${index}`)
    const begun = many.map(async (account) => [account, await sessions.begin(account, browser())] as const)
    const tokens = new Map(await Promise.all(begun))
    expect((await store.list('sessions/')).length).toBeLessThan(tokens.size)
    await sessions.endAll('acc_7')
    for (const [account, token] of tokens) expect(await sessions.find(token)).toBe(account === 'acc_7' ? null : account)
    expect(await sessions.list('acc_7')).toEqual([])
    expect(await sessions.list('acc_8')).toHaveLength(1)
  })

  test('are found after a restart, and those that were ended are not', async () => {
    const directory = await temporaryDirectory()
    const room = await openAccess({ directory })
    const kept = await room.sessions.begin('acc_1', browser())
    const ended = await room.sessions.begin('acc_1', browser())
    await room.sessions.end(ended)
    await room.store.close()
    const next = await openAccess({ directory })
    expect(await next.sessions.find(kept)).toBe('acc_1')
    expect(await next.sessions.find(ended)).toBeNull()
  })
})

describe('sessions of an earlier version, in one document', () => {
  const old = (account: string, usedAt = '2026-11-20T12:00:00.000Z') => ({ account, createdAt: usedAt, usedAt })

  test('are taken over', async () => {
    const directory = await temporaryDirectory()
    const room = await openAccess({ directory })
    const tokens = new Map(people.map((account) => [mintToken('session'), account]))
    const all = Object.fromEntries([...tokens].map(([token, account]) => [hashOf(token), old(account)]))
    await write(room.store, 'sessions', all)
    await room.store.close()
    const next = await openAccess({ directory })
    for (const [token, account] of tokens) expect(await next.sessions.find(token)).toBe(account)
    expect(await next.sessions.list('acc_3')).toHaveLength(1)
    expect(await next.store.read('sessions')).toBeUndefined()
    expect(await readdir(directory)).not.toContain('_sessions.json')
  })

  test('are taken over by a start that comes after one that was cut off on the way', async () => {
    const directory = await temporaryDirectory()
    const room = await openAccess({ directory })
    const early = await room.sessions.begin('acc_1', browser())
    const late = mintToken('session')
    const both = { [hashOf(early)]: old('acc_1', '2026-11-01T12:00:00.000Z'), [hashOf(late)]: old('acc_2') }
    await write(room.store, 'sessions', both)
    await room.store.close()
    const next = await openAccess({ directory })
    expect(await next.sessions.find(late)).toBe('acc_2')
    // What the start before had moved already is newer.
    expect(await next.sessions.list('acc_1')).toMatchObject([{ usedAt: '2026-11-21T12:00:00.000Z' }])
  })

  test('end with a new password as before', async () => {
    const directory = await temporaryDirectory()
    const room = await openAccess({ directory })
    const { account } = await room.accounts.signup({ email: 'a@b.org', password }, browser())
    const token = mintToken('session')
    await write(room.store, 'sessions', { [hashOf(token)]: old(account.id) })
    await room.store.close()
    const next = await openAccess({ directory })
    expect(await next.sessions.find(token)).toBe(account.id)
    await next.accounts.resetPassword('a@b.org')
    expect(await next.sessions.find(token)).toBeNull()
  })
})
