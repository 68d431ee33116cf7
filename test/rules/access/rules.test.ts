import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { authorize, demand, type Principal, type ProjectAccess } from '#access/principal.ts'
import { pageOf } from '#lib/pages.ts'
import { slugFault } from '#contract/patterns.ts'
import { hashToken, mintToken, newId, tokenKind } from '#access/tokens.ts'
import { Failure } from '#contract/failure.ts'
import type { EndpointAccess, Scope } from '#contract/endpoint.ts'
import { assertSlug } from '#projects/slugs.ts'

const account = { id: 'acc_1', email: 'ada@example.com', createdAt: '2026-01-01T00:00:00.000Z' }
const owner: Principal = { kind: 'account', account, token: 'quire_s_x' }
const stranger: Principal = { kind: 'account', account: { ...account, id: 'acc_2' }, token: 'quire_s_y' }
const writer: Principal = { kind: 'account', account: { ...account, id: 'acc_3' }, token: 'quire_s_z' }
const keyWith = (...scopes: Scope[]): Principal => ({
  kind: 'key',
  project: 'leaves',
  key: { id: 'key_1', name: 'ci', scopes },
})
const leaves: ProjectAccess = { id: 'leaves', owner: 'acc_1', writers: ['acc_3'] }
const other: ProjectAccess = { id: 'other', owner: 'acc_1', writers: [] }

/** Code of the failure that `demand` throws, or ok. */
function refusalOf(...request: Parameters<typeof demand>): string {
  try {
    demand(...request)
    return 'ok'
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

describe('who may call what', () => {
  test.each<[string, Principal, EndpointAccess, ProjectAccess | null | undefined, string]>([
    ['nobody, public', null, 'public', undefined, 'ok'],
    ['nobody, public, of a project', null, 'public', leaves, 'ok'],
    ['nobody, an account’s', null, 'account', undefined, 'unauthenticated'],
    ['nobody, a project’s', null, 'read', leaves, 'unauthenticated'],
    ['nobody, of no project', null, 'read', null, 'unauthenticated'],
    ['an account, an account’s', owner, 'account', undefined, 'ok'],
    ['the owner, reading', owner, 'read', leaves, 'ok'],
    ['the owner, administering', owner, 'admin', leaves, 'ok'],
    ['the owner, of no project', owner, 'read', null, 'not_found'],
    ['a writer, reading', writer, 'read', leaves, 'ok'],
    ['a writer, writing', writer, 'write', leaves, 'ok'],
    ['a writer, deploying', writer, 'deploy', leaves, 'ok'],
    ['a writer, administering', writer, 'admin', leaves, 'forbidden'],
    ['a writer, another project', writer, 'read', other, 'not_found'],
    ['another account', stranger, 'read', leaves, 'not_found'],
    ['another account, administering', stranger, 'admin', leaves, 'not_found'],
    ['a key, an account’s', keyWith('admin'), 'account', undefined, 'forbidden'],
    ['a key, its project', keyWith('read'), 'read', leaves, 'ok'],
    ['a key, deploying without a project in the path', keyWith('deploy'), 'deploy', undefined, 'ok'],
    ['a key without the scope', keyWith('read', 'write', 'deploy'), 'admin', leaves, 'forbidden'],
    ['an admin key has admin only', keyWith('admin'), 'deploy', leaves, 'forbidden'],
    ['a key, another project of its owner', keyWith('read'), 'read', other, 'not_found'],
    ['a key without the scope, another project', keyWith('read'), 'admin', other, 'not_found'],
    ['a key, of no project', keyWith('read'), 'read', null, 'not_found'],
  ])('%s', (_who, principal, access, project, decision) => {
    expect(authorize(principal, access, project)).toBe(decision)
    expect(refusalOf(principal, access, project)).toBe(decision)
  })

  test('a refusal says which scope is missing', () => {
    expect(() => demand(keyWith('read'), 'deploy', leaves)).toThrow('lacks the scope deploy')
  })
})

describe('slugs', () => {
  test.each(['a', 'leaves', 'my-project', '1', '0ad', 'docs', 'a'.repeat(63), 'service', 'a-b-c'])(
    '%s may be one',
    (slug) => expect(slugFault(slug)).toBeUndefined(),
  )
  test.each([
    ['', 'empty'],
    ['a'.repeat(64), '64 characters'],
    ['Leaves', 'capital'],
    ['-a', 'hyphen'],
    ['a-', 'hyphen'],
    ['a--b', 'two hyphens'],
    ['xn--caf-dma', 'two hyphens'],
    ['a.b', 'letters, digits and hyphens'],
    ['a_b', 'letters, digits and hyphens'],
    ['café', 'letters, digits and hyphens'],
    ['a/../b', 'letters, digits and hyphens'],
    ['a\n', 'letters, digits and hyphens'],
  ])('%j may not: %s', (slug, fault) => expect(slugFault(slug)).toContain(fault))
  test.each(['www', 'api', 'localhost'])('%s is kept for the service', (slug) =>
    expect(() => assertSlug(slug)).toThrow('is reserved for the service'),
  )
})

describe('tokens', () => {
  test('say what they are, and are never the same', () => {
    const keys = Array.from({ length: 200 }, () => mintToken('key'))
    expect(new Set(keys).size).toBe(200)
    for (const key of keys) expect(key).toMatch(/^quire_[0-9A-Za-z]{49}$/)
    expect(mintToken('session')).toMatch(/^quire_s_[0-9A-Za-z]{49}$/)
    expect([tokenKind(mintToken('key')), tokenKind(mintToken('session'))]).toEqual(['key', 'session'])
  })

  test('a slip of one character is noticed', () => {
    const key = mintToken('key')
    for (let at = 6; at < key.length; at++) {
      const slip = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1)
      expect(tokenKind(slip)).toBeNull()
    }
  })

  test('anything else is no token', () => {
    const none = fc.property(fc.string(), (text) => {
      expect([tokenKind(text), tokenKind(`quire_${text}`)]).toEqual([null, null])
    })
    fc.assert(none)
  })

  test('are stored as SHA-256', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('ids are short and many', () => {
    expect(newId('key')).toMatch(/^key_[0-9A-Za-z]{16}$/)
    expect(new Set(Array.from({ length: 1000 }, () => newId('a'))).size).toBe(1000)
  })
})

describe('pages of a list', () => {
  const place = (text: string): string => text

  test('follow each other, newest first, whatever is added meanwhile', () => {
    const items = ['2026-01', '2026-03', '2026-02', '2026-04', '2026-05']
    const first = pageOf(items, { limit: 2 }, place)
    expect(first.items).toEqual(['2026-05', '2026-04'])
    const second = pageOf([...items, '2026-06'], { limit: 2, cursor: first.nextCursor ?? '' }, place)
    expect(second.items).toEqual(['2026-03', '2026-02'])
    const last = pageOf(items, { limit: 2, cursor: second.nextCursor ?? '' }, place)
    expect(last).toEqual({ items: ['2026-01'] })
  })

  test.each(['', 'not a cursor', '%%%', 'a==='])('the cursor %j is refused', (cursor) => {
    expect(() => pageOf(['a'], { cursor }, place)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }) as Error,
    )
  })
})
