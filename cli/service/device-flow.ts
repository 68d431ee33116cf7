import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../src/client/client.ts'
import { commandLineClient, deviceGrant, type DeviceAuthorization } from '../../src/contract/device-login.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'

/** Begins a sign-in (RFC 8628, 3.1). */
export function authorizeDevice(client: Client): Promise<DeviceAuthorization> {
  return client.call(contract.device.authorize, {
    body: { client_id: commandLineClient, host_name: hostname().slice(0, 255) },
  })
}

/** The clock and the wait, for tests; and what breaks the wait off. */
export interface PollClock {
  readonly now?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
  readonly signal?: AbortSignal
}

/**
 * Asks until the person has decided, as often as the service allows (RFC 8628, 3.5).
 *
 * @returns a session's token. Throws Failure `access_denied`, `expired_token`, and what else the service refuses;
 * an AbortError when `signal` fires.
 */
export async function waitForToken(
  client: Client,
  started: DeviceAuthorization,
  { now = Date.now, signal, ...clock }: PollClock = {},
): Promise<string> {
  const wait = clock.wait ?? ((ms: number) => sleep(ms, undefined, { signal }))
  const broken = signal === undefined ? {} : { signal }
  const body = { grant_type: deviceGrant, client_id: commandLineClient, device_code: started.device_code }
  const deadline = now() + started.expires_in * 1000
  let interval = started.interval
  let pause = interval
  for (;;) {
    if (now() + pause * 1000 > deadline) throw expired()
    await wait(pause * 1000)
    try {
      return (await client.call(contract.device.token, { body, ...broken })).access_token
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.code === 'slow_down') interval += 5
      pause = pauseAfter(error, { interval, pause })
    }
  }
}

/** Seconds until the next poll. Throws the failure when there shall be none. */
function pauseAfter(failure: Failure, last: { readonly interval: number; readonly pause: number }): number {
  const asked = failure.retryAfter ?? 0
  if (failure.code === 'authorization_pending' || failure.code === 'slow_down') return Math.max(last.interval, asked)
  if (failure.code === 'expired_token') throw expired(failure)
  if (failure.code === 'access_denied') {
    throw new Failure('access_denied', 'The sign-in was denied in the browser.', { cause: failure })
  }
  // A service that is restarted or busy: ask less and less often.
  if (failure.code === 'rate_limited' || failure.status >= 500) return Math.max(Math.min(60, 2 * last.pause), asked)
  throw failure
}

function expired(cause?: Failure): Failure {
  return new Failure('expired_token', 'Nobody approved the code in time.', {
    hint: 'Run quire login again.',
    cause,
  })
}
