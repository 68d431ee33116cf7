import { describe, expect, test } from 'vitest'
import { Passwords } from '#access/passwords.ts'
import { quickPasswords } from '#test/support/access.ts'

const password = 'correct horse battery'

describe('passwords', () => {
  test('are hashed with scrypt, N = 2^16, r = 8, p = 1, and a salt of their own', async () => {
    expect(await new Passwords().hash(password)).toMatch(/^scrypt\$16\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    const passwords = quickPasswords()
    const [first, second] = await Promise.all([passwords.hash(password), passwords.hash(password)])
    expect(first).not.toBe(second)
    expect(await passwords.verify(password, first)).toBe(true)
    expect(await passwords.verify(`${password} `, first)).toBe(false)
    expect(await passwords.verify('', null)).toBe(false)
  })

  test('are the same however a keyboard composes the characters', async () => {
    const passwords = quickPasswords()
    expect(await passwords.verify('cafe\u0301 ole ole', await passwords.hash('caf\u00e9 ole ole'))).toBe(true)
  })

  test('too many at once are told to come back, and the others are served', async () => {
    const passwords = quickPasswords()
    const hash = await passwords.hash(password)
    const results = await Promise.allSettled(Array.from({ length: 24 }, () => passwords.verify(password, hash)))
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited', retryAfter: 5 } })
    expect(results.filter((result) => result.status === 'fulfilled' && result.value).length).toBe(24 - refused.length)
  })

  test('of one party wait for those of another no longer than for one, whatever their number', async () => {
    const passwords = quickPasswords()
    const ended: string[] = []
    const verify = (name: string) =>
      passwords.verify(password, null, { name, isKnown: false }).then(() => ended.push(name))
    const flood = Array.from({ length: 20 }, () => verify('flood'))
    const other = verify('other')
    await Promise.all([...flood, other])
    expect(ended.indexOf('other')).toBeLessThanOrEqual(2)
  })

  test('of a party that is known do not wait for those of strangers, however many networks they have', async () => {
    const passwords = quickPasswords()
    let ended = 0
    const flood = Array.from({ length: 300 }, (_, network) =>
      passwords.verify(password, null, { name: `network ${network}`, isKnown: false }).then(() => (ended += 1)),
    )
    await passwords.verify(password, null, { name: 'network 0', isKnown: true })
    expect(ended).toBeLessThanOrEqual(2)
    await Promise.all(flood)
  })

  test('of strangers are looked at as long as a network has none that waits', async () => {
    const passwords = quickPasswords()
    const verify = (name: string) => passwords.verify(password, null, { name, isKnown: false })
    const flood = Array.from({ length: 15 }, (_, network) => Array.from({ length: 15 }, () => verify(`n ${network}`)))
    const other = verify('other')
    const results = await Promise.allSettled(flood.flat())
    expect(results.some(({ status }) => status === 'rejected')).toBe(true)
    await other
  })
})
