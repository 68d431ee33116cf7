import { describe, expect, it } from 'vitest'
import { withRetry, type RetryPolicy } from '#cli/service/retry.ts'
import { Failure } from '#contract/failure.ts'

/** Runs work that fails with these failures in turn and then succeeds; answers with the waits in seconds. */
async function waitsFor(failures: Failure[], policy: Partial<RetryPolicy> = {}): Promise<number[]> {
  const waits: number[] = []
  const queue = [...failures]
  await withRetry(
    async () => {
      const failure = queue.shift()
      if (failure !== undefined) throw failure
    },
    { tries: 5, contentionMs: 60_000, random: () => 1, wait: async (ms) => waits.push(ms / 1000), ...policy },
  )
  return waits
}

const busy = new Failure('deploy_in_progress', 'busy', { retryAfter: 2 })
const broken = new Failure('internal', 'oops')

describe('retrying', () => {
  it('honours Retry-After', async () => {
    expect(await waitsFor([new Failure('rate_limited', 'slow down', { retryAfter: 7 })])).toEqual([7])
  })

  it('backs off with doubling bounds up to 30 s where the service names no time', async () => {
    expect(await waitsFor([broken, broken, broken, broken])).toEqual([2, 4, 8, 16])
    expect(await waitsFor([broken, broken], { random: () => 0 })).toEqual([0.5, 0.5])
  })

  it('gives up after five tries', async () => {
    await expect(waitsFor([broken, broken, broken, broken, broken])).rejects.toBe(broken)
  })

  it('waits longer for another deploy to end, but not for ever', async () => {
    expect(await waitsFor(Array.from({ length: 10 }, () => busy))).toHaveLength(10)
    await expect(waitsFor(Array.from({ length: 40 }, () => busy))).rejects.toBe(busy)
  })

  it('does not repeat what it would meet again', async () => {
    for (const network of ['ENOTFOUND', 'ERR_SSL_WRONG_VERSION_NUMBER', 'CERT_HAS_EXPIRED']) {
      const failure = new Failure('unavailable', 'no', { extra: { network } })
      await expect(waitsFor([failure])).rejects.toMatchObject({ code: 'unavailable', exitCode: 1 })
    }
  })

  it('repeats what may pass, on this machine once', async () => {
    const lost = (network: string, isLoopback = false): Failure =>
      new Failure('unavailable', 'no', { extra: { network, isLoopback } })
    for (const network of ['ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'ECONNREFUSED'])
      expect(await waitsFor([lost(network), lost(network), lost(network)])).toHaveLength(3)
    const here = lost('ECONNREFUSED', true)
    expect(await waitsFor([here])).toHaveLength(1)
    await expect(waitsFor([here, here])).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('does not repeat what a repetition cannot mend', async () => {
    for (const code of ['build_failed', 'invalid_path', 'unauthenticated', 'merge_conflict'] as const) {
      await expect(waitsFor([new Failure(code, 'no')])).rejects.toMatchObject({ code })
    }
  })

  it('does not wait for tomorrow’s quota', async () => {
    await expect(waitsFor([new Failure('quota_exceeded', 'full', { retryAfter: 40_000 })])).rejects.toMatchObject({
      code: 'quota_exceeded',
    })
    expect(await waitsFor([new Failure('quota_exceeded', 'full', { retryAfter: 20 })])).toEqual([20])
  })

  it('lets bugs through at once', async () => {
    await expect(
      withRetry(async () => Promise.reject(new TypeError('bug')), { tries: 5, contentionMs: 0 }),
    ).rejects.toBeInstanceOf(TypeError)
  })
})
