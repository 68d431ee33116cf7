import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Devices, type DeviceSignInRequest } from '#access/devices.ts'
import { readUserCode } from '#access/tokens.ts'
import { openAccess, type AccessRoom, type AccessSettings } from '#test/support/access.ts'
import { inDepth } from '#test/support/depth.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const order: DeviceSignInRequest = { client: 'quire-cli', scope: undefined, hostName: 'laptop', address: '192.0.2.1' }
const ada = { account: 'acc_ada', address: '192.0.2.1' }
const second = 1000
const minute = 60 * second

async function openDevices(settings: AccessSettings = {}): Promise<{ room: AccessRoom; devices: Devices }> {
  const room = await openAccess(settings)
  return { room, devices: new Devices(room) }
}
const codeOf = async (work: Promise<unknown>): Promise<string> => (await refusalOf(work)).code

describe('a terminal', () => {
  it('is told to wait, to slow down, and gets a session when it was approved', async () => {
    const { room, devices } = await openDevices()
    const { deviceCode, userCode, interval } = await devices.start(order)
    const poll = () => devices.redeem('quire-cli', deviceCode)
    expect(await codeOf(poll())).toBe('authorization_pending')
    room.pass(interval * second)
    expect(await codeOf(poll())).toBe('authorization_pending')
    room.pass(second)
    const hasty = await refusalOf(poll())
    expect([hasty.code, hasty.retryAfter]).toEqual(['slow_down', interval + 5])
    room.pass(interval * second)
    expect(await codeOf(poll())).toBe('slow_down')
    room.pass((interval + 10) * second)
    expect(await codeOf(poll())).toBe('authorization_pending')
    await devices.approve(userCode, ada)
    expect(await room.sessions.find(await poll())).toBe('acc_ada')
    expect(await room.sessions.list('acc_ada')).toMatchObject([
      { kind: 'terminal', client: 'Quire command line on laptop', address: '192.0.2.1' },
    ])
  })

  it('gets one session for a code, also when it asks many times at once', async () => {
    const { room, devices } = await openDevices()
    const { deviceCode, userCode } = await devices.start(order)
    await devices.approve(userCode, ada)
    const polls = Array.from({ length: 8 }, () => devices.redeem('quire-cli', deviceCode))
    const ended = await Promise.allSettled(polls)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await room.sessions.list('acc_ada')).toHaveLength(1)
    expect(await codeOf(devices.redeem('quire-cli', deviceCode))).toBe('invalid_grant')
  })

  it('hears that it was denied, that its code has expired, or is unknown', async () => {
    const { room, devices } = await openDevices()
    const denied = await devices.start(order)
    await devices.deny(denied.userCode, ada)
    expect(await codeOf(devices.redeem('quire-cli', denied.deviceCode))).toBe('access_denied')
    const late = await devices.start(order)
    const approved = await devices.start(order)
    await devices.approve(approved.userCode, ada)
    room.pass(10 * minute)
    expect(await codeOf(devices.redeem('quire-cli', late.deviceCode))).toBe('expired_token')
    expect(await codeOf(devices.redeem('quire-cli', approved.deviceCode))).toBe('expired_token')
    expect(await codeOf(devices.approve(late.userCode, ada))).toBe('not_found')
    room.pass(5 * minute)
    await devices.start(order)
    expect(await codeOf(devices.redeem('quire-cli', late.deviceCode))).toBe('invalid_grant')
    expect(await codeOf(devices.redeem('quire-cli', 'nonsense'))).toBe('invalid_grant')
    expect(await codeOf(devices.redeem('other', late.deviceCode))).toBe('invalid_client')
  })

  it('gets none for an approval from before all sessions of the account were ended', async () => {
    const { room, devices } = await openDevices()
    const credentials = { email: 'ada@example.com', password: 'correct horse' }
    const browser = { kind: 'browser', client: 'Firefox', address: '192.0.2.1' } as const
    const { account, token } = await room.accounts.signup(credentials, browser)
    const decider = { ...ada, account: account.id }
    const approved = async (): Promise<string> => {
      const { deviceCode, userCode } = await devices.start(order)
      await devices.approve(userCode, decider)
      return deviceCode
    }
    const endings = [
      () =>
        room.accounts.changePassword(
          account.id,
          { currentPassword: credentials.password, newPassword: 'another horse' },
          { token, address: '192.0.2.1' },
        ),
      () => room.sessions.endAll(account.id, token),
      () => room.accounts.resetPassword(credentials.email),
    ]
    for (const end of endings) {
      const [code, meanwhile] = [await approved(), await approved()]
      const other = await devices.start(order)
      await devices.approve(other.userCode, { ...ada, account: 'acc_other' })
      // One that is redeemed at the same time has no session afterwards either.
      const redeeming = devices.redeem('quire-cli', meanwhile)
      await Promise.all([end(), redeeming.catch(() => undefined)])
      expect(await codeOf(devices.redeem('quire-cli', code))).toBe('access_denied')
      expect((await room.sessions.list(account.id)).filter(({ kind }) => kind === 'terminal')).toEqual([])
      expect(await room.sessions.find(await devices.redeem('quire-cli', other.deviceCode))).toBe('acc_other')
    }
  })

  it('gets none when all sessions are ended between its code’s end and its session', async () => {
    const room = await openAccess()
    const begun: string[] = []
    const slow = new Devices({
      ...room,
      sessions: {
        onEndAll: (listener) => room.sessions.onEndAll(listener),
        end: (token) => room.sessions.end(token),
        begin: async (account, from) => {
          await room.sessions.endAll(account)
          begun.push(await room.sessions.begin(account, from))
          return begun.at(-1) ?? ''
        },
      },
    })
    const { deviceCode, userCode } = await slow.start(order)
    await slow.approve(userCode, ada)
    expect(await codeOf(slow.redeem('quire-cli', deviceCode))).toBe('access_denied')
    expect(begun).toHaveLength(1)
    expect(await room.sessions.list('acc_ada')).toEqual([])
  })

  it('must be a known client that asks for a known scope', async () => {
    const { devices } = await openDevices()
    expect(await codeOf(devices.start({ ...order, client: 'toString' }))).toBe('invalid_client')
    expect(await codeOf(devices.start({ ...order, scope: 'account root' }))).toBe('invalid_scope')
    expect((await devices.start({ ...order, scope: 'account  account' })).userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/)
  })

  it('waits with at most 20 others of its network, until some have ended', async () => {
    const { room, devices } = await openDevices()
    const address = (last: number) => ({ ...order, address: `2001:db8:1:2::${last.toString(16)}` })
    for (let count = 0; count < 20; count++) await devices.start(address(count))
    expect(await codeOf(devices.start(address(99)))).toBe('rate_limited')
    await devices.start({ ...order, address: '2001:db8:1:3::1' })
    room.pass(10 * minute)
    await devices.start(address(99))
  })

  it('finds room among 500 where some have ended', async () => {
    const { devices } = await openDevices()
    const start = (count: number) => devices.start({ ...order, address: `192.0.${count >> 8}.${count & 255}` })
    const started: Awaited<ReturnType<typeof start>>[] = []
    for (let count = 0; count < 500; count++) started.push(await start(count))
    const [first, ended] = started
    await devices.deny(ended?.userCode ?? '', ada)
    await start(500)
    expect(await codeOf(devices.redeem('quire-cli', ended?.deviceCode ?? ''))).toBe('invalid_grant')
    expect(await codeOf(devices.redeem('quire-cli', first?.deviceCode ?? ''))).toBe('authorization_pending')
  })

  inDepth('takes the place of the oldest from whoever has most networks', async () => {
    const { devices } = await openDevices()
    const mine = await devices.start(order)
    const flood = (count: number) => devices.start({ ...order, address: `2001:db8:1:${count.toString(16)}::1` })
    const first = await flood(0)
    // Approved ones that nobody collects wait, too.
    await devices.approve(first.userCode, ada)
    for (let count = 1; count < 600; count++) await flood(count)
    const other = await devices.start({ ...order, address: '198.51.100.7' })
    for (const { deviceCode } of [mine, other])
      expect(await codeOf(devices.redeem('quire-cli', deviceCode))).toBe('authorization_pending')
    expect(await codeOf(devices.redeem('quire-cli', first.deviceCode))).toBe('invalid_grant')
  })
})

