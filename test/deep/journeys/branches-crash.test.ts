import { expect, it } from 'vitest'
import { storm } from '#scripts/tools/soak/storm.ts'

// A killed service starts anew seven times, which takes its time where others are at work.
const timeout = 600_000

it('keeps all that it acknowledged while it is killed under writers, pushes and publishes', { timeout }, async () => {
  const { problems, kills, acknowledged } = await storm({
    kills: 6,
    seconds: [1, 2],
    deadline: 300,
    seed: 1,
    writers: 6,
    pushers: 2,
    publishers: 1,
  })
  expect(problems).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(6)
  expect(acknowledged).toBeGreaterThan(0)
})
