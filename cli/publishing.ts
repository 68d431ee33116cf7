import { randomUUID } from 'node:crypto'
import type { Client } from '../src/client/client.ts'
import type { Resolution } from '../src/contract/branches.ts'
import type { Deploy } from '../src/contract/deploys.ts'
import { contract } from '../src/contract/index.ts'
import { withRetry, type RetryPolicy } from './service/retry.ts'

/** What is to be published, and how. */
export interface PublishRequest {
  readonly slug: string
  /** Absent: main again. */
  readonly branchId: string | undefined
  readonly resolutions: readonly Resolution[]
  readonly message: string | undefined
}

/**
 * Begins a publish, and does not wait for its end.
 *
 * @param key of an earlier try of the very same request whose answer was lost. Throws Failure `merge_conflict`, for
 * which see `conflictsOf`, and what else the service refuses.
 */
export function startPublish(
  client: Client,
  { slug, branchId, resolutions, message }: PublishRequest,
  { policy, key = randomUUID() }: { readonly policy: RetryPolicy; readonly key?: string },
): Promise<Deploy> {
  const body = {
    ...(branchId === undefined ? {} : { branchId }),
    ...(resolutions.length === 0 ? {} : { resolutions: [...resolutions] }),
    ...(message === undefined ? {} : { message }),
  }
  const headers = { 'idempotency-key': key, prefer: 'respond-async' }
  return withRetry(() => client.call(contract.branches.publish, { params: { slug }, body, headers }), policy)
}
