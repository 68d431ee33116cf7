import { describe, expect, it } from 'vitest'
import { Feedback } from '#analytics/feedback.ts'
import { analyticsLimits } from '#contract/analytics.ts'
import { MemoryRecords } from '#test/support/memory-records.ts'

const day = 24 * 60 * 60 * 1000
const { notes, notesOfDay, notesOfPageAndDay, notesOfNetworkAndDay, notesOfWideNetworkAndDay } = analyticsLimits

/** Notes of one project unless another is named; each from a network of its own unless that is named. */
function open() {
  const clock = { time: Date.UTC(2026, 10, 26, 12) }
  const feedback = new Feedback({ records: new MemoryRecords(), now: () => new Date((clock.time += 1)) })
  let last = 0
  const address = (): string => `10.${((last += 1) >> 8) & 255}.${last & 255}.1`
  const write = (path: string, from = address(), project = 'a'): Promise<void> =>
    feedback.add(project, { path, helpful: false, note: 'Text.', address: from })
  /** As many as a day takes, or fewer. */
  const fill = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) await write(`/flood-${Math.floor(index / notesOfPageAndDay)}`)
  }
  const count = async (path?: string): Promise<number> => {
    let [found, cursor]: [number, string | undefined] = [0, undefined]
    do {
      const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }), ...(path === undefined ? {} : { path }) }
      const page = await feedback.list('a', query)
      found += page.items.length
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return found
  }
  return { clock, write, fill, count }
}

const refused = { code: 'rate_limited' }

describe('notes of a project that has no room for more', () => {
  it('go from the day that has the most, so that a flood pushes out itself', async () => {
    const { clock, write, fill, count } = open()
    for (let quiet = 0; quiet < 30; quiet++, clock.time += day) await write('/quiet')
    for (let flood = 0; flood < notes / notesOfDay + 1; flood++, clock.time += day) await fill(notesOfDay)
    expect(await count('/quiet')).toBe(30)
    expect(await count()).toBe(notes)
  })

  it('make no room in a day that has had all that it takes', async () => {
    const { clock, write, fill, count } = open()
    for (let flood = 0; flood < notes / notesOfDay; flood++, clock.time += day) await fill(notesOfDay)
    await write('/today')
    await fill(notesOfDay - 1)
    await expect(write('/more')).rejects.toMatchObject(refused)
    expect([await count('/today'), await count()]).toEqual([1, notes])
  })

  it('go from the oldest day where none has more than others', async () => {
    const { clock, write, fill, count } = open()
    await write('/first')
    await fill(notesOfDay - 1)
    for (let later = 1; later < notes / notesOfDay; later++) {
      clock.time += day
      await fill(notesOfDay)
    }
    clock.time += day
    await write('/last')
    expect([await count('/first'), await count('/last'), await count()]).toEqual([0, 1, notes])
  })
})

describe('notes from one network', () => {
  it('are so many a day for a project, and take nothing from others', async () => {
    const { clock, write, count } = open()
    const own = '2001:db8:1:2::'
    for (let index = 0; index < notesOfNetworkAndDay; index++) await write(`/${index}`, `${own}${index + 1}`)
    await expect(write('/more', `${own}ffff`)).rejects.toMatchObject(refused)
    await write('/more', '2001:db8:1:3::1')
    await write('/more', `${own}1`, 'b')
    expect(await count('/more')).toBe(1)
    clock.time += day
    await write('/more', `${own}1`)
  })

  it('of a party that has many are bounded by the wide network around them', async () => {
    const { write } = open()
    for (let index = 0; index < notesOfWideNetworkAndDay; index++) await write(`/${index}`, `2001:db8:1:${index}::1`)
    await expect(write('/more', '2001:db8:1:ffff::1')).rejects.toMatchObject(refused)
    await write('/more', '2001:db8:2::1')
  })

  it('that were refused do not count', async () => {
    const { write } = open()
    for (let index = 0; index < notesOfPageAndDay; index++) await write('/full')
    for (let index = 0; index < notesOfNetworkAndDay; index++)
      await expect(write('/full', '192.0.2.1')).rejects.toMatchObject(refused)
    await write('/more', '192.0.2.1')
  })
})
