import { describe, expect, test, vi } from 'vitest'
import { SignInThrottle } from '#access/throttles.ts'
import { Passwords } from '#access/passwords.ts'
import { browser, openAccess } from '#test/support/access.ts'
import { refusalOf } from '#test/support/refusal.ts'

const wrong = (): Promise<boolean> => Promise.resolve(false)
const password = 'correct horse battery'
const right = (): Promise<boolean> => Promise.resolve(true)

function throttleWithClock() {
  let time = 0
  return {
    throttle: new SignInThrottle(() => new Date(time)),
    pass: (seconds: number) => void (time += seconds * 1000),
  }
}

describe('guessing a password', () => {
  test('is free five times, then waits that double up to five minutes', async () => {
    const { throttle, pass } = throttleWithClock()
    for (let attempt = 0; attempt < 5; attempt++) expect(await throttle.guard('ada', wrong)).toBe(false)
    const waits: (number | undefined)[] = []
    for (let round = 0; round < 8; round++) {
      const { code, retryAfter = 0 } = await refusalOf(throttle.guard('ada', right))
      expect(code).toBe('rate_limited')
      waits.push(retryAfter)
      pass(retryAfter - 1)
      expect((await refusalOf(throttle.guard('ada', right))).retryAfter).toBe(1)
      pass(1)
      expect(await throttle.guard('ada', wrong)).toBe(false)
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
  })

  test('gains nothing by many at once', async () => {
    const { throttle } = throttleWithClock()
    let looked = 0
    const look = async (): Promise<boolean> => {
      looked += 1
      await Promise.resolve()
      return false
    }
    const all = await Promise.allSettled(Array.from({ length: 64 }, () => throttle.guard('ada', look)))
    expect(looked).toBe(5)
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(59)
  })

  test('is forgotten after the right one, and after an hour', async () => {
    const { throttle, pass } = throttleWithClock()
    for (let attempt = 0; attempt < 4; attempt++) await throttle.guard('ada', wrong)
    expect(await throttle.guard('ada', right)).toBe(true)
    for (let attempt = 0; attempt < 5; attempt++) await throttle.guard('ada', wrong)
    pass(3600)
    for (let attempt = 0; attempt < 4; attempt++) await throttle.guard('ada', wrong)
    expect(await throttle.guard('ada', right)).toBe(true)
  })

  test('does not count what could not be looked at', async () => {
    const { throttle } = throttleWithClock()
    const busy = (): Promise<boolean> => Promise.reject(new Error('busy'))
    for (let attempt = 0; attempt < 20; attempt++) await expect(throttle.guard('ada', busy)).rejects.toThrow('busy')
    expect(await throttle.guard('ada', right)).toBe(true)
  })

  test('of one account is nothing to others; the last 10,000 names are known', async () => {
    const { throttle } = throttleWithClock()
    for (let attempt = 0; attempt < 5; attempt++) await throttle.guard('ada', wrong)
    expect(await throttle.guard('bob', right)).toBe(true)
    for (let other = 0; other < 9_999; other++) await throttle.guard(`name ${other}`, wrong)
    await expect(throttle.guard('ada', right)).rejects.toMatchObject({ code: 'rate_limited' })
    await throttle.guard('one more', wrong)
    expect(await throttle.guard('ada', right)).toBe(true)
  })
})

describe('signing in to an account under attack', () => {
  test('is slowed down from everywhere but where its owner is signed in, and the same without an account', async () => {
    const { accounts, pass } = await openAccess()
    await accounts.signup({ email: 'ada@b.org', password }, browser('192.0.2.1'))
    // What a guess costs is another test’s matter.
    const verify = vi.spyOn(Passwords.prototype, 'verify').mockImplementation(async (given) => given === password)
    for (const email of ['ada@b.org', 'nobody@b.org']) {
      for (let attempt = 0; attempt < 5; attempt++) {
        const guess = accounts.login({ email, password: 'guess' }, browser(`198.51.100.${attempt}`))
        expect((await refusalOf(guess)).code).toBe('unauthenticated')
      }
      const refused = await refusalOf(accounts.login({ email, password: 'guess' }, browser('198.51.100.9')))
      expect(refused).toMatchObject({ code: 'rate_limited', retryAfter: 5 })
    }
    const elsewhere = accounts.login({ email: ' ADA@b.org', password }, browser('198.51.100.9'))
    expect((await refusalOf(elsewhere)).code).toBe('rate_limited')
    const home = await accounts.login({ email: 'ada@b.org', password }, browser('192.0.2.1'))
    expect(home.account.email).toBe('ada@b.org')
    pass(5000)
    await accounts.login({ email: 'ada@b.org', password }, browser('198.51.100.9'))
    verify.mockRestore()
  })

  test('knows where its owner is signed in by the network: IPv6 hosts change their addresses', async () => {
    const { accounts } = await openAccess()
    await accounts.signup({ email: 'ada@b.org', password }, browser('2001:db8:1:2::1'))
    const verify = vi.spyOn(Passwords.prototype, 'verify').mockImplementation(async (given) => given === password)
    for (let attempt = 0; attempt < 6; attempt++)
      await accounts.login({ email: 'ada@b.org', password: 'guess' }, browser('2001:db8:1:3::1')).catch(() => undefined)
    const signIn = (address: string) => accounts.login({ email: 'ada@b.org', password }, browser(address))
    expect((await refusalOf(signIn('2001:db8:1:3::2'))).code).toBe('rate_limited')
    expect((await signIn('2001:db8:1:2:ffff::9')).account.email).toBe('ada@b.org')
    verify.mockRestore()
  })
})

describe('signing up with addresses that have an account', () => {
  test('one network is told of five addresses an hour that they have an account; then it cannot sign up at all', async () => {
    const { accounts, pass } = await openAccess()
    const tries = Array.from({ length: 7 }, (_, index) => `a${index}@b.org`)
    for (const email of tries) await accounts.createByOperator(email)
    const codeOf = async (email: string, address = '192.0.2.1') =>
      accounts.signup({ email, password }, browser(address)).then(
        () => 'signed up',
        (error: { code?: string }) => error.code,
      )
    expect(await codeOf('first@b.org')).toBe('signed up')
    const codes: (string | undefined)[] = []
    for (const email of tries) codes.push(await codeOf(email))
    expect(codes).toEqual([...Array.from({ length: 5 }, () => 'account_exists'), 'rate_limited', 'rate_limited'])
    // It learns nothing of an address without an account either.
    expect(await codeOf('new@b.org')).toBe('rate_limited')
    expect(await codeOf('new@b.org', '198.51.100.1')).toBe('signed up')
    pass(60 * 60_000)
    expect(await codeOf('second@b.org')).toBe('signed up')
  })

  test('of many sign-ups at once, no more are told', async () => {
    const { accounts } = await openAccess()
    await accounts.createByOperator('a@b.org')
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, () => accounts.signup({ email: 'a@b.org', password }, browser())),
    )
    const codes = all.map((each) => (each.status === 'rejected' ? (each.reason as { code: string }).code : 'signed up'))
    expect(codes.filter((code) => code === 'account_exists')).toHaveLength(5)
  })
})
