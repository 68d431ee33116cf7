import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSample } from '#cli/tui/data/sample/sample.ts'
import { projects } from '#cli/tui/routes.ts'
import { PendingMerges } from '#cli/tui/views/merge/pending-merges.ts'
import { OpeningView } from '#cli/tui/views/start/opening.ts'
import { startApplication } from '#test/support/tui-application.ts'

/** Longer than anything waits that a key began. */
const restMs = 15_000

let started: Awaited<ReturnType<typeof startApplication>>
let looks = 0

/** Presses keys, each after what the one before did. */
async function press(...chords: readonly string[]): Promise<void> {
  for (const chord of chords) {
    started.terminal.press(chord)
    await vi.advanceTimersByTimeAsync(200)
  }
}

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const sample = await openSample()
  const one = sample.project('sample')
  looks = 0
  const branches = async () => {
    looks += 1
    return one.branches()
  }
  started = await startApplication(new OpeningView())
  const workspace = { ...sample, project: () => ({ ...one, branches }) }
  started.app.restart(
    projects(started.app, { workspace, pendingMerges: new PendingMerges() }, { signOut: () => Promise.resolve() }),
  )
  await vi.advanceTimersByTimeAsync(200)
  await vi.waitUntil(() => started.terminal.text.includes('plain-words'))
})

afterEach(() => {
  started.app.stop()
  vi.useRealTimers()
})

describe('while nobody does anything', () => {
  it('the branches are looked at twice a minute, and nothing is painted for it but what is new', async () => {
    await press('down', 'up')
    await vi.advanceTimersByTimeAsync(restMs)
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
    const before = { looks, frames: started.terminal.frames }
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(looks - before.looks).toBeGreaterThan(0)
    expect(looks - before.looks).toBeLessThanOrEqual(20)
    expect(started.terminal.frames - before.frames).toBeLessThanOrEqual(20)
  })

  it('no timer is armed in the files of a branch, and nobody looks at the branches under them', async () => {
    await press('enter', 'down')
    await vi.waitFor(() => expect(started.terminal.text).toContain('files'))
    await vi.advanceTimersByTimeAsync(restMs)
    const before = looks
    expect(vi.getTimerCount()).toBe(0)
    await vi.advanceTimersByTimeAsync(10 * 60_000)
    expect(looks).toBe(before)
  })

  it('no timer is armed in a page', async () => {
    await press('enter', 'down', 'enter', 'down')
    await vi.waitFor(() => expect(started.terminal.text).toContain('title: '))
    await vi.advanceTimersByTimeAsync(restMs)
    expect(vi.getTimerCount()).toBe(0)
  })
})
