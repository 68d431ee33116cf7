import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeDevice, waitForToken, type PollClock } from '#cli/service/device-flow.ts'
import { createClient, type Client } from '#client/client.ts'
import type { DeviceAuthorization } from '#contract/device-login.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const started: DeviceAuthorization = {
  device_code: 'd',
  user_code: 'BCDF-GHJK',
  verification_uri: 'http://localhost/dashboard/device',
  verification_uri_complete: 'http://localhost/dashboard/device?user_code=BCDF-GHJK',
  expires_in: 600,
  interval: 5,
}

/** A service that gives these answers in turn, and the seconds that were waited before each. */
function scripted(...answers: (Failure | string)[]): { client: Client; pace: PollClock; waits: number[] } {
  const waits: number[] = []
  let time = 0
  const call = async (): Promise<unknown> => {
    const answer = answers.shift() ?? new Failure('authorization_pending', 'wait')
    if (answer instanceof Failure) throw answer
    return { access_token: answer, token_type: 'Bearer', scope: 'account' }
  }
  const wait = async (ms: number): Promise<void> => {
    waits.push(ms / 1000)
    time += ms
  }
  return { client: { call, events: undefined } as unknown as Client, pace: { now: () => time, wait }, waits }
}

describe('a terminal that waits for approval', () => {
  it('keeps the service’s interval, and adds five seconds for good when it is told to slow down', async () => {
    const pending = new Failure('authorization_pending', 'wait')
    const { client, pace, waits } = scripted(pending, new Failure('slow_down', 'slower'), pending, 'token')
    expect(await waitForToken(client, started, pace)).toBe('token')
    expect(waits).toEqual([5, 5, 10, 10])
  })

  it('waits as long as Retry-After says', async () => {
    const { client, pace, waits } = scripted(
      new Failure('slow_down', 'slower', { retryAfter: 30 }),
      new Failure('rate_limited', 'too many', { retryAfter: 45 }),
      'token',
    )
    await waitForToken(client, started, pace)
    expect(waits).toEqual([5, 30, 60])
  })

  it('asks less and less often while the service cannot be reached, and then as before', async () => {
    const away = new Failure('unavailable', 'away')
    const { client, pace, waits } = scripted(
      away,
      away,
      away,
      away,
      away,
      new Failure('authorization_pending', 'wait'),
      'token',
    )
    await waitForToken(client, started, pace)
    expect(waits).toEqual([5, 10, 20, 40, 60, 60, 5])
  })

  it('gives up when the code has expired, by its own clock, too', async () => {
    const { client, pace, waits } = scripted()
    expect(await refusalOf(waitForToken(client, started, pace))).toMatchObject({ code: 'expired_token', exitCode: 4 })
    expect(waits.reduce((sum, seconds) => sum + seconds, 0)).toBe(600)
    const late = scripted(new Failure('expired_token', 'late'))
    expect((await refusalOf(waitForToken(late.client, started, late.pace))).hint).toContain('quire login')
  })

  it.each(['access_denied', 'invalid_grant', 'invalid_client'] as const)('ends on %s', async (code) => {
    const { client, pace } = scripted(new Failure(code, 'no'))
    expect((await refusalOf(waitForToken(client, started, pace))).code).toBe(code)
  })
})

describe('with the real service', () => {
  let service: TestService
  let project: ProjectAccess
  let time = Date.now()
  beforeAll(async () => {
    service = await startTestService({}, { builder: new FakeBuilder(), now: () => new Date(time) })
    project = await createProject(service.url, 'docs')
  })
  afterAll(() => service.close())

  /** The service's clock moves by what `passes` makes of each wait. */
  function clocked(passes: (seconds: number, turn: number) => Promise<number> | number): {
    pace: PollClock
    waits: number[]
  } {
    const waits: number[] = []
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms / 1000)
      time += (await passes(ms / 1000, waits.length)) * 1000
    }
    return { pace: { now: () => time, wait }, waits }
  }

  it('slows down as that asks, and is signed in', async () => {
    const client = createClient({ baseUrl: service.url })
    const begun = await authorizeDevice(client)
    const owner = createClient({ baseUrl: service.url, token: project.session })
    // A network that holds the second poll back so that the third follows at its heels.
    const { pace, waits } = clocked(async (seconds, turn) => {
      if (turn === 5) await owner.call(contract.device.approve, { body: { user_code: begun.user_code } })
      return turn === 2 ? 1 : seconds
    })
    const token = await waitForToken(client, begun, pace)
    expect(waits).toEqual([5, 5, 10, 10, 10])
    const { account } = await createClient({ baseUrl: service.url, token }).call(contract.accounts.me)
    expect(account.email).toBe('docs@example.com')
  })

  it('hears from the service that its code has expired', async () => {
    const client = createClient({ baseUrl: service.url })
    const begun = await authorizeDevice(client)
    const { pace } = clocked(() => 0)
    // The terminal's clock stands still; the service's does not.
    time += 600_000
    const own = { ...pace, now: () => 0 }
    expect((await refusalOf(waitForToken(client, begun, own))).code).toBe('expired_token')
  })
})
