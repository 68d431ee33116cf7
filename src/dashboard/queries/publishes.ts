import type { Resolution } from '../../contract/branches.ts'
import type { Deploy } from '../../contract/deploys.ts'
import { Failure } from '../../contract/failure.ts'
import { contract } from '../../contract/index.ts'
import { client, idempotencyKey } from '../client.ts'

/** Milliseconds for which a publish waits for the deploy of somebody else. */
const patienceMs = 10 * 60_000
/** Seconds between two tries, where the service names none. */
const pauseSeconds = 3
/** Tries when the answer is lost. */
const tries = 4

export interface Publish {
  readonly branchId: string
  readonly resolutions: readonly Resolution[]
  readonly message?: string
}

interface Following {
  readonly signal: AbortSignal
  /** Told before each wait, and with undefined when it is over. */
  readonly onWait: (why: Failure | undefined) => void
}

/**
 * Begins a publish, and does not wait for its end. While another deploy is under way it waits for its turn; a lost answer
 * does not publish twice.
 *
 * @throws Failure `merge_conflict`, and what else the service refuses; the reason of the signal, which ends the waiting but
 * takes back nothing that was sent
 */
export async function publishBranch(slug: string, body: Publish, { signal, onWait }: Following): Promise<Deploy> {
  const headers = { 'idempotency-key': idempotencyKey(), prefer: 'respond-async' }
  const until = Date.now() + patienceMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await client.call(contract.branches.publish, {
        params: { slug },
        body: { ...body, resolutions: [...body.resolutions] },
        headers,
      })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      const waits = error.code === 'deploy_in_progress' && Date.now() < until
      const isLost = error.code === 'unavailable'
      if (!waits && !(isLost && attempt < tries)) throw error
      onWait(error)
      await pause((error.retryAfter ?? pauseSeconds) * 1000, signal).catch((reason: unknown) => {
        throw isLost ? mayHaveBegun() : reason
      })
      onWait(undefined)
    }
  }
}

/** Nobody waits for the answer any more, which was lost. */
const mayHaveBegun = (): Failure =>
  new Failure('unavailable', 'The service did not answer, so the publish may have begun: the deploys tell.')

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.reject(signal.reason as Error)
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