describe('the person', () => {
  it('sees who asks, without characters that would mislead', async () => {
    const { devices } = await openDevices()
    const hostName = `a\u202Eb\u0000c\n${'x'.repeat(100)}`
    const { userCode } = await devices.start({ ...order, hostName })
    expect(await devices.read(userCode, ada)).toEqual({
      user_code: userCode,
      client: 'Quire command line',
      hostName: `abc${'x'.repeat(61)}`,
      address: '192.0.2.1',
      sameAddress: true,
      scopes: ['account'],
      createdAt: '2026-11-21T12:00:00.000Z',
      expiresAt: '2026-11-21T12:10:00.000Z',
    })
    expect((await devices.read(userCode, { ...ada, address: '192.0.2.2' })).sameAddress).toBe(false)
  })

  it('decides once', async () => {
    const { devices } = await openDevices()
    const { userCode, deviceCode } = await devices.start(order)
    await devices.deny(userCode, ada)
    expect(await codeOf(devices.approve(userCode, ada))).toBe('not_found')
    expect(await codeOf(devices.redeem('quire-cli', deviceCode))).toBe('access_denied')
  })

  it('may say again what was decided, and hears what that was; nobody else does', async () => {
    const { devices } = await openDevices()
    const other = { ...ada, account: 'acc_other' }
    for (const [decide, decision] of [
      ['approve', 'approved'],
      ['deny', 'denied'],
    ] as const) {
      const { userCode, deviceCode } = await devices.start(order)
      await devices[decide](userCode, ada)
      await devices[decide](userCode, ada)
      expect(await devices.read(userCode, ada)).toMatchObject({ decision, address: order.address })
      for (const refused of [devices.read(userCode, other), devices[decide](userCode, other)])
        expect(await codeOf(refused)).toBe('not_found')
      await devices.redeem('quire-cli', deviceCode).catch(() => undefined)
      expect(await devices.read(userCode, ada)).toMatchObject({ decision })
    }
  })

  it('may be wrong ten times in ten minutes, and then not even be right', async () => {
    const { room, devices } = await openDevices()
    const { userCode } = await devices.start(order)
    const wrong = userCode === 'BBBB-BBBB' ? 'CCCC-CCCC' : 'BBBB-BBBB'
    // A typo in the form of the code is no guess.
    expect(await codeOf(devices.read('12', ada))).toBe('not_found')
    for (let count = 0; count < 5; count++) {
      expect(await codeOf(devices.read(wrong, ada))).toBe('not_found')
      expect(await codeOf(devices.approve(wrong, ada))).toBe('not_found')
    }
    const refused = await refusalOf(devices.approve(userCode, ada))
    expect([refused.code, refused.retryAfter]).toEqual(['rate_limited', 600])
    await devices.read(userCode, { ...ada, account: 'acc_grace' })
    room.pass(10 * minute)
    const fresh = await devices.start(order)
    await devices.approve(fresh.userCode, ada)
  })

  it.each([
    ['bcdf-ghjk', 'BCDF-GHJK'],
    ['BCDFGHJK', 'BCDF-GHJK'],
    [' bcdf ghjk ', 'BCDF-GHJK'],
    ['BCDF–GHJK', 'BCDF-GHJK'],
    ['BCDF-GHJ', null],
    ['ABCD-EFGH', null],
    ['BCDF-GHJKL', null],
    ['', null],
  ])('types %j for %j', (typed, code) => expect(readUserCode(typed)).toBe(code))
})

it('stores neither code', async () => {
  const directory = await temporaryDirectory()
  const { devices } = await openDevices({ directory })
  const { deviceCode, userCode } = await devices.start(order)
  const stored = await readFile(join(directory, '_devices.json'), 'utf8')
  expect(stored).toContain('laptop')
  for (const secret of [deviceCode, userCode, userCode.replace('-', '')]) expect(stored).not.toContain(secret)
})
