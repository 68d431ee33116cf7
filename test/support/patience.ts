import { vi } from 'vitest'

/** As long as `expect.poll` waits, in milliseconds: that one has a setting. */
const patienceMs = 15_000

// A file of tests that shares its worker with others has it already.
if (vi.waitFor.name !== 'waitPatiently') {
  const { waitFor } = vi
  /** Its own second judges a machine that others use, too, by the clock. */
  vi.waitFor = function waitPatiently(callback, options) {
    return waitFor(callback, options ?? patienceMs)
  }
}
