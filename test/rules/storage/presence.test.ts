import { expect, test, vi } from 'vitest'
import { Presence } from '#storage/directory/presence.ts'

const served = { directory: '/nonexistent', file: null, readOnly: null }

test('a disk that does not answer is told of in time, looked at once, and good when it answers', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    let looks = 0
    let answer = (): void => undefined
    const told: unknown[] = []
    const look = (): Promise<void> => {
      looks += 1
      return new Promise((resolve) => (answer = resolve))
    }
    const presence = new Presence({ served, onChange: (problem) => told.push(problem), look })
    const asked = Promise.all([presence.problem(), presence.problem()])
    await vi.advanceTimersByTimeAsync(6000)
    expect(await asked).toEqual(['the disk does not answer', 'the disk does not answer'])
    const again = presence.problem()
    await vi.advanceTimersByTimeAsync(6000)
    expect([await again, looks]).toEqual(['the disk does not answer', 1])
    answer()
    await vi.advanceTimersByTimeAsync(0)
    const back = presence.problem()
    answer()
    expect(await back).toBeNull()
    expect(told).toEqual(['the disk does not answer', null])
  } finally {
    vi.useRealTimers()
  }
})

test('an error of the disk is told with its code, in words where there are some', async () => {
  let code = 'EIO'
  const look = async (): Promise<void> => {
    throw Object.assign(new Error('x'), { code })
  }
  const problemOf = (): Promise<string | null> => new Presence({ served, onChange: () => undefined, look }).problem()
  expect(await problemOf()).toBe('the disk does not answer as it should (EIO)')
  code = 'EROFS'
  expect(await problemOf()).toBe('the disk takes no writes')
  code = 'EMFILE'
  expect(await problemOf()).toBeNull()
  code = 'ENOENT'
  expect(await problemOf()).toBe('the data directory is gone, or another one is in its place')
})
