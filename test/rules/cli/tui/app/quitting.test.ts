import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Quitting, type Quit } from '#cli/tui/app/quitting.ts'
import { FakeDialogs } from '#test/support/fake-dialogs.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A person who quits, with a disk that answers when the test says so. */
function quitter(unkept: readonly string[]) {
  const dialogs = new FakeDialogs()
  const ends: Quit[] = []
  const disk: { answer: () => void; fail: (error: Error) => void; signal: AbortSignal }[] = []
  const quitting = new Quitting({
    dialogs,
    mayLeave: async () => true,
    settle: (signal) => new Promise((answer, fail) => disk.push({ answer, fail, signal })),
    unkept: () => unkept,
    log: () => undefined,
    end: (quit) => ends.push(quit),
  })
  return { dialogs, quitting, ends, disk }
}

it('a disk that answers is not spoken of', async () => {
  const { dialogs, quitting, ends, disk } = quitter(['a.mdx'])
  const quit = quitting.quit()
  await vi.advanceTimersByTimeAsync(2_900)
  disk[0]?.answer()
  await quit
  expect(ends).toEqual([{ kind: 'settled' }])
  expect(dialogs.progresses).toEqual([])
})

it('of a disk that never answers is told what is not on it; Ctrl-Q once more leaves', async () => {
  const { dialogs, quitting, ends } = quitter(['a.mdx', 'b.mdx', 'c.mdx', 'd.mdx'])
  const quit = quitting.quit()
  await vi.advanceTimersByTimeAsync(1_000)
  await quitting.quit()
  expect(ends).toEqual([])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(dialogs.progresses[0]?.said[0]).toContain('The disk does not answer')
  expect(dialogs.progresses[0]?.said[0]).toContain('Not on it yet: a.mdx, b.mdx, c.mdx and 1 more.')
  await quitting.quit()
  await quit
  expect(ends).toEqual([{ kind: 'hasty', lost: ['a.mdx', 'b.mdx', 'c.mdx', 'd.mdx'] }])
})

it('waited for, it ends by itself when the disk is back', async () => {
  const { quitting, ends, disk } = quitter(['a.mdx'])
  const quit = quitting.quit()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ends).toEqual([])
  disk[0]?.answer()
  await quit
  expect(ends).toEqual([{ kind: 'settled' }])
})

it('who stays is not thrown out when the disk is back, and can quit again', async () => {
  const { dialogs, quitting, ends, disk } = quitter(['a.mdx'])
  const quit = quitting.quit()
  await vi.advanceTimersByTimeAsync(3_000)
  dialogs.progresses[0]?.cancel()
  await quit
  expect(disk[0]?.signal.aborted).toBe(true)
  disk[0]?.answer()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(ends).toEqual([])
  const again = quitting.quit()
  await vi.advanceTimersByTimeAsync(0)
  disk[1]?.answer()
  await again
  expect(ends).toEqual([{ kind: 'settled' }])
})

it('what cannot be kept is told, also late, and leaving is asked', async () => {
  const { dialogs, quitting, ends, disk } = quitter(['a.mdx'])
  dialogs.answer(false, true)
  const quit = quitting.quit()
  await vi.advanceTimersByTimeAsync(0)
  disk[0]?.fail(new Error('the disk is full'))
  await quit
  expect(dialogs.shown.at(-1)).toContain('the disk is full')
  expect(ends).toEqual([])
  const again = quitting.quit()
  await vi.advanceTimersByTimeAsync(4_000)
  disk[1]?.fail(new Error('the disk is full'))
  await again
  expect(ends).toEqual([{ kind: 'hasty', lost: ['a.mdx'] }])
})
