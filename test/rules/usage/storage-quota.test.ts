import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { StorageQuota, type StorageQuotaOptions } from '#usage/storage-quota.ts'

const megabyte = 2 ** 20
const disk = new Map<string, number>()
let looks: string[][]
let owned: Record<string, string[]>

function openQuota(options: Partial<StorageQuotaOptions> = {}): StorageQuota {
  const quota = new StorageQuota({
    limits: { free: 100 * megabyte, pro: Infinity },
    planOf: async () => 'free',
    ownedBy: (account) => owned[account] ?? [],
    measure: async (ids) => {
      looks.push([...ids])
      return new Map(ids.map((id) => [id, disk.get(id) ?? 0]))
    },
    onError: (error) => {
      throw error
    },
    ...options,
  })
  onTestFinished(() => quota.close())
  return quota
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  looks = []
  owned = { ada: ['docs', 'notes'] }
  disk.clear()
  return () => vi.useRealTimers()
})

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

describe('storage of an account', () => {
  it('is over all of its projects, and refused with used, limit and what to do', async () => {
    disk.set('docs', 60 * megabyte).set('notes', 30 * megabyte)
    const quota = openQuota({ contact: 'mailto:ops@example.com' })
    const growth = await quota.begin('ada')
    growth.add(10 * megabyte)
    expect(() => growth.add(1)).toThrow(
      expect.objectContaining({
        code: 'quota_exceeded',
        message: 'The Free plan allows 100 MB for all projects of its owner. They take 100 MB.',
        hint: expect.stringMatching(/Delete .* ops@example\.com/) as string,
        extra: { plan: 'Free', limit: 100 * megabyte, used: 100 * megabyte, of: 'storage' },
      }),
    )
  })

  it('is shared by changes at once, before the disk shows any of them', async () => {
    const quota = openQuota()
    const growths = await Promise.all([1, 2, 3].map(() => quota.begin('ada')))
    growths[0]?.add(60 * megabyte)
    expect(() => growths[1]?.add(60 * megabyte)).toThrow('60 MB more do not fit')
    growths[2]?.add(40 * megabyte)
    expect(looks).toEqual([['docs', 'notes']])
  })

  it('is asked of the disk some seconds after a change, and again when what was built is there', async () => {
    const quota = openQuota()
    const growth = await quota.begin('ada')
    growth.add(10 * megabyte)
    growth.end()
    const used = async (): Promise<number> => (await quota.read('ada', 'docs')).used / megabyte
    expect(await used()).toBe(10)
    disk.set('docs', 5 * megabyte)
    await pass(10_000)
    expect(await used()).toBe(5)
    disk.set('docs', 30 * megabyte)
    await pass(120_000)
    expect(looks).toHaveLength(3)
    expect(await used()).toBe(30)
  })

  it('counts what goes on while the disk is asked until it is asked again', async () => {
    let answer = (): void => undefined
    const quota = openQuota({
      measure: () => new Promise((resolve) => (answer = () => resolve(new Map([['docs', megabyte]])))),
    })
    const beginning = quota.begin('ada')
    await pass(0)
    answer()
    const growth = await beginning
    growth.add(10 * megabyte)
    await pass(40_000)
    const reading = quota.read('ada', 'docs')
    await pass(0)
    growth.end()
    answer()
    expect((await reading).used).toBe(11 * megabyte)
  })

  it('has room again when something was deleted, or given away', async () => {
    disk.set('docs', 99 * megabyte).set('notes', megabyte)
    const quota = openQuota()
    const full = await quota.begin('ada')
    expect(() => full.add(1)).toThrow('They take 100 MB')
    owned['ada'] = ['docs']
    full.add(1)
    full.end()
    disk.set('docs', 20 * megabyte)
    await pass(6_000)
    const again = await quota.begin('ada')
    expect(() => again.add(70 * megabyte)).not.toThrow()
  })

  it('is not asked for where the plan has no limit, until somebody reads it', async () => {
    const quota = openQuota({ planOf: async () => 'pro' })
    const growth = await quota.begin('ada')
    growth.add(1000 * megabyte)
    growth.end()
    await pass(120_000)
    expect(looks).toEqual([])
    disk.set('docs', megabyte)
    expect(await quota.read('ada', 'docs')).toEqual({
      used: megabyte,
      ofProject: megabyte,
      limit: null,
      remaining: null,
    })
  })

  it('is looked at by and by, however often something is changed', async () => {
    const quota = openQuota()
    for (let change = 0; change < 100; change++) {
      const growth = await quota.begin('ada')
      growth.add(1)
      growth.end()
      await pass(100)
    }
    expect(looks.length).toBeGreaterThan(1)
    expect(looks.length).toBeLessThan(8)
  })

  it('has no room for a project of somebody else that does not fit beside its own', async () => {
    disk
      .set('docs', 40 * megabyte)
      .set('notes', 20 * megabyte)
      .set('guide', 50 * megabyte)
    const quota = openQuota({ contact: 'mailto:ops@example.com' })
    await expect(quota.takeOver('ada', 'guide', 'our-guide')).rejects.toMatchObject({
      code: 'quota_exceeded',
      message:
        'The Free plan allows 100 MB for all projects of their owner. Yours take 60 MB, and our-guide takes 50 MB more.',
      hint: expect.stringMatching(/invitation stays open.* Delete .*ops@example\.com/) as string,
      extra: { plan: 'Free', limit: 100 * megabyte, used: 60 * megabyte, of: 'storage' },
    })
    // Room is made, and what the disk said before that is old.
    disk.set('docs', 10 * megabyte)
    await pass(6_000)
    const taking = await quota.takeOver('ada', 'guide', 'our-guide')
    // It counts from here on, so that a second one does not get past the limit that they share.
    disk.set('atlas', 50 * megabyte)
    await expect(quota.takeOver('ada', 'atlas', 'atlas')).rejects.toMatchObject({ code: 'quota_exceeded' })
    owned['ada'] = ['docs', 'notes', 'guide']
    taking.end()
    await pass(120_000)
    expect((await quota.read('ada', 'guide')).used).toBe(80 * megabyte)
  })

  it('takes any project over where the plan has no limit, and the disk is not asked', async () => {
    const quota = openQuota({ planOf: async () => 'pro' })
    disk.set('guide', 5000 * megabyte)
    const taking = await quota.takeOver('ada', 'guide', 'guide')
    taking.end()
    expect(looks).toEqual([])
  })
})
