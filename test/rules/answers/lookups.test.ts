import { expect, it } from 'vitest'
import { Answers } from '#answers/answers.ts'
import type { Release } from '#contract/release.ts'
import { Failure } from '#contract/failure.ts'
import type { Hosting } from '#hosting/hosting.ts'
import { MemoryReleases } from '#test/support/memory-releases.ts'
import { artifact } from './support.ts'

it('pages are read for two questions of an owner at a time, eight wait, and whoever asks then is told to come back', async () => {
  const releases = new MemoryReleases()
  const shell = {
    places: { '/': { section: 0, trail: [] } },
    sections: [{ switches: [], href: '/', items: [] }],
    ask: { dailyLimit: 100, pages: 'navigable' },
  }
  const blobs = new Map<string, Uint8Array>([
    ['shell', Buffer.from(JSON.stringify(shell))],
    ['page', artifact('<p>All about widgets.</p>', { title: 'Home' })],
  ])
  const release = { format: 1, id: 'r', shell: 'shell', routes: { '/': { kind: 'page', blob: 'page' } }, pages: {} }
  await releases.publish(release as unknown as Release, blobs)
  let isHeld = false
  let open: () => void = () => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  let reading = 0
  const held = {
    read: (id: string) => releases.read(id),
    blob: async (name: string) => {
      if (isHeld && name === 'page') {
        reading += 1
        await gate
      }
      return releases.blob(name)
    },
  }
  const answers = new Answers({
    hosting: { open: async () => held } as unknown as Hosting,
    // Nobody gets so far.
    models: { begin: () => Promise.reject(new Failure('generation_failed', 'No model here.')) },
    daily: { used: async () => 0, take: async () => null },
    ownerOf: () => 'ada',
    liveRelease: () => 'r',
  })
  const ask = async (text: string): Promise<Failure> => {
    const { signal } = new AbortController()
    const events = answers.ask({ project: 'p', release: 'r', text }, signal)
    return events.next().then(
      () => new Failure('internal', 'It was answered.'),
      (error: unknown) => error as Failure,
    )
  }
  // The index is made by the first.
  expect(await ask('widgets?')).toMatchObject({ code: 'unavailable' })
  isHeld = true
  const asked = Array.from({ length: 14 }, () => ask('widgets?'))
  await expect.poll(() => reading).toBe(2)
  const refused = await Promise.all(asked.slice(10))
  for (const each of refused) expect(each).toMatchObject({ code: 'rate_limited', retryAfter: 5 })
  expect(reading).toBe(2)
  open()
  for (const each of await Promise.all(asked.slice(0, 10))) expect(each).toMatchObject({ code: 'unavailable' })
  answers.close()
})
