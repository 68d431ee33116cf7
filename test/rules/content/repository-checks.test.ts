import { expect, it } from 'vitest'
import { RepositoryChecks } from '#content/repository-checks.ts'
import type { Repository } from '#content/repository.ts'

const never = new AbortController().signal

/** A repository whose check ends when the test says so. */
function heldRepository(projectId: string) {
  const ends: (() => void)[] = []
  const fsck = (signal?: AbortSignal): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      ends.push(() => resolve([]))
      signal?.addEventListener('abort', () => reject(new Error('ended')))
    })
  return { repository: { projectId, fsck } as unknown as Repository, ends }
}

/** Owners are the letter before the hyphen. */
const ownerOf = (projectId: string) => projectId.slice(0, 1)

it('checks a project four times an hour, one check at a time, and says when it may be checked again', async () => {
  let now = 0
  const checks = new RepositoryChecks({ ownerOf, now: () => now })
  const { repository, ends } = heldRepository('a-1')
  for (let round = 0; round < 4; round++) {
    const check = checks.run(repository, never)
    await expect(checks.run(repository, never)).rejects.toMatchObject({ code: 'rate_limited', status: 429 })
    await expect.poll(() => ends.length).toBe(round + 1)
    ends[round]?.()
    expect(await check).toEqual([])
    now += 60_000
  }
  await expect(checks.run(repository, never)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 56 * 60 })
  now += 56 * 60_000 + 1
  const again = checks.run(repository, never)
  await expect.poll(() => ends.length).toBe(5)
  ends[4]?.()
  expect(await again).toEqual([])
})

it('lets one owner’s checks wait for one another, and not those of another owner', async () => {
  const checks = new RepositoryChecks({ ownerOf })
  const [first, second, other] = [heldRepository('a-1'), heldRepository('a-2'), heldRepository('b-1')]
  const running = [first, second, other].map(({ repository }) => checks.run(repository, never))
  await expect.poll(() => other.ends.length).toBe(1)
  expect([first.ends.length, second.ends.length]).toEqual([1, 0])
  first.ends[0]?.()
  await expect.poll(() => second.ends.length).toBe(1)
  for (const { ends } of [second, other]) ends[0]?.()
  expect(await Promise.all(running)).toEqual([[], [], []])
})

it('bounds how many of one owner wait, and forgets those that nobody waits for', async () => {
  const checks = new RepositoryChecks({ ownerOf })
  const held = heldRepository('a-0')
  const running = checks.run(held.repository, never)
  const gone = new AbortController()
  const waiting = Array.from({ length: 10 }, (_, i) => checks.run(heldRepository(`a-${i + 1}`).repository, gone.signal))
  const next = heldRepository('a-99')
  await expect(checks.run(next.repository, never)).rejects.toMatchObject({ code: 'unavailable' })
  gone.abort(new Error('the client is gone'))
  for (const result of await Promise.allSettled(waiting))
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'the client is gone' } })
  const after = checks.run(next.repository, never)
  held.ends[0]?.()
  await running
  await expect.poll(() => next.ends.length).toBe(1)
  next.ends[0]?.()
  expect(await after).toEqual([])
})
