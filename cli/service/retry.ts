import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../src/contract/failure.ts'
import { plain } from '../lasting.ts'

export interface RetryPolicy {
  /** Tries for what may pass by itself: 5xx, too many requests, a broken connection. */
  readonly tries: number
  /** Milliseconds to keep trying while another deploy holds the project. */
  readonly contentionMs: number
  readonly signal?: AbortSignal
  /** Whether it is worth while; asked of failures that may pass. Absent: it is. */
  readonly again?: (failure: Failure) => boolean
  /** Told before each wait. */
  readonly onWait?: (failure: Failure, seconds: number) => void
  /** For tests: the source of jitter and the clock. */
  readonly random?: () => number
  readonly wait?: (ms: number) => Promise<unknown>
}

/** Waiting longer than this for a plan's allowance to come back is not what anybody wants of a command. */
const longestWaitSeconds = 60

function mayPass(failure: Failure): boolean {
  if (failure.lasts) return false
  if (failure.code === 'quota_exceeded') return (failure.retryAfter ?? Infinity) <= longestWaitSeconds
  if (failure.code === 'generation_not_configured' || failure.code === 'mail_not_configured') return false
  return failure.status >= 500 || failure.code === 'rate_limited'
}

/** On this machine nobody is on the way who could have lost the request: a second try finds a service that starts anew. */
function triesOf({ extra }: Failure, { tries }: RetryPolicy): number {
  return extra['network'] === 'ECONNREFUSED' && extra['isLoopback'] === true ? Math.min(2, tries) : tries
}

/** Full jitter between half a second and 30 s, doubling (AWS Architecture Blog, "Exponential Backoff And Jitter"). */
function backoffSeconds(attempt: number, random: () => number): number {
  return Math.max(0.5, random() * Math.min(30, 2 ** attempt))
}

/**
 * Runs `work` again while its failure may pass by itself. The service's Retry-After is honoured. The caller sends the
 * same idempotency key each time, so that a lost answer does not do the work twice.
 */
export async function withRetry<T>(work: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const random = policy.random ?? Math.random
  const wait = policy.wait ?? ((ms: number) => sleep(ms, undefined, { signal: policy.signal }))
  let waitedMs = 0
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (caught) {
      if (!(caught instanceof Failure)) throw caught
      const error = plain(caught) as Failure
      const contention = error.code === 'deploy_in_progress'
      const again = contention ? waitedMs < policy.contentionMs : mayPass(error) && attempt < triesOf(error, policy)
      if (!again || policy.again?.(error) === false) throw error
      const seconds = error.retryAfter ?? backoffSeconds(attempt, random)
      policy.onWait?.(error, seconds)
      await wait(seconds * 1000)
      waitedMs += seconds * 1000
    }
  }
}
