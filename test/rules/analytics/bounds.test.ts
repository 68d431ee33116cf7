import { expect, it } from 'vitest'
import { Analytics } from '#analytics/analytics.ts'
import { analyticsLimits } from '#contract/analytics.ts'
import { MemoryRecords } from '#test/support/memory-records.ts'

/** Every path is a page; the owner of `a1` is `a`. */
function open(): { readonly analytics: Analytics; readonly errors: unknown[] } {
  const errors: unknown[] = []
  const analytics = new Analytics({
    hosting: {
      settings: async () => ({ analytics: true, feedback: true }),
      pageAt: async (_project, _release, path) => path,
    },
    records: new MemoryRecords(),
    ownerOf: (project) => project.slice(0, 1),
    liveRelease: (project) => (project === 'gone' ? undefined : 'r'),
    now: () => new Date('2026-11-26T12:00:00Z'),
    onError: (error) => errors.push(error),
  })
  return { analytics, errors }
}

const viewsOf = async (analytics: Analytics, project: string): Promise<number> =>
  (await analytics.read(project, 1)).views

it('an owner whose pages are many keeps no more of the memory than is said, and takes nothing from another one', async () => {
  const { analytics } = open()
  const view = (project: string, path: string) => analytics.view({ project, release: 'r', path })
  for (const project of ['a1', 'a2', 'a3']) for (let page = 0; page < 4000; page++) await view(project, `/${page}`)
  await view('b1', '/')
  const counted = await Promise.all(['a1', 'a2', 'a3'].map((project) => viewsOf(analytics, project)))
  expect(counted.slice(0, 2)).toEqual([4000, 4000])
  expect(counted[2]).toBeLessThan(2001)
  expect(await viewsOf(analytics, 'b1')).toBe(1)
  // What was written has made room.
  await view('a3', '/another')
  expect(await viewsOf(analytics, 'a3')).toBe((counted[2] ?? 0) + 1)
  await analytics.close()
})

it('a day counts so many pages one by one, whatever a release has', async () => {
  const { analytics } = open()
  for (let page = 0; page < analyticsLimits.pagesOfDay + 100; page++)
    await analytics.view({ project: 'a1', release: 'r', path: `/${page}` })
  const { views, pages } = await analytics.read('a1', 1)
  expect(views).toBe(analyticsLimits.pagesOfDay)
  expect(pages).toHaveLength(analyticsLimits.pagesShown)
  await analytics.close()
})

it('of a project that was removed nothing is written any more', async () => {
  const { analytics, errors } = open()
  await analytics.view({ project: 'a1', release: 'r', path: '/' })
  await analytics.view({ project: 'gone', release: 'r', path: '/' })
  analytics.removed('a1')
  expect(await viewsOf(analytics, 'a1')).toBe(0)
  expect(await viewsOf(analytics, 'gone')).toBe(0)
  expect(errors).toEqual([])
  await analytics.close()
})
